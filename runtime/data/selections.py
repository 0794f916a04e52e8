"""Transformations that give each element, or some of them, as they are or by a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from runtime import dtypes, nest
from runtime.core.shapes import TensorSpec
from runtime.data import arguments, storing, threads
from runtime.data import transformations as made
from runtime.data.arguments import AUTOTUNE, integer, known
from runtime.data.chained import Chained
from runtime.data.functions import Traced, traced
from runtime.data.functions import arguments as parts_of
from runtime.data.layouts import DatasetSpec, Layout, components_of, normalized, spec_of
from runtime.data.pipelines import invalid

if TYPE_CHECKING:
    from runtime.data.dataset import Dataset


class Selections(Chained):
    """Transformations of single elements."""

    __slots__ = ()

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """A function of each element. It is traced once; a tuple is given as several arguments.

        Args:
            num_parallel_calls: threads that compute elements; AUTOTUNE takes them for functions
                that take long.
            deterministic: False lets threads give elements as they come.

        >>> pairs = rt.data.Dataset.from_tensor_slices(([1, 2], [10, 20]))
        >>> [int(x) for x in pairs.map(lambda a, b: a + b)]
        [11, 22]
        """
        what = "Dataset.map"
        function = traced(what, map_func, *parts_of(self.element_spec))
        spec, outer = function.layout.spec, function.outer
        if num_parallel_calls is None:
            return self._to(spec, partial(made.mapped, function=function), *outer)
        calls = integer(num_parallel_calls, what, "num_parallel_calls")
        if deterministic is None:
            deterministic = (self._options and self._options.deterministic) is not False
        build = partial(made.mapped_in_parallel, function=function, ordered=deterministic)
        return self._to(spec, build, calls, *outer)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a function is true.

        Raises ValueError where its result is no scalar bool.

        >>> [int(x) for x in rt.data.Dataset.range(6).filter(lambda x: x % 2 == 1)]
        [1, 3, 5]
        """
        function = _predicate("Dataset.filter", predicate, self.element_spec)
        build = partial(made.filtered, function=function)
        return self._to(self.element_spec, build, *function.outer)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first one for which a function is false.

        >>> [int(x) for x in rt.data.Dataset.range(6).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        function = _predicate("Dataset.take_while", predicate, self.element_spec)
        build = partial(made.taken_while, function=function)
        return self._to(self.element_spec, build, *function.outer)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function makes of the elements, one after another.

        >>> data = rt.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        >>> [int(x) for x in data.flat_map(rt.data.Dataset.from_tensor_slices)]
        [1, 2, 3, 4]
        """
        function, spec = _of_datasets("Dataset.flat_map", map_func, self.element_spec)
        return self._to(spec, partial(made.flattened, function=function), *function.outer)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets that a function makes of the elements: `block_length` of
        each of `cycle_length` datasets in turn (None: as many as there are processors).

        >>> data = rt.data.Dataset.range(1, 3)
        >>> data = data.interleave(lambda x: rt.data.Dataset.from_tensors(x).repeat(3), 2)
        >>> [int(x) for x in data]
        [1, 2, 1, 2, 1, 2]
        """
        what = "Dataset.interleave"
        function, spec = _of_datasets(what, map_func, self.element_spec)
        cycle = integer(AUTOTUNE if cycle_length is None else cycle_length, what, "cycle_length")
        if known(cycle) == AUTOTUNE:
            cycle = integer(threads.parallelism(), what, "cycle_length")
        if num_parallel_calls is not None:
            calls = integer(num_parallel_calls, what, "num_parallel_calls")
            _check_calls(known(calls), None if cycle_length is None else known(cycle), what)
        block = integer(1 if block_length is None else block_length, what, "block_length")
        build = partial(made.interleaved, function=function)
        return self._to(spec, build, cycle, block, *function.outer)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The last state that `reduce_func(state, element)` makes of the one before.

        Raises TypeError where it makes one of another structure or dtype.

        >>> int(rt.data.Dataset.range(5).reduce(rt.constant(0, rt.int64), lambda s, x: s + x))
        10
        """
        what = "Dataset.reduce"
        state = normalized(initial_state, what)
        function, spec = _carrying(what, reduce_func, spec_of(state), self.element_spec, 0)
        inputs = components_of(state)
        build = partial(made.reduced, function=function, size=len(inputs))
        return self._computed(build, spec, *inputs, *function.outer)

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Dataset:
        """The second result of `scan_func(state, element)`, whose first one is the next state.

        >>> data = rt.data.Dataset.range(1, 5)
        >>> sums = data.scan(rt.constant(0, rt.int64), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in sums]
        [1, 3, 6, 10]
        """
        what = "Dataset.scan"
        state = normalized(initial_state, what)
        function, _ = _carrying(what, scan_func, spec_of(state), self.element_spec, 1)
        inputs = components_of(state)
        build = partial(made.scanned, function=function, size=len(inputs))
        return self._to(function.layout.spec[1], build, *inputs, *function.outer)

    # How many, and which

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times; without end where it is None or -1.

        >>> [int(x) for x in rt.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        times = integer(-1 if count is None else count, "Dataset.repeat", "count")
        return self._to(self.element_spec, made.repeated, times)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all where it is -1.

        >>> [int(x) for x in rt.data.Dataset.range(5).take(2)]
        [0, 1]
        """
        return self._to(self.element_spec, made.taken, integer(count, "Dataset.take", "count"))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements behind the first `count`; none where it is -1.

        >>> [int(x) for x in rt.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return self._to(self.element_spec, made.skipped, integer(count, "Dataset.skip", "count"))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Each `num_shards`-th element, from that with the number `index` on.

        Raises InvalidArgumentError unless 0 <= index < num_shards.

        >>> [int(x) for x in rt.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        what = "Dataset.shard"
        inputs = integer(num_shards, what, "num_shards"), integer(index, what, "index")
        return self._to(self.element_spec, made.sharded, *inputs)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element once; TypeError unless it is one tensor of int32, int64 or string.

        >>> [int(x) for x in rt.data.Dataset.from_tensor_slices([1, 5, 1, 2, 5]).unique()]
        [1, 5, 2]
        """
        leaves = self._layout.leaves
        kinds = (dtypes.int32, dtypes.int64, dtypes.string)
        if len(leaves) != 1 or getattr(leaves[0], "dtype", None) not in kinds:
            raise TypeError(
                "Dataset.unique: elements must be one tensor of int32, int64 or string, not "
                f"{self.element_spec}"
            )
        return self._to(self.element_spec, made.unique)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be computed: errors are left out, without a word.

        `log_warning` warns of each.

        >>> data = rt.data.Dataset.range(3).map(lambda x: 6 // x)
        >>> [int(x) for x in data.ignore_errors()]
        [6, 3]
        """
        build = partial(made.without_failures, warns=bool(log_warning))
        return self._to(self.element_spec, build)

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order: a random one of the next `buffer_size` each time. For one
        seed it is always the same order, and TensorFlow's.

        Args:
            reshuffle_each_iteration: whether each iteration has another order.

        >>> first, second = (rt.data.Dataset.range(9).shuffle(4, seed=1) for _ in range(2))
        >>> list(first.as_numpy_iterator()) == list(second.as_numpy_iterator())
        True
        """
        what = "Dataset.shuffle"
        own = arguments.seed(seed, what)
        build = partial(made.shuffled, seed=own, anew=reshuffle_each_iteration is not False)
        return self._to(self.element_spec, build, integer(buffer_size, what, "buffer_size"))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The elements, of which a thread computes `buffer_size` before they are asked for; None is
        AUTOTUNE.

        >>> [int(x) for x in rt.data.Dataset.range(3).prefetch(rt.data.AUTOTUNE)]
        [0, 1, 2]
        """
        what = "Dataset.prefetch"
        size = integer(AUTOTUNE if buffer_size is None else buffer_size, what, "buffer_size")
        return self._to(self.element_spec, made.prefetched, size)

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The elements, which are computed once: kept in memory, or in a file.

        They are kept when an iteration came to their end. Reading a file raises DataLossError for a
        damaged one, InvalidArgumentError for one that another dataset has written.

        >>> data = rt.data.Dataset.range(100).shuffle(100, seed=1).cache()
        >>> list(data.as_numpy_iterator()) == list(data.as_numpy_iterator())
        True
        """
        arguments.check_tensors(self._layout, "Dataset.cache")
        build = partial(storing.cached, path=storing.path_of(filename), types=self._layout.types)
        return self._to(self.element_spec, build)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """The dataset that a function makes of this one.

        >>> [int(x) for x in rt.data.Dataset.range(4).apply(lambda data: data.take(2))]
        [0, 1]
        """
        found = transformation_func(self)
        arguments.check_dataset(found, "Dataset.apply: the result")
        return found


def _check_calls(calls: int | None, cycle: int | None, what: str) -> None:
    if calls is None or calls == AUTOTUNE:
        return
    if calls <= 0:
        raise invalid(what, f"num_parallel_calls must be greater than zero, got {calls}")
    if cycle is not None and calls > cycle:
        raise invalid(
            what,
            f"num_parallel_calls must be AUTOTUNE or at most cycle_length, {cycle}, got {calls}",
        )


def _predicate(what: str, function: Any, spec: Any) -> Traced:
    found = traced(what, function, *parts_of(spec))
    result = found.layout.spec
    is_test = isinstance(result, TensorSpec) and result.dtype is dtypes.bool
    if not is_test or not result.shape.is_compatible_with([]):
        raise ValueError(f"{what}: predicate must return a scalar bool, not {result}")
    return found


def _of_datasets(what: str, function: Any, spec: Any) -> tuple[Traced, Any]:
    found = traced(what, function, *parts_of(spec))
    result = found.layout.spec
    if not isinstance(result, DatasetSpec):
        raise TypeError(f"{what}: map_func must return a Dataset, not {result}")
    return found, result.element_spec


def _carrying(what: str, function: Any, state: Any, element: Any, extra: int) -> tuple[Traced, Any]:
    """A function of a state and an element, and the spec of all its states: shapes that change are
    unknown.
    """
    while True:
        found = traced(what, function, state, element)
        result = found.layout.spec
        if extra:
            if type(result) is not tuple or len(result) != 2:
                raise TypeError(f"{what}: the function must return (state, output), not {result}")
            result = result[0]
        wider = arguments.common_spec([state, result], what, "the state and the next one")
        if Layout(wider) == Layout(state):
            return found, state
        state = nest.map_structure(lambda leaf: leaf, wider)
