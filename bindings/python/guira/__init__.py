"""Cuckoo filters that grow and shrink: approximate membership with no false negatives.

>>> import guira
>>> f = guira.Filter(["ana", "eva"])
>>> "ana" in f
True
>>> f.remove("ana")
>>> len(f)
1

docs/bindings.md has the details. help(guira.Filter) lists the methods.
"""

from ._guira import (
    Error,
    Filter,
    FormatError,
    FullError,
    SharedFilter,
    UnsupportedError,
    Window,
    __version__,
    has_shared,
    plan,
)

__all__ = [
    "Error",
    "Filter",
    "FormatError",
    "FullError",
    "SharedFilter",
    "UnsupportedError",
    "Window",
    "plan",
]
