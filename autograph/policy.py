"""The decision whether a function may be converted. One ordered table of rules; the first that
holds decides.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from autograph import frames
from autograph.codes import CodeTable

CONVERT, AS_IS = True, False

marked: CodeTable[bool] = CodeTable()
"""Code that `do_not_convert` was asked to leave alone."""

generated: CodeTable[CodeType] = CodeTable()
"""Code that conversion made, with a copy of the code of the user's function."""

unconverted: CodeTable[str] = CodeTable()
"""Code of the user's that could not be converted, and why."""

_converted_packages: set[str] = set()

forgetting: list[Callable[[], object]] = [unconverted.clear]
"""Calls that forget what depends on whose code is, which `convert_package` changes."""


class Rule(NamedTuple):
    """A reason, whether it holds for a function, and what follows from it."""

    name: str
    holds: Callable[[FunctionType], bool]
    decision: bool


RULES = (
    Rule("marked with do_not_convert", lambda f: f.__code__ in marked, AS_IS),
    Rule("made by conversion", lambda f: f.__code__ in generated, AS_IS),
    Rule("part of autograph or of a tensor library", lambda f: _is_library(f), AS_IS),
    Rule("made of annotations by Python", lambda f: is_annotate(f), AS_IS),
    Rule("in a package to convert", lambda f: _is_included(f), CONVERT),
    Rule("made by functools.total_ordering", lambda f: _is_ordering(f), CONVERT),
    Rule("made by functools.singledispatch", lambda f: _is_dispatcher(f), CONVERT),
    Rule("of numbers, in Python's standard library", lambda f: _is_of_numbers(f), CONVERT),
    Rule("part of Python's standard library", lambda f: _is_standard(f), AS_IS),
    Rule("part of an installed package", lambda f: is_installed(f), AS_IS),
    Rule("the user's", lambda f: True, CONVERT),
)


def decide(function: FunctionType) -> Rule:
    """The first rule that holds for a function."""
    return next(rule for rule in RULES if rule.holds(function))


def convert_package(module_prefix: str) -> None:
    """Convert the functions of an installed package too when converted code calls them.

    Packages in `site-packages` and the standard library are otherwise called as they are, but for
    what is written in Python and only computes with numbers, such as `colorsys`. Its modules,
    classes and functions are then the user's own in all else, too. What has been traced before
    stays as it is.

    Args:
        module_prefix: a module name; it stands for its submodules too.

    >>> autograph.convert_package("a_package.of_mine")
    """
    _converted_packages.add(module_prefix)
    for forget in forgetting:
        forget()


def is_in_converted_package(module: str) -> bool:
    """True for a module of a package that `convert_package` was given."""
    return any(
        module == name or module.startswith(name + ".") for name in list(_converted_packages)
    )


def _module(function: FunctionType) -> str:
    # Not `__module__`, which functools.wraps copies from the function that it wraps.
    return str(function.__globals__.get("__name__", ""))


def _is_library(function: FunctionType) -> bool:
    return frames.is_library(_module(function))


def _is_included(function: FunctionType) -> bool:
    return is_in_converted_package(_module(function))


_STANDARD = os.path.dirname(os.__file__) + os.sep
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


def _is_standard(function: FunctionType) -> bool:
    return is_standard_file(function.__code__.co_filename)


_OF_NUMBERS = frozenset((
    *(("calendar", name) for name in ("isleap", "leapdays")),
    *(("colorsys", name) for name in (
        "_v", "hls_to_rgb", "hsv_to_rgb", "rgb_to_hls", "rgb_to_hsv", "rgb_to_yiq", "yiq_to_rgb",
    )),
    # The others compute with exact fractions.
    *(("statistics", name) for name in (
        "cdf", "fmean", "median", "median_high", "median_low", "mode", "pdf", "quantiles", "zscore",
    )),
))  # fmt: skip


def _is_of_numbers(function: FunctionType) -> bool:
    name = _module(function), function.__code__.co_name
    return name in _OF_NUMBERS and _is_standard(function)


def _is_ordering(function: FunctionType) -> bool:
    """True for `__gt__` and its like, where a class has them of its `__lt__` or another one."""
    return "_from_" in function.__code__.co_name and function.__module__ == "functools"


