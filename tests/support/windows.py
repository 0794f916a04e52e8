"""Random convolutions and poolings that fit their images."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Windows:
    """The shapes of images and of a filter, and the parameters of ops on them."""

    rank: int
    image: tuple[int, ...]
    filter: tuple[int, ...]
    geometry: dict[str, Any]
    pooling: dict[str, Any]


def random_windows(source: random.Random) -> Windows:
    """Windows of one to three elements along two or three axes, of strides and dilations, padded in
    any way, on images of a few channels in groups.
    """
    rank = source.choice([2, 2, 2, 3])
    axes = range(rank)
    groups, depth = source.choice([1, 1, 2, 3]), source.choice([1, 2, 3, 8, 16])
    made = source.choice([1, 2, 5, 16, 20, 33])
    window = tuple(source.randint(1, 3) for _ in axes)
    dilations = tuple(source.choice([1, 1, 2]) for _ in axes)
    strides = tuple(source.choice([1, 1, 2, 3] if source.random() < 0.5 else [1]) for _ in axes)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    sizes = tuple(source.randint(least, 12) for least in reach)
    kind = source.choice(["SAME", "VALID", "pairs"])
    around: Any = tuple((source.randint(0, 3), source.randint(0, 3)) for _ in axes)
    within: Any = tuple((source.randint(0, k - 1), source.randint(0, k - 1)) for k in window)
    steps = {"strides": strides, "dilations": dilations}
    return Windows(
        rank,
        (source.choice([1, 2, 5]), *sizes, depth * groups),
        (*window, depth, made * groups),
        {**steps, "padding": around if kind == "pairs" else kind},
        {**steps, "padding": within if kind == "pairs" else kind, "ksize": window},
    )
