"""`random.Generator`: a source of random numbers whose state is a variable."""

from __future__ import annotations

import enum
import math
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, structural
from runtime.core.settings import changes_settings
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.ops.define import dims_of
from runtime.ops.random.sampling import FLOATS, INTS, accepted, affine
from runtime.ops.random.stateless import (
    UNSIGNED,
    binomial_from,
    from_seed,
    stateless_bits_p,
    stateless_normal_p,
    stateless_truncated_p,
    uniform_from,
)
from runtime.variables.handle import VariableHandle
from runtime.variables.variable import Variable


class Algorithm(enum.Enum):
    """Ways to make random numbers; only Philox draws them, ThreeFry has a state.

    >>> rt.random.Generator.from_seed(1, alg=rt.random.Algorithm.PHILOX).algorithm
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


# How many integers a state has; the last one is the key, those before it count.
_STATE_SIZES = {Algorithm.PHILOX: 3, Algorithm.THREEFRY: 2, Algorithm.AUTO_SELECT: 3}
# The part of the sequence that is set aside for one number.
_PER_NUMBER = 256


def _algorithm(alg: Any) -> Algorithm:
    if isinstance(alg, Tensor | np.generic):
        alg = int(alg)
    for each in Algorithm:
        if alg in (each, each.value, each.name.lower()):
            return each
    raise ValueError(f'the algorithm must be "philox", "threefry" or "auto_select", got {alg!r}')


def _words(number: int) -> list[int]:
    """The low and the high 64 bits, as signed integers."""
    return [_signed(number), _signed(number >> 64)]


def _signed(number: int) -> int:
    low = number % (1 << 64)
    return low - (1 << 64) if low >> 63 else low


def _skip_kernel(delta: Any, *, variable: VariableHandle) -> Any:
    with variable.lock:
        before = variable.raw_value()
        low, high, key = (int(n) % (1 << 64) for n in before)
        variable.raw = np.array([*_words(low + (high << 64) + int(delta)), _signed(key)], np.int64)
    return before


def _skip_type(delta: TensorType, *, variable: VariableHandle) -> TensorType:
    if delta.dtype is not dtypes.int64:
        raise TypeError(f"RngReadAndSkip: delta must be int64, not {delta.dtype.name}")
    return TensorType(dtypes.int64, (_STATE_SIZES[Algorithm.PHILOX],))


skip_p = structural(
    "rng_read_and_skip", _skip_kernel, _skip_type, op_type="RngReadAndSkip", effect=True
)


def create_rng_state(seed: Any, alg: Any = "philox") -> Tensor:
    """The state of a Generator for a seed.

    The seed is a Python integer, or an array: of its integers as many count as the state has (three
    for Philox, two for ThreeFry); fewer are its last ones, behind zeros.

    >>> rt.random.create_rng_state(1).numpy().tolist()
    [1, 0, 0]
    """
    size = _STATE_SIZES[_algorithm(alg)]
    given = np.atleast_1d(np.asarray(seed, object)).tolist()
    if not all(hasattr(n, "__index__") for n in given):
        raise ValueError(f"a seed is an integer or a vector of integers, got {seed!r}")
    words = [int(n.__index__()) for n in given]
    if isinstance(seed, int):
        words = _words(seed)
        words += [-1 if seed < 0 else 0] * (size - len(words))
    else:
        words = [0] * (size - len(words)) + [_signed(n) for n in words[:size]]
    return convert_to_tensor(np.array(words, np.int64))


class Generator:
    """A source of random numbers with a state of its own, which each draw moves on.

    The state is a variable (integers that count, and one that is the key), so that a generator can
    be used in a graph and saved. A variable that is given as `state` is used itself, and moves on.
    Make one by `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.

    >>> generator = rt.random.Generator.from_seed(1)
    >>> generator.normal([2]).shape
    TensorShape([2])
    """

    def __init__(
        self, copy_from: Generator | None = None, state: Any = None, alg: Any = None
    ) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("give either a generator to copy, or a state and an algorithm")
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        if state is None or alg is None:
            raise ValueError("a generator needs a state and an algorithm: use Generator.from_seed")
        self._algorithm = _algorithm(alg)
        if isinstance(state, Variable):
            self._state_var = _as_state(state, _STATE_SIZES[self._algorithm])
        else:
            self._state_var = Variable(self._checked(state), trainable=False, name="StateVar")

    @classmethod
    def from_state(cls, state: Any, alg: Any = "philox") -> Generator:
        """The generator with this state: three integers for Philox, two for ThreeFry.

        >>> state = rt.random.Generator.from_seed(1).state
        >>> rt.random.Generator.from_state(state, alg="philox").normal([2]).shape
        TensorShape([2])
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = "philox") -> Generator:
        """The generator for a seed: equal seeds give equal numbers.

        >>> a, b = (rt.random.Generator.from_seed(1).normal([]) for _ in range(2))
        >>> bool(a == b)
        True
        """
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = "philox") -> Generator:
        """A generator that gives other numbers in each run.

        >>> rt.random.Generator.from_non_deterministic_state().normal([2]).shape
        TensorShape([2])
        """
        size = _STATE_SIZES[_algorithm(alg)]
        return cls(state=np.frombuffer(os.urandom(8 * size), np.int64).copy(), alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any = "philox") -> Generator:
        """The generator with this key and counter (for Philox two integers, the low one first).

        >>> generator = rt.random.Generator.from_key_counter(5, [1, 2])
        >>> generator.state.numpy().tolist()
        [1, 2, 5]
        """
        return cls(state=_of_key(key, counter), alg=alg)

    def __deepcopy__(self, memo: Any) -> Generator:
        return type(self)(state=self._state_var.numpy(), alg=self._algorithm)

    @property
    def state(self) -> Variable:
        """The variable with the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """1 for Philox, 2 for ThreeFry, 3 where the choice was left open (and Philox is taken)."""
        return self._algorithm.value

    @property
    def key(self) -> Tensor:
        """The key, a scalar."""
        return self._state_var[-1]

    def reset(self, state: Any) -> None:
        """Go to another state.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> before = generator.state.numpy()
        >>> a = generator.normal([])
        >>> generator.reset(before)
        >>> bool(generator.normal([]) == a)
        True
        """
        self._state_var.assign(self._checked(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Go to the state for a seed.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> a = generator.normal([])
        >>> generator.reset_from_seed(1)
        >>> bool(generator.normal([]) == a)
        True
        """
        self._state_var.assign(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Go to the state with this key and counter.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> generator.reset_from_key_counter(5, [1, 2])
        >>> generator.state.numpy().tolist()
        [1, 2, 5]
        """
        self._state_var.assign(self._checked(_of_key(key, counter)))

    def _checked(self, state: Any) -> Any:
        return _checked_state(state, _STATE_SIZES[self._algorithm])

    def skip(self, delta: Any) -> Tensor:
        """Move on as if `delta` numbers were drawn; the state before.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> a = generator.skip(10)
        >>> generator.normal([2]).shape
        TensorShape([2])
        """
        return self._moved(ops.cast(delta, dtypes.int64) * _PER_NUMBER)

    def _moved(self, delta: Tensor) -> Tensor:
        if self._algorithm is Algorithm.THREEFRY:
            raise errors.UnimplementedError(
                None,
                "RngReadAndSkip",
                "no numbers are drawn by ThreeFry on a CPU",
                hint="use philox",
            )
        return bind(skip_p, delta, variable=self._state_var.handle)  # type: ignore[no-any-return]

    def _take(self, shape: Any) -> Tensor:
        """The state before, to draw numbers of this shape from; the generator moves on by as
        many.
        """
        static, dynamic = dims_of(shape)
        if static is not None and not dynamic:
            count = math.prod(static)  # type: ignore[arg-type]
            return self._moved(convert_to_tensor(np.int64(max(count, 0) * _PER_NUMBER)))
        sizes = convert_to_tensor(shape)
        return self._moved(ops.reduce_prod(ops.cast(sizes, dtypes.int64)) * _PER_NUMBER)

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Normal numbers; see `random.normal`.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> generator.normal([2, 3], mean=1.0).shape
        TensorShape([2, 3])
        """
        wanted = accepted(dtype, FLOATS)
        made = from_seed(stateless_normal_p, self._take(shape), (), shape, wanted)
        return affine(made, stddev, mean)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Normal numbers within two standard deviations of the mean.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> bool(rt.reduce_all(rt.abs(generator.truncated_normal([100])) <= 2.0))
        True
        """
        wanted = accepted(dtype, FLOATS)
        made = from_seed(stateless_truncated_p, self._take(shape), (), shape, wanted)
        return affine(made, stddev, mean)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Uniform numbers; see `random.uniform`.

        For integers with both bounds None, numbers from the whole range of `dtype` (which uint32
        and uint64 need).

        >>> generator = rt.random.Generator.from_seed(1)
        >>> x = generator.uniform([100], minval=0, maxval=6, dtype=rt.int32)
        >>> bool(rt.reduce_all((x >= 0) & (x < 6)))
        True
        """
        wanted = accepted(dtype, FLOATS + INTS + UNSIGNED)
        if wanted in UNSIGNED and not (minval is None and maxval is None):
            raise ValueError(f"minval and maxval must be None for dtype {wanted.name}")
        return uniform_from(self._take(shape), shape, minval, maxval, wanted)

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers from the whole range of `dtype`: int32, int64, uint32 or uint64.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> generator.uniform_full_int([2], dtype=rt.int32).dtype
        tf.int32
        """
        return self._bits(shape, accepted(dtype, INTS + UNSIGNED))

    def _bits(self, shape: Any, dtype: DType) -> Tensor:
        return from_seed(stateless_bits_p, self._take(shape), (), shape, dtype)  # type: ignore[no-any-return]

    def binomial(
        self,
        shape: Any,
        counts: Any,
        probs: Any,
        dtype: Any = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Draws the number of successes in `counts` trials with chance `probs`; see
        `random.stateless_binomial`.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> generator.binomial([3], counts=[5.0], probs=[1.0]).numpy().tolist()
        [5, 5, 5]
        """
        wanted = accepted(dtype, FLOATS + INTS)
        return binomial_from(self._take(shape), shape, counts, probs, wanted)

    def make_seeds(self, count: Any = 1) -> Tensor:
        """`count` seeds for the stateless functions, one in each column of a matrix with two
        rows.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> generator.make_seeds(3).shape
        TensorShape([2, 3])
        """
        keys = self._bits([count], dtypes.int64)
        return ops.stack([keys, ops.zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """`count` generators that do not depend on each other nor on this one.

        >>> generator = rt.random.Generator.from_seed(1)
        >>> len(generator.split(3))
        3
        """
        keys = self._bits([count], dtypes.int64)
        zero = convert_to_tensor(np.int64(0))
        states = [ops.stack([zero, zero, keys[i]]) for i in range(count)]
        return [type(self)(state=state, alg=self._algorithm) for state in states]

    def _trackable_children(self) -> dict[str, Variable]:
        return {"_state_var": self._state_var}

    def __repr__(self) -> str:
        return f"<tf.random.Generator with state {self._state_var!r}>"


def _as_state(variable: Variable, size: int) -> Variable:
    if variable.dtype is not dtypes.int64:
        raise TypeError(f"a state must be int64, got the dtype {variable.dtype.name}")
    if not variable.shape.is_compatible_with([size]):
        raise ValueError(f"a state is made of {size} integers, got the shape {variable.shape}")
    return variable


def _checked_state(state: Any, size: int) -> Any:
    if isinstance(state, Variable | Tensor):
        made = ops.cast(convert_to_tensor(state), dtypes.int64)
        if not made.shape.is_compatible_with([size]):
            raise ValueError(f"a state is made of {size} integers, got the shape {made.shape}")
        return made
    words = list(state) if isinstance(state, Sequence | np.ndarray) else []
    if len(words) != size:
        raise ValueError(f"a state is made of {size} integers, got {state!r}")
    return np.array([_signed(int(n)) for n in words], np.int64)


def _of_key(key: Any, counter: Any) -> Any:
    if isinstance(key, Tensor) or isinstance(counter, Tensor):
        parts = ops.cast(counter, dtypes.int64), ops.reshape(ops.cast(key, dtypes.int64), (1,))
        return ops.concat(parts, 0)
    return [*counter, key]


class _Global:
    """The generator that the process shares, made when it is first asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.generator: Generator | None = None


_global = _Global()


def get_global_generator() -> Generator:
    """The generator that the process shares.

    Unless one was set, it gives other numbers in each run.

    >>> rt.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    with _global.lock:
        if _global.generator is None:
            _global.generator = Generator.from_non_deterministic_state()
        return _global.generator


@changes_settings
def set_global_generator(generator: Generator) -> None:
    """Make `generator` the one that the process shares. TypeError for anything but a Generator.

    >>> before, generator = rt.random.get_global_generator(), rt.random.Generator.from_seed(1)
    >>> rt.random.set_global_generator(generator)
    >>> rt.random.get_global_generator() is generator
    True
    >>> rt.random.set_global_generator(before)
    """
    if not isinstance(generator, Generator):
        raise TypeError(f"a Generator is needed, not {type(generator).__name__}")
    with _global.lock:
        _global.generator = generator
