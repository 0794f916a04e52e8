"""Calls of functions of the standard library and of installed packages: what they may change."""

from __future__ import annotations

import sys
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.frames import is_library
from autograph.mutation.foreign import is_foreign
from autograph.mutation.kind_table import is_hidden, may_change
from autograph.mutation.users_code import is_users
from autograph.objects import module_of
from autograph.policy import CONVERT, decide

_HARMLESS_MODULES = frozenset((
    "abc", "argparse", "array", "ast", "atomics", "base64", "binascii", "bisect", "builtins",
    "bz2", "calendar", "cmath", "codecs", "collections", "colorsys", "configparser", "contextlib",
    "contextvars", "copy", "copyreg", "csv", "ctypes", "dataclasses", "datetime", "decimal",
    "difflib", "dis", "email", "encodings", "enum", "fnmatch", "fractions", "functools", "gc",
    "genericpath", "graphlib", "hashlib", "heapq", "hmac", "html", "importlib", "inspect",
    "ipaddress", "itertools", "json", "keyword", "linecache", "logging", "lzma", "marshal", "math",
    "ntpath", "numbers", "opcode", "operator", "optparse", "os", "pathlib", "pickle", "platform",
    "posix", "posixpath", "pprint", "pydoc", "queue", "re", "reprlib", "shlex", "sre_compile",
    "sre_parse", "stat", "statistics", "string", "struct", "sys", "textwrap", "thread", "threading",
    "timeit", "token", "tokenize", "traceback", "types", "typing", "unicodedata", "unittest",
    "urllib", "uuid", "weakref", "xml", "zlib", "zoneinfo",
))  # fmt: skip
"""Modules of the standard library whose functions change nothing but what they are given; those
that do are known by name (`autograph.policy.impure`)."""

_ITERATING = frozenset((
    all, any, bytearray, bytes, dict, enumerate, filter, frozenset, list, map, max, min, reversed,
    set, sorted, sum, tuple, zip,
))  # fmt: skip


def acts_elsewhere(function: Any) -> bool:
    """Whether a function of the standard library may change more than what it is given."""
    if isinstance(getattr(function, "__self__", None), ModuleType):
        module = str(function.__module__)
    elif type(function) is FunctionType:
        module = str(function.__globals__.get("__name__"))
    else:
        return False
    return not is_harmless_module(module) and module.partition(".")[0] in sys.stdlib_module_names


def is_harmless_module(module: str) -> bool:
    """Whether the functions of a module of the standard library change only what they are given."""
    top = module.partition(".")[0]
    return top in _HARMLESS_MODULES or top.lstrip("_") in _HARMLESS_MODULES


def is_called_as_it_is(function: Any) -> bool:
    """Whether a callable is opaque: foreign code, and no function of NumPy."""
    if type(function) in (FunctionType, BuiltinFunctionType):
        module = getattr(function, "__globals__", {}).get("__name__") or function.__module__
        own = getattr(function, "__self__", None)
        if own is not None and not isinstance(own, ModuleType):
            return is_foreign(type(own))
        return not _is_known(str(module)) and not _is_converted(function)
    if isinstance(function, type):
        return is_foreign(function) and not _is_known(module_of(function))
    if type(function) is MethodType:
        return is_called_as_it_is(function.__func__)
    if type(function) is partial:
        return False
    return is_foreign(type(function)) and not _is_known(module_of(type(function)))


def _is_converted(function: Any) -> bool:
    return isinstance(function, FunctionType) and decide(function).decision is CONVERT


def _is_known(module: str) -> bool:
    return is_library(module) or is_users(module) or module.partition(".")[0] == "numpy"


def sees_its_caller(function: Any) -> bool:
    """Whether a foreign callable may look at the frame that called it: call it from there alone."""
    if str(getattr(function, "__module__", None)) not in _SEEING:
        return False
    return not any(function is each for each in (setattr, delattr, *_ITERATING))


_SEEING = frozenset((
    "None", "builtins", "collections", "dataclasses", "enum", "inspect", "sys", "traceback",
    "types", "typing",
))  # fmt: skip


def is_given_to_be_changed(function: Any, kind: type) -> bool:
    """Whether a foreign callable may change an argument of a type where it is not looked at."""
    if getattr(function, "__module__", None) == "builtins" and function not in (setattr, delattr):
        is_iterator = is_hidden(kind) and hasattr(kind, "__next__")
        return is_iterator and any(function is each for each in _ITERATING)
    return is_foreign(kind) and may_change(kind)
