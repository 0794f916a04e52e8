"""Questions about files that a trace asks: their answers are guarded as entries of a mapping."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Mapping
from pathlib import Path, PosixPath, WindowsPath
from types import FunctionType
from typing import Any

from runtime.core.settings import questions

_QUESTIONS = frozenset((
    os.path.exists, os.path.lexists, os.path.isfile, os.path.isdir, os.path.islink,
    Path.exists, Path.is_file, Path.is_dir, Path.is_symlink,
))  # fmt: skip
_GIVEN = str, bytes, PosixPath, WindowsPath, bool

Question = tuple[Callable[..., bool], tuple[Any, ...], tuple[tuple[str, Any], ...]]
"""A function, and what it is given: the name of a file, and options."""


class _Files:
    """The files, by what is asked of them."""

    def get(self, question: Question, default: Any = None) -> bool:
        """Returns the answer as it is now."""
        function, args, options = question
        return function(*args, **dict(options))


FILES = _Files()


def asks_of_files(function: Any) -> bool:
    """Whether a function, or a method of a path, answers a question about files."""
    plain = getattr(function, "__func__", function)
    return type(plain) is FunctionType and (plain in _QUESTIONS or plain in questions)


def question_of(
    function: Any, args: tuple[Any, ...], options: Mapping[str, Any]
) -> Question | None:
    """The question that a call asks; None where it is given what is no name and no option."""
    plain = getattr(function, "__func__", function)
    given = args if plain is function else (function.__self__, *args)
    are_known = all(type(each) in _GIVEN for each in (*given, *options.values()))
    return (plain, given, tuple(options.items())) if are_known else None
