"""The base of the classes that `Dataset` has its transformations from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from runtime.data.layouts import Layout
from runtime.data.options import Options
from runtime.data.pipelines import Pipeline

if TYPE_CHECKING:
    from runtime.data.dataset import Dataset


class Chained:
    """Something that transformations make a dataset of."""

    __slots__ = ()
    _handle: Any
    _layout: Layout
    _options: Options | None

    @property
    def element_spec(self) -> Any:
        """The specs of an element, in its structure."""
        raise NotImplementedError

    def _to(self, spec: Any, build: Callable[..., Pipeline], *inputs: Any) -> Dataset:
        raise NotImplementedError

    def _computed(self, build: Callable[..., Any], spec: Any, *inputs: Any) -> Any:
        raise NotImplementedError
