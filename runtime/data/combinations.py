"""Transformations of several datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import dtypes, nest
from runtime.core.convert import convert_to_tensor
from runtime.core.shapes import TensorSpec
from runtime.data import arguments
from runtime.data import transformations as made
from runtime.data.arguments import check_dataset, common_spec
from runtime.data.chained import Chained
from runtime.data.layouts import is_dataset
from runtime.data.resampling import resampled

if TYPE_CHECKING:
    from runtime.data.dataset import Dataset


class Combinations(Chained):
    """Transformations of several datasets to one."""

    __slots__ = ()

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements of the same place in each dataset together, as far as the shortest.

        Takes datasets, or a structure of them, which the elements then have. Raises TypeError for
        anything else.

        >>> a, b = rt.data.Dataset.range(3), rt.data.Dataset.range(5, 9)
        >>> [(int(x), int(y)) for x, y in rt.data.Dataset.zip(a, b)]
        [(0, 5), (1, 6), (2, 7)]
        """
        what = "Dataset.zip"
        if (not args) == (datasets is None):
            raise TypeError(f"{what}: takes datasets, or `datasets`, a structure of them")
        given = datasets if not args else args[0] if len(args) == 1 else args
        parts = nest.flatten(given)
        if not parts or isinstance(given, list):
            raise TypeError(f"{what}: expected datasets in a tuple or dict, got {given!r}")
        for part in parts:
            check_dataset(part, what)
        spec = nest.map_structure(lambda part: part.element_spec, given)
        return _joined(parts, spec, made.zipped)

    def concatenate(self, dataset: Any, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another one.

        Raises TypeError where their structures or dtypes differ.

        >>> data = rt.data.Dataset.range(2).concatenate(rt.data.Dataset.range(5, 7))
        >>> [int(x) for x in data]
        [0, 1, 5, 6]
        """
        what = "Dataset.concatenate"
        check_dataset(dataset, what)
        spec = common_spec([self.element_spec, dataset.element_spec], what)
        return _joined([self, dataset], spec, made.concatenated)

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """The next element of the dataset that each element of `choice_dataset` is the number of.

        Raises TypeError unless that has scalars of int64.

        >>> a, b = rt.data.Dataset.range(3), rt.data.Dataset.range(10, 13)
        >>> choice = rt.data.Dataset.from_tensor_slices(rt.constant([0, 1, 1, 0], rt.int64))
        >>> [int(x) for x in rt.data.Dataset.choose_from_datasets([a, b], choice)]
        [0, 10, 11, 1]
        """
        what = "Dataset.choose_from_datasets"
        spec = _common(datasets, what)
        check_dataset(choice_dataset, what)
        if choice_dataset.element_spec != TensorSpec([], dtypes.int64):
            raise TypeError(
                f"{what}: choice_dataset must have scalars of int64, not "
                f"{choice_dataset.element_spec}"
            )
        build = partial(made.chosen, stop=bool(stop_on_empty_dataset))
        return _joined([choice_dataset, *datasets], spec, build)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Any],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """The next element of a dataset that is drawn each time, with these weights (None: equal
        ones), or those of the next element of a dataset of them. The draws are not TensorFlow's.

        >>> a, b = rt.data.Dataset.range(2), rt.data.Dataset.range(10, 12)
        >>> data = rt.data.Dataset.sample_from_datasets([a, b], weights=[1.0, 0.0], seed=1)
        >>> [int(x) for x in data]
        [0, 1]
        """
        what = "Dataset.sample_from_datasets"
        spec = _common(datasets, what)
        if weights is None:
            weights = np.full(len(datasets), 1 / len(datasets))
        if is_dataset(weights):
            chances, spec_of_chances = weights._handle, weights.element_spec
        else:
            chances = convert_to_tensor(weights)
            spec_of_chances = TensorSpec(chances.static_shape, chances.dtype)
        if not spec_of_chances.shape.is_compatible_with([len(datasets)]):
            raise ValueError(
                f"{what}: weights must be {len(datasets)} numbers, one for each dataset, but have "
                f"the shape {spec_of_chances.shape}"
            )
        if not spec_of_chances.dtype.is_floating:
            raise TypeError(f"{what}: weights must be floats, not {spec_of_chances.dtype.name}")
        build = partial(
            _sampled,
            seed=arguments.seed(seed, what),
            stop=bool(stop_on_empty_dataset),
            anew=bool(rerandomize_each_iteration),
        )
        return _joined(datasets, spec, build, chances)

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Pairs of a class and an element, of which elements are left out, and some come twice, so
        that classes come as often as `target_dist` says. The draws are not TensorFlow's.

        Args:
            class_func: the class of an element, a scalar integer.
            target_dist, initial_dist: how often each class is to come, and how often it does, as
                floats whose sum is 1; `initial_dist` is estimated if it is None.

        >>> data = rt.data.Dataset.range(1000)
        >>> data = data.rejection_resample(lambda x: x % 2, [0.0, 1.0], [0.5, 0.5])
        >>> {int(kind) for kind, x in data}
        {1}
        """
        own = arguments.seed(seed, "Dataset.rejection_resample")
        return resampled(self, class_func, target_dist, initial_dist, own)  # type: ignore[no-any-return]


def _joined(datasets: Sequence[Any], spec: Any, build: Any, *inputs: Any) -> Dataset:
    """The dataset that `build` makes of several, with all their options; the later ones hold."""
    first, *rest = datasets
    found = first._to(spec, build, *[part._handle for part in rest], *inputs)
    for part in rest:
        if part._options is not None:
            found = found.with_options(part._options)
    return found  # type: ignore[no-any-return]


def _sampled(*inputs: Any, seed: int | None, stop: bool, anew: bool) -> Any:
    *parts, weights = inputs
    return made.sampled(weights, seed, *parts, stop=stop, anew=anew)


def _common(datasets: Sequence[Any], what: str) -> Any:
    if not datasets:
        raise ValueError(f"{what}: there is no dataset to take elements from")
    for part in datasets:
        check_dataset(part, what)
    return common_spec([part.element_spec for part in datasets], what)
