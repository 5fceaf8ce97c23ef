"""Files, bytes, mappings: what was saved comes back, and bad bytes are exceptions."""

import os
import pathlib
import tempfile
import unittest

import guira
from support import FILTERS, rng_for


class Files(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.directory.name, "a filter")

    def tearDown(self):
        self.directory.cleanup()

    def test_save_and_load(self):
        for make in FILTERS:
            f = make(range(1000))
            for path in (self.path, str(self.path), os.fsencode(self.path)):
                f.save(path)
                self.assertEqual(set(make.load(path).contains_many(range(1000))), {1})
            self.assertEqual(self.path.read_bytes(), f.to_bytes())
            self.assertEqual(make.from_bytes(bytearray(f.to_bytes())).to_bytes(), f.to_bytes())

    def test_a_mapped_filter_can_be_read_and_not_changed(self):
        guira.Filter(range(1000)).save(self.path)
        with guira.Filter.open_mapped(self.path) as f:
            self.assertEqual(set(f.contains_many(range(1000))), {1})
            self.assertEqual(len(f), 1000)
            f.validate()
            for call in (lambda: f.add(1), lambda: f.remove(1), lambda: f.update([1]), f.clear, lambda: f.discard_many([1]),
                         lambda: f.merge(f.copy()), lambda: f.reserve(10**6)):
                with self.assertRaises(guira.UnsupportedError):
                    call()
            copy = f.copy()
            copy.add(5000)
        self.assertEqual(len(copy), 1001)
        with self.assertRaises(ValueError):
            5 in f

    def test_missing_files_and_directories(self):
        for load in (guira.Filter.load, guira.Filter.open_mapped, guira.Window.load):
            with self.assertRaises(FileNotFoundError) as caught:
                load(self.path)
            self.assertEqual(caught.exception.filename, self.path)
        with self.assertRaises(FileNotFoundError):
            guira.Filter().save(self.path / "no" / "directory")
        for path in (5.5, None, "a\0b"):
            with self.assertRaises((TypeError, ValueError)):
                guira.Filter.load(path)

    def test_other_types_of_files(self):
        window = guira.Window(100).to_bytes()
        filter_bytes = guira.Filter().to_bytes()
        for make, data in ((guira.Filter, window), (guira.Window, filter_bytes), (guira.Filter, b""), (guira.Filter, b"x" * 999)):
            with self.assertRaises(guira.FormatError):
                make.from_bytes(data)
        with self.assertRaises(TypeError):
            guira.Filter.from_bytes("text")
        self.path.write_bytes(b"no filter")
        for load in (guira.Filter.load, guira.Filter.open_mapped):
            with self.assertRaisesRegex(guira.FormatError, "a filter"):
                load(self.path)

    def test_changed_bytes_are_errors_or_filters_that_work(self):
        rng = rng_for("changed bytes")
        for make in FILTERS + [lambda keys: guira.Window(100)]:
            f = make(range(200))
            load = type(f).from_bytes
            whole = f.to_bytes()
            for _ in range(300):
                data = bytearray(whole)
                for _ in range(rng.randint(1, 3)):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                data = data[: rng.choice([len(data), rng.randrange(len(data))])]
                try:
                    load(data).validate()
                except guira.FormatError:
                    pass


if __name__ == "__main__":
    unittest.main()
