"""What the examples share: the data, and a stopwatch."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import runtime as tf

OUTPUT = Path(__file__).parent / "output"
SEED = 7


def digits() -> tuple[Any, Any]:
    """The images as rows of 64 numbers in [0, 1], and the digits that they show."""
    data = _loaded("load_digits")
    return (data.data / 16).astype(np.float32), data.target


def tumours() -> tuple[Any, Any]:
    """Rows of 30 measurements (each of mean 0 and deviation 1) and a 1; which ones are benign."""
    data = _loaded("load_breast_cancer")
    rows = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    return np.hstack([rows, np.ones((len(rows), 1))]), data.target


def _loaded(name: str) -> Any:
    try:
        from sklearn import datasets
    except ImportError:
        sys.exit("this example needs the extra `demo`: pip install 'autograph-runtime[demo]'")
    return getattr(datasets, name)()


def split() -> list[tuple[Any, Any]]:
    """Images and labels to train, validate and test; centred and scaled as the first are."""
    images, labels = digits()
    order = np.random.default_rng(SEED).permutation(len(images))
    parts = np.split(order, [int(0.7 * len(order)), int(0.85 * len(order))])
    images = (images - images[parts[0]].mean(axis=0)) / images[parts[0]].std()
    return [(tf.constant(images[part]), tf.constant(labels[part])) for part in parts]


def seconds(run: Callable[[], Any], times: int = 3) -> float:
    """The best of several times."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib, in inches, that needs no screen."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, name: str) -> Path:
    """Write a figure of matplotlib to the folder of outputs; its path, as seen from here."""
    OUTPUT.mkdir(exist_ok=True)
    path = OUTPUT / name
    figure.savefig(path, dpi=120, bbox_inches="tight")
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
