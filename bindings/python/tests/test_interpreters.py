"""Subinterpreters each have a module of their own; one with its own GIL is refused by Python itself."""

import subprocess
import sys
import unittest

CODE = """
import guira
f = guira.Filter(range(1000))
assert set(f.contains_many(range(1000))) == {1}
try:
    guira.Filter.from_bytes(b"x")
except guira.FormatError:
    pass
"""

PROGRAM = f"""
import guira
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
f = guira.Filter(["ana"])
create = (lambda: interpreters.create("legacy")) if hasattr(interpreters, "new_config") else (
    lambda: interpreters.create(isolated=False))
for _ in range(3):
    other = create()
    failure = interpreters.run_string(other, {CODE!r})
    assert failure is None, failure
    interpreters.destroy(other)
assert "ana" in f
print("done")
"""


class Interpreters(unittest.TestCase):
    def test_each_interpreter_has_its_own_module(self):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)

    def test_importing_it_again_after_it_was_dropped(self):
        code = "import sys, gc\nfor _ in range(20):\n import guira; f = guira.Filter([1])\n del sys.modules['guira'], " \
               "sys.modules['guira._guira'], guira; gc.collect(); assert 1 in f\nprint('done')"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
