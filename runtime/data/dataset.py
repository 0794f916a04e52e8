"""`Dataset`: a sequence of elements that is computed as it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np

from runtime import dtypes, nest
from runtime.core.convert import convert_to_tensor
from runtime.core.pickling import refused
from runtime.core.shapes import TensorSpec
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import ObjectHandle, ObjectType
from runtime.data import arguments, layouts, saved, sources
from runtime.data.arguments import (
    AUTOTUNE,
    check_dataset,
    check_tensors,
    common_spec,
    integer,
    signature,
)
from runtime.data.combinations import Combinations
from runtime.data.functions import arguments as parts_of
from runtime.data.functions import traced
from runtime.data.generators import taker
from runtime.data.groups import Groups
from runtime.data.iterators import Iterator, _refuse_if_traced, iterator_over
from runtime.data.layouts import DatasetSpec, Layout, components_of, is_dataset, normalized, spec_of
from runtime.data.nodes import LENGTH, applied, computed, length_of, made
from runtime.data.options import Options
from runtime.data.pipelines import UNKNOWN, Pipeline, invalid
from runtime.data.selections import Selections
from runtime.data.storing import path_of
from runtime.graph.structures import Handler, add_handler
from runtime.staging.control.iteration import Streamed


class Dataset(Selections, Groups, Combinations, Streamed):
    """A sequence of elements: tensors, and tuples, dicts and namedtuples of them.

    Its elements are computed as they are asked for, anew by each iterator. `for` goes over it,
    eagerly and in graphs. The static methods make one, the others make one of others.

    >>> squares = rt.data.Dataset.range(4).map(lambda x: x * x)
    >>> [int(x) for x in squares]
    [0, 1, 4, 9]
    """

    # Users and Keras note class names on a dataset, hence the __dict__.
    __slots__ = ("__dict__", "__weakref__", "_handle", "_layout", "_options")

    def __init__(self, layout: Layout, handle: Any, options: Options | None = None) -> None:
        self._layout = layout
        self._handle = handle
        self._options = options

    def _to(self, spec: Any, build: Callable[..., Pipeline], *inputs: Any) -> Dataset:
        """The dataset that `build` makes of this one and of tensors."""
        return _of(spec, build, self._handle, *inputs, options=self._options)

    # Sources

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element, which holds these tensors.

        >>> [x.numpy().tolist() for x in rt.data.Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        element = normalized(tensors, "Dataset.from_tensors")
        return _of(spec_of(element), sources.single, *components_of(element))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The rows of tensors of one length: an element of each; so are the datasets of a list.

        Raises ValueError for scalars, and for tensors of different lengths. TypeError for datasets
        whose elements have different structures or dtypes.

        >>> data = rt.data.Dataset.from_tensor_slices({"x": [1, 2], "y": [3, 4]})
        >>> [(int(d["x"]), int(d["y"])) for d in data]
        [(1, 3), (2, 4)]
        """
        what = "Dataset.from_tensor_slices"
        if isinstance(tensors, list) and tensors and all(map(is_dataset, tensors)):
            spec = common_spec([each.element_spec for each in tensors], what)
            return _of(DatasetSpec(spec), sources.each, *components_of(tensors))
        element = normalized(tensors, what)
        components = components_of(element)
        if not components:
            raise ValueError(f"{what}: there is no tensor to take rows of")
        lengths = []
        for leaf in components:
            if isinstance(leaf, Tensor) and leaf.static_shape == ():
                raise ValueError(f"{what}: a scalar has no rows: give tensors of rank >= 1")
            lengths.append(leaf.static_shape and leaf.static_shape[0])
        if len(set(lengths) - {None}) > 1:
            raise ValueError(f"{what}: the first dimensions of tensors differ: {lengths}")

        def row(leaf: Any) -> Any:
            return leaf and TensorSpec(leaf.shape[1:], leaf.dtype)

        return _of(nest.map_structure(row, spec_of(element)), sources.slices, *components)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of a Python generator, or another iterable that `generator(*args)` makes.

        Args:
            output_signature: a TensorSpec for each tensor of an element, in its structure.
            output_types, output_shapes: the older way to say this.

        Raises TypeError where neither is given, and InvalidArgumentError for an element that does
        not fit.

        >>> def count(n):
        ...     yield from range(n)
        >>> spec = rt.TensorSpec([], rt.int32)
        >>> data = rt.data.Dataset.from_generator(count, args=(3,), output_signature=spec)
        >>> [int(x) for x in data]
        [0, 1, 2]
        """
        what = "Dataset.from_generator"
        if not callable(generator):
            raise TypeError(f"{what}: generator must be a callable, not {generator!r}")
        spec = signature(output_types, output_shapes, output_signature)
        given = [normalized(arg, what) for arg in args or ()]

        def make(*raws: Any) -> Any:
            return generator(*[raw[()] if raw.ndim == 0 else raw.copy() for raw in raws])

        take = taker(Layout(spec), what)
        return _of(spec, lambda *raws: sources.generated(make, take, *raws), *given)

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Dataset:
        """The integers of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        >>> [int(x) for x in rt.data.Dataset.range(1, 8, 3)]
        [1, 4, 7]
        """
        what = "Dataset.range"
        if not 1 <= len(args) <= 3:
            raise ValueError(f"{what}: takes 1 to 3 arguments, got {len(args)}")
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        names = ("start", "stop", "step")
        bounds = [integer(x, what, n) for x, n in zip((start, stop, step), names, strict=True)]
        dtype = dtypes.as_dtype(output_type)
        if not (dtype.is_integer or dtype.is_floating):
            raise invalid(what, f"output_type must be a type of numbers, not {dtype.name}")

        def build(*raws: Any) -> Pipeline:
            return sources.counted(*raws, dtype=dtype.np_dtype)

        return _of(TensorSpec([], dtype), build, *bounds)

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """Numbers from `start` on, `step` apart, without end.

        >>> [int(x) for x in rt.data.Dataset.counter(5, 2).take(3)]
        [5, 7, 9]
        """
        kind = dtypes.as_dtype(dtype)
        bounds = convert_to_tensor(start, kind), convert_to_tensor(step, kind)

        def build(*raws: Any) -> Pipeline:
            return sources.counting(*raws, dtype=kind.np_dtype)

        return _of(TensorSpec([], kind), build, *bounds)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Random integers below 2 ** 32, without end: for one seed always the same ones, and
        TensorFlow's.

        >>> first, second = rt.data.Dataset.random(seed=4), rt.data.Dataset.random(seed=4)
        >>> int(next(iter(first))) == int(next(iter(second)))
        True
        """
        own = arguments.seed(seed, "Dataset.random")
        anew = bool(rerandomize_each_iteration)
        spec = TensorSpec([], dtypes.int64)
        return _of(spec, lambda: sources.drawn(own, anew=anew))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that a pattern, or one of several, stands for; in random order,
        unless `shuffle` is False. In a graph they are looked for in each run.

        Raises InvalidArgumentError where there is none.

        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        ...     names = rt.data.Dataset.list_files(file.name[:-4] + ".*")
        ...     [x.numpy().decode() == file.name for x in names]
        [True]
        """
        from runtime.data.files import listed

        made = _of(TensorSpec([], dtypes.string), listed, convert_to_tensor(file_pattern))
        return made if shuffle is False else made.shuffle(UNKNOWN, seed)

    # Folders

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write the elements into the folder `path`, in place of a dataset that is there.

        Args:
            compression: "GZIP", or None.
            shard_func: the number of the file that an element goes to, a scalar of int64; without
                it there is one file.

        What was there stays until all is written. `checkpoint_args` is refused.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rt.data.Dataset.range(3).save(folder)
        ...     [int(x) for x in rt.data.Dataset.load(folder)]
        [0, 1, 2]
        """
        what = "Dataset.save"
        if checkpoint_args is not None:
            raise NotImplementedError(f"{what}: checkpoint_args is not supported")
        check_tensors(self._layout, what)
        saved.described(self.element_spec)
        shard = None
        if shard_func is not None:
            shard = traced(what, shard_func, *parts_of(self.element_spec))
            if shard.layout.spec != TensorSpec([], dtypes.int64):
                raise ValueError(
                    f"{what}: shard_func must return a scalar of int64, not {shard.layout.spec}"
                )
        build = partial(
            saved.write,
            path=path_of(path),
            spec=self.element_spec,
            compression=saved.compression_of(compression, what),
            shard=shard,
        )
        self._computed(build, (), *(() if shard is None else shard.outer))

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """The dataset that `save` has written into the folder `path`.

        Args:
            element_spec: the spec of elements, which must fit those that are there.
            compression: that of `save`.
            reader_func: makes a dataset of one of datasets, one for each file; by default their
                elements come in turn.

        Raises NotFoundError where there is none, and DataLossError for a damaged one, also while
        iterating.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rt.data.Dataset.from_tensors({"a": [1, 2], "b": "x"}).save(folder)
        ...     rt.data.Dataset.load(folder).element_spec["a"]
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        what = "Dataset.load"
        found = saved.Saved(path_of(path), saved.compression_of(compression, what))
        spec = found.spec
        if element_spec is not None:
            try:
                common = common_spec([element_spec, spec], what, "the dataset and element_spec")
            except TypeError as error:
                raise invalid(what, str(error)) from None
            if common != element_spec:
                raise invalid(what, f"elements have the spec {spec}, which {element_spec} is not")
            spec = element_spec
        shards = _of(DatasetSpec(spec), lambda: found.shards(spec))
        if reader_func is None:
            rows = shards.interleave(lambda shard: shard, AUTOTUNE)
            return rows._to(spec, lambda rows: Pipeline(rows.elements, found.size))
        made = reader_func(shards)
        check_dataset(made, f"{what}: reader_func must return a Dataset")
        return made  # type: ignore[no-any-return]

    # Elements

    @property
    def element_spec(self) -> Any:
        """The specs of an element, in its structure.

        >>> rt.data.Dataset.range(3).batch(2).element_spec
        TensorSpec(shape=(None,), dtype=tf.int64, name=None)
        """
        return self._layout.spec

    def __iter__(self) -> Iterator:
        _refuse_if_traced(self)
        return iterator_over(self._layout, self._handle)

    def __len__(self) -> int:
        if type(self._handle) is not ObjectHandle:
            raise TypeError("len() of a Dataset is not known while tracing: ask its cardinality()")
        return length_of(self._handle.raw)

    def __bool__(self) -> bool:
        return True

    def _staged_iter(self) -> Iterator:
        """An iterator over it, in a graph."""
        return iterator_over(self._layout, self._handle)

    def _staged_len(self) -> Any:
        """The number of its elements, in a graph."""
        if type(self._handle) is ObjectHandle:
            return length_of(self._handle.raw)
        return applied(LENGTH, (self._handle,))

    def cardinality(self) -> Tensor:
        """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY, as int64.

        >>> int(rt.data.Dataset.range(5).batch(2).cardinality())
        3
        """
        found: Tensor = self._computed(_cardinality, TensorSpec([], dtypes.int64))
        return found

    def get_single_element(self, name: str | None = None) -> Any:
        """The element of a dataset that has one; InvalidArgumentError for any other.

        >>> int(rt.data.Dataset.range(3).skip(2).get_single_element())
        2
        """
        return self._computed(_only, self.element_spec)

    def _computed(self, build: Callable[..., Any], spec: Any, *inputs: Any) -> Any:
        layout = Layout(spec)
        found = computed(build, (self._handle, *inputs), layout.types)
        return layout.pack(found, layouts.wrapped)

    def as_numpy_iterator(self) -> Any:
        """An iterator over the elements, with NumPy arrays in place of tensors.

        >>> list(rt.data.Dataset.range(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        _refuse_if_traced(self)
        return NumpyIterator(partial(nest.map_structure, _as_numpy), self)

    # Options

    def options(self) -> Options:
        """The options that were set by `with_options`; they cannot be changed here.

        >>> rt.data.Dataset.range(2).options().deterministic is None
        True
        """
        found = Options() if self._options is None else self._options
        found._fix()
        return found

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """This dataset with these options; those that are None stay what they were.

        TypeError for what are no Options.

        >>> options = rt.data.Options()
        >>> options.deterministic = False
        >>> rt.data.Dataset.range(2).with_options(options).options().deterministic
        False
        """
        if not isinstance(options, Options):
            raise TypeError(f"with_options() takes tf.data.Options, not {options!r}")
        return Dataset(self._layout, self._handle, self.options().merge(options))

    # There is nothing in it to change.

    def __copy__(self) -> Dataset:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Dataset:
        return self

    def __reduce__(self) -> NoReturn:
        raise refused("a Dataset", "pickle what it is made of, and make it anew")

    def __repr__(self) -> str:
        return f"<Dataset element_spec={self.element_spec!r}>"


def _of(
    spec: Any, build: Callable[..., Pipeline], *inputs: Any, options: Options | None = None
) -> Dataset:
    layout = Layout(spec)
    return Dataset(layout, made(build, inputs, layout.types), options)


def _cardinality(pipeline: Pipeline) -> tuple[Any, ...]:
    return (np.int64(pipeline.cardinality),)


def _only(pipeline: Pipeline) -> tuple[Any, ...]:
    iterator = pipeline.elements()
    first = next(iterator, None)
    if first is None:
        raise invalid("Dataset.get_single_element", "the dataset was empty")
    if next(iterator, None) is not None:
        raise invalid("Dataset.get_single_element", "the dataset had more than one element")
    return first


def _as_numpy(item: Any) -> Any:
    if isinstance(item, EagerTensor):
        return item.numpy()
    return item.as_numpy_iterator() if isinstance(item, Dataset) else item


class NumpyIterator(map):  # type: ignore[type-arg]
    """The elements of a dataset as arrays."""

    def next(self) -> Any:
        """The next element; StopIteration where there is none."""
        return self.__next__()


HANDLER = Handler(
    lambda dataset: (dataset._layout, [dataset._handle]),
    lambda kind, layout, children: Dataset(layout, children[0]),
    ".{}",
    lambda layout: ("handle",),
    is_tuple=True,
    describe=lambda layout: str(ObjectType("dataset", layout.types)),
)
add_handler(Dataset, HANDLER)
