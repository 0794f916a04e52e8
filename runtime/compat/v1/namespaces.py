"""Namespaces of version 1: those of version 2, where names do not mean something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from runtime.compat.v1.datasets import (
    get_output_classes,
    get_output_shapes,
    get_output_types,
    make_one_shot_iterator,
)
from runtime.compat.v1.ops import (
    dropout,
    embedding_lookup,
    in_top_k,
    poisson,
    softmax_cross_entropy_with_logits,
    with_older_arguments,
)


class Namespace:
    """A namespace of version 2 with some names of its own, and some that are refused."""

    def __init__(
        self,
        name: str,
        own: Mapping[str, Callable[..., Any]] | None = None,
        refused: Mapping[str, str] | None = None,
    ) -> None:
        self.__name__ = f"runtime.compat.v1.{name}"
        self._name = name
        self._refused = refused or {}
        vars(self).update(own or {})

    def __getattr__(self, name: str) -> Any:
        if name in self._refused:
            raise AttributeError(
                f"compat.v1.{self._name}.{name} is not here: {self._refused[name]}"
            )
        return with_older_arguments(getattr(import_module(f"runtime.{self._name}"), name))

    def __dir__(self) -> list[str]:
        known = dir(import_module(f"runtime.{self._name}"))
        return sorted({*known, *(name for name in vars(self) if name[0] != "_")} - {*self._refused})


_EVENTS = "write with tf.summary's functions, which take a step, eagerly or in a @tf.function"

data = Namespace(
    "data",
    {
        "get_output_classes": get_output_classes,
        "get_output_shapes": get_output_shapes,
        "get_output_types": get_output_types,
        "make_one_shot_iterator": make_one_shot_iterator,
    },
)
debugging = Namespace("debugging")
image = Namespace(
    "image", refused={"resize": "it samples at other places than tf.image.resize, which is here"}
)
math = Namespace("math", {"in_top_k": in_top_k})
nn = Namespace(
    "nn",
    {
        "dropout": dropout,
        "embedding_lookup": embedding_lookup,
        "in_top_k": in_top_k,
        "softmax_cross_entropy_with_logits": softmax_cross_entropy_with_logits,
    },
)
random = Namespace("random", {"poisson": poisson})
strings = Namespace(
    "strings", refused={"split": "it makes a sparse tensor; tf.strings.split is here"}
)
summary = Namespace(
    "summary",
    refused=dict.fromkeys(["scalar", "histogram", "image", "audio", "text"], _EVENTS),
)