_DISPATCHERS = frozenset((
    "singledispatch.<locals>.wrapper", "singledispatchmethod.__get__.<locals>._method",
    "_singledispatchmethod_get.__call__",
))  # fmt: skip


def _is_dispatcher(function: FunctionType) -> bool:
    """True for what calls the function that is registered for the class of an argument."""
    is_one = function.__code__.co_qualname in _DISPATCHERS
    return is_one and _module(function) == "functools"


def is_annotate(function: FunctionType) -> bool:
    """True for what Python, from 3.14 on, makes of the annotations of a class or a function."""
    return function.__code__.co_name == "__annotate__"


def is_installed(function: FunctionType) -> bool:
    """True for a function of an installed package that is not converted."""
    return is_installed_file(function.__code__.co_filename) and not _is_included(function)


def is_standard_file(filename: str) -> bool:
    """True for a file of Python's standard library."""
    return filename.startswith((_STANDARD, "<frozen ")) and not is_installed_file(filename)


def is_installed_file(filename: str) -> bool:
    """True for a file of an installed package."""
    return any(folder in filename for folder in _INSTALLED)


# Managers of a `with`

_INDIFFERENT = frozenset((
    ("contextlib", "nullcontext"), ("numpy", "errstate"), ("warnings", "catch_warnings"),
))  # fmt: skip


def is_indifferent(kind: type | FunctionType) -> bool:
    """Whether managers of a class do the same whatever leaves their block."""
    return (kind.__module__, kind.__qualname__) in _INDIFFERENT


# Calls that a graph cannot repeat

