"""Machine code kept between processes: object files in a directory of the user's own.

An entry is found by what it was made of: the text of the module, the CPU and its features, and the
versions of all that has a say.

`AUTOGRAPH_NATIVE_CACHE` names another directory; `off` keeps nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import takewhile

import llvmlite
import numpy

from runtime.core.kept_files import Shelf

SHELF = Shelf("AUTOGRAPH_NATIVE_CACHE", "native", b"autograph native code 2\n", ".o")


def cached(made_of: Sequence[str], make: Callable[[], bytes]) -> bytes:
    """The object file made of these texts: the one that is kept, or else the one that `make`
    makes, which is kept then.
    """
    found = find(made_of)
    if found is None:
        found = make()
        keep(made_of, found)
    return found


def find(made_of: Sequence[str]) -> bytes | None:
    """The entry that was made of these texts; None where there is none that is whole."""
    return SHELF.find((*_versions(), *made_of))


def keep(made_of: Sequence[str], object_file: bytes) -> None:
    """Keep what was made of these texts."""
    SHELF.keep((*_versions(), *made_of), object_file)


@cache
def _versions() -> tuple[str, ...]:
    """Of Python, whose objects are laid out by its version, of the packages, and of the CPU."""
    python = [sys.version, str(sys.implementation.cache_tag), sys.platform, processor()]
    return *python, f"llvmlite {llvmlite.__version__}", f"numpy {numpy.__version__}"


def processor() -> str:
    """The CPU and its features: as the system tells, with the system's own version, for a newer one
    may know of more. Where it does not tell, LLVM does, which takes longer to import.
    """
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            told = dict(map(_fact, takewhile(str.strip, file)))
    except OSError:
        told = {}
    if not told.keys() >= _TOLD:
        from runtime.graph.executors.native.machine import processor

        return processor()
    system = os.uname()
    return "\n".join([*[told[name] for name in sorted(_TOLD)], system.release, system.version])


_TOLD = {"vendor_id", "cpu family", "model", "model name", "stepping", "flags"}


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()
