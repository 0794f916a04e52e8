"""What the examples share: the data, and a stopwatch."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

OUTPUT = Path(__file__).parent / "output"


def digits() -> tuple[Any, Any]:
    """The images as rows of 64 numbers in [0, 1], and the digits that they show."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("this example needs the extra `demo`: pip install 'autograph-runtime[demo]'")
    data = load_digits()
    return (data.data / 16).astype(np.float32), data.target


def seconds(run: Callable[[], Any], times: int = 3) -> float:
    """The best of several times."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def save(figure: Any, name: str) -> Path:
    """Write a figure of matplotlib to the folder of outputs; its path, as seen from here."""
    OUTPUT.mkdir(exist_ok=True)
    path = OUTPUT / name
    figure.savefig(path, dpi=120, bbox_inches="tight")
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