_IMPURE_MODULES = {
    "random": "draws a random number once, while tracing",
    "numpy.random": "draws random numbers once, while tracing",
    "secrets": "draws a random number once, while tracing",
    "uuid": "draws a random number once, while tracing",
    "time": "reads the clock once, while tracing",
    "logging": "logs once, while tracing",
    "warnings": "warns once, while tracing",
    "_py_warnings": "warns once, while tracing",
    "_warnings": "warns once, while tracing",
    "_io": "reads or writes a file once, while tracing",
    "io": "reads or writes a file once, while tracing",
    "subprocess": "starts a process once, while tracing",
    "socket": "uses the network once, while tracing",
    "shutil": "changes files once, while tracing",
    "IPython.core.display_functions": "displays once, while tracing",
}
_CHANGES_SYSTEM = (
    "chdir chmod chown execv execve fchmod fdopen fork ftruncate kill killpg lchown link makedirs "
    "mkdir mkfifo mknod open pipe popen putenv pwrite read remove removedirs rename renames "
    "replace rmdir sendfile startfile symlink system truncate umask unlink unsetenv utime write"
)
_LOOKS_AT_FILES = (
    "access fwalk getsize getatime getctime getmtime listdir listdrives lstat readlink samefile "
    "scandir stat statvfs walk"
)
_DRAWS_SYSTEM = "urandom getrandom"
_CHANGES_PATH = (
    "chmod copy copy_into glob group hardlink_to iterdir link_to lstat mkdir move move_into open "
    "owner read_bytes read_text readlink rename replace rglob rmdir samefile stat symlink_to touch "
    "unlink walk write_bytes write_text"
)
_CHANGES_THREADS = (
    *(("threading", name) for name in ("start", "run", "settrace", "setprofile")),
    *((f"concurrent.futures.{place}", name) for place in ("_base", "thread", "process")
      for name in ("submit", "map", "shutdown", "set_result", "set_exception")),
    *((module, name) for module in ("_thread", "thread")
      for name in ("start_new_thread", "start_new", "interrupt_main")),
)  # fmt: skip
_CHANGES_SETTINGS = (
    *(("sys", name) for name in (
        "addaudithook", "set_asyncgen_hooks", "set_int_max_str_digits", "setprofile",
        "setrecursionlimit", "setswitchinterval", "settrace",
    )),
    *(("gc", name) for name in (
        "disable", "enable", "freeze", "set_debug", "set_threshold", "unfreeze",
    )),
    *((module, name) for module in ("decimal", "_decimal", "_pydecimal")
      for name in ("setcontext",)),
    *((module, name) for module in ("numpy", "numpy._core._ufunc_config")
      for name in ("seterr", "seterrcall", "setbufsize")),
    *((module, "set_printoptions") for module in ("numpy", "numpy._core.arrayprint")),
    ("functools", "cache_clear"), ("importlib", "reload"),
)  # fmt: skip
_REGISTERS = (
    ("abc", "register"), ("functools", "register"),
    *((module, name) for module in ("codecs", "_codecs")
      for name in ("register", "register_error", "unregister")),
    *((module, name) for module in ("csv", "_csv")
      for name in ("field_size_limit", "register_dialect", "unregister_dialect")),
    *(("copyreg", name) for name in ("add_extension", "constructor", "pickle")),
    ("xml.etree.ElementTree", "register_namespace"),
)  # fmt: skip
_HARMLESS = frozenset((
    *(("logging", name) for name in (
        "getLogger", "getLevelName", "isEnabledFor", "getEffectiveLevel", "hasHandlers",
    )),
    *(("_thread", name) for name in ("locked", "_is_owned")),
    *((module, name) for module in ("io", "_io") for name in ("StringIO", "BytesIO")),
))  # fmt: skip
"""The functions of the modules above that may be called: memory files are looked at."""
_IMPURE_NAMES = {
    **{name: "starts or ends what runs beside it once, while tracing" for name in _CHANGES_THREADS},
    **{name: "changes settings once, while tracing" for name in _CHANGES_SETTINGS},
    **{name: "registers once, while tracing" for name in _REGISTERS},
    **{
        (module, name): "acts on the system once, while tracing"
        for module in ("os", "posix", "nt")
        for name in _CHANGES_SYSTEM.split()
    },
    **{
        (module, name): "draws random numbers once, while tracing"
        for module in ("os", "posix", "nt")
        for name in _DRAWS_SYSTEM.split()
    },
    **{
        (module, name): "reads or writes files once, while tracing"
        for module in ("pathlib", "pathlib._local")
        for name in _CHANGES_PATH.split()
    },
    **{
        (module, name): "looks at files once, while tracing"
        for module in ("os", "posix", "nt", "genericpath", "posixpath", "ntpath")
        for name in _LOOKS_AT_FILES.split()
    },
    **{
        ("traceback", f"print_{what}"): "prints once, while tracing"
        for what in ("exc", "exception", "last", "list", "stack", "tb")
    },
    **{
        ("traceback", name): "tells of calls while tracing"
        for name in ("extract_stack", "format_exc", "format_stack")
    },
    ("pprint", "pp"): "prints once, while tracing",
    ("pprint", "pprint"): "prints once, while tracing",
    ("sys", "displayhook"): "prints once, while tracing",
    ("sys", "excepthook"): "prints once, while tracing",
    ("builtins", "input"): "reads a line once, while tracing",
    ("builtins", "next"): "advances an iterator once, while tracing",
    ("datetime", "now"): "reads the clock once, while tracing",
    ("datetime", "today"): "reads the clock once, while tracing",
    ("datetime", "utcnow"): "reads the clock once, while tracing",
}


def impure(function: Callable[..., Any]) -> str | None:
    """Returns why a call that depends on the world, or changes it, cannot stand in a staged block.

    The reason continues a sentence that names the function; None for all but known callables. What
    a backend takes over, such as `next` of a staged iterator, is its own matter.
    """
    if isinstance(getattr(function, "__self__", None), _MEMORY_FILES) or is_harmless(function):
        return None
    for module, name in _names_of(function):
        reason = _IMPURE_NAMES.get((module, name)) or _impure_module(module)
        if reason is not None:
            return reason
    return None


def is_harmless(function: Callable[..., Any]) -> bool:
    """Whether a call is known to change nothing, though others of its module do."""
    return not _HARMLESS.isdisjoint(_names_of(function))


def _names_of(function: Callable[..., Any]) -> list[tuple[str, str]]:
    receiver = getattr(function, "__self__", None)
    owner = receiver if isinstance(receiver, type) else type(receiver)
    name = getattr(function, "__name__", "")
    return [
        (str(module), name) for module in (getattr(function, "__module__", None), owner.__module__)
    ]


_MEMORY_FILES = io.StringIO, io.BytesIO


def _impure_module(module: str) -> str | None:
    parts = module.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((_IMPURE_MODULES[name] for name in prefixes if name in _IMPURE_MODULES), None)
