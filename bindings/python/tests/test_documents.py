"""The examples in the documents are right, and the type stubs name what there is."""

import ast
import doctest
import os
import pathlib
import tempfile
import unittest

import guira

TOP = pathlib.Path(os.environ.get("GUIRA_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[3])
PYTHON = TOP / "bindings" / "python"


class Documents(unittest.TestCase):
    def test_examples(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        os.chdir(directory.name)
        for path in (PYTHON / "README.md", PYTHON / "guira" / "__init__.py", TOP / "docs" / "bindings.md"):
            failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=doctest.ELLIPSIS)
            self.assertEqual(failed, 0, path)
            self.assertGreater(tried, 2, path)

    def test_stubs_name_every_method(self):
        tree = ast.parse((PYTHON / "guira" / "__init__.pyi").read_text())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

        def names(node):
            own = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            return own.union(*[names(classes[b.id]) for b in node.bases if getattr(b, "id", None) in classes])

        for name in ("Filter", "SharedFilter", "Window"):
            there = {n for n in dir(getattr(guira, name)) if not n.startswith("__")}
            self.assertEqual({n for n in names(classes[name]) if not n.startswith("__")}, there)


if __name__ == "__main__":
    unittest.main()
