"""Arguments of functions: what tells them apart, and what an `input_signature` makes of them."""

from __future__ import annotations

import functools
import gc
import inspect
import pathlib
import sys
import weakref
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

import autograph
import runtime as rt
from runtime.functions.function import function
from tests.support.staging import traces

X = rt.constant(3.0)


class Settings:
    def __init__(self, offset: float = 1.0) -> None:
        self.offset = offset

    def plus(self, x):
        return x + self.offset

    @function
    def staged_plus(self, x):
        return x + self.offset

    @function
    def __call__(self, x):
        return self.plus(x) if x > 0.0 else x


# Keys of arguments


class Marked:
    """Equal where `mark` is, which is not all that it has."""

    def __init__(self, mark: int, offset: float) -> None:
        self.mark, self.offset = mark, offset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Marked) and self.mark == other.mark

    def __hash__(self) -> int:
        return self.mark


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: [frozenset({1}), frozenset({1.0}), frozenset({True}), frozenset({1, 2})], 4),
        (lambda: [frozenset({(1, 0.0)}), frozenset({(1, -0.0)})], 2),
        (lambda: [slice(1), slice(1, None), slice(None, True), slice(1, 2, 3)], 4),
        (lambda: [Decimal("1"), Decimal("1.0"), Decimal("-0"), Decimal("0")], 4),
        (lambda: [Fraction(1, 2), Fraction(3, 2)], 2),
        (lambda: [pathlib.Path("a"), pathlib.Path("b")], 2),
    ],
    ids=["frozenset", "frozenset of tuples", "slice", "Decimal", "Fraction", "Path"],
)
def test_values_of_the_standard_library_are_told_apart_by_what_is_in_them(
    make: Callable[[], Any], count: int
) -> None:
    seen: list[Any] = []
    staged = function(lambda x, value: seen.append(value) or x)
    for _ in range(2):
        for value in make():
            staged(X, value)
    assert list(map(repr, seen)) == list(map(repr, make()))
    assert traces(staged) == count


def test_equal_objects_are_told_apart() -> None:
    """What `__eq__` compares need not be all that the function reads."""
    staged = function(lambda x, marked: x + marked.offset)
    first, second = Marked(1, 1.0), Marked(1, 2.0)
    assert [float(staged(X, marked)) for marked in (first, second, first)] == [4.0, 5.0, 4.0]
    assert traces(staged) == 2


@pytest.mark.parametrize("name", ["plus", "staged_plus"])
def test_bound_methods_are_known_again_and_keep_no_object_alive(name: str) -> None:
    staged = function(lambda x, method: method(x))
    scaled, other = Settings(1.0), Settings(5.0)
    for _ in range(2):
        assert float(staged(X, getattr(scaled, name))) == 4.0
        assert float(staged(X, getattr(other, name))) == 8.0
    assert traces(staged) == 2
    assert f"method Settings.{name}" in staged.why_retraced()
    concrete = staged.get_concrete_function(X, getattr(scaled, name))
    assert concrete(X, getattr(scaled, name)).numpy() == 4.0
    with pytest.raises(TypeError, match=r"argument 'method' is .*: this trace is for"):
        concrete(X, getattr(other, name))
    del concrete
    alive = weakref.ref(scaled)
    del scaled
    gc.collect()
    assert alive() is None


# Signatures


PAIR = [rt.TensorSpec([], rt.float32), rt.TensorSpec([], rt.float32)]


def test_defaults_of_an_input_signature() -> None:
    staged = function(lambda x, y=5.0: x - y, input_signature=PAIR)
    assert [float(staged(7.0)), float(staged(7.0, 1.0)), float(staged(y=1.0, x=2.0))] == [2, 6, 1]
    assert traces(staged) == 1


def test_parameters_without_an_entry_keep_their_defaults() -> None:
    staged = function(lambda x, y=5.0, **rest: x - y, input_signature=PAIR[:1])
    assert float(staged(7.0)) == 2.0
    for options in ({"y": 1.0}, {"z": 1.0}):
        with pytest.raises(TypeError, match=f"argument '{next(iter(options))}' has no entry"):
            staged(7.0, **options)


def test_a_refusal_names_the_first_argument() -> None:
    """Whatever the hashes of their names are."""
    surplus = function(lambda x, **rest: x, input_signature=PAIR[:1])
    with pytest.raises(TypeError, match="argument 'e' has no entry"):
        surplus(1.0, **dict.fromkeys("edcba", 1.0))
    missing = function(lambda x, *rest: x, input_signature=PAIR * 3)
    with pytest.raises(TypeError, match="missing argument 'x'"):
        missing()


def test_keyword_only_and_variable_parameters_in_an_input_signature() -> None:
    named = function(lambda x, *, y: x - y, input_signature=PAIR)
    assert float(named(3.0, y=1.0)) == 2.0
    assert named.get_concrete_function()(rt.constant(3.0), y=rt.constant(1.0)).numpy() == 2.0
    several = function(lambda *x: x[0] - x[1], input_signature=PAIR)
    assert float(several(3.0, 1.0)) == 2.0
    with pytest.raises(TypeError, match="missing argument 'x_1': expected TensorSpec"):
        several(3.0)


@pytest.mark.parametrize("count", [1, 3])
def test_an_input_signature_of_another_length(count: int) -> None:
    staged = function(lambda x, y: x - y, input_signature=PAIR[:1] * count)
    with pytest.raises(TypeError, match=r"no entry for argument 'y'|3 entries, for 2 parameters"):
        staged(*[1.0] * count)


def test_the_keys_of_a_dict_may_have_another_order_than_in_the_input_signature() -> None:
    spec = rt.TensorSpec([], rt.float32)
    staged = function(
        lambda d: d["a"] - d["b"]["d"], input_signature=[{"a": spec, "b": {"c": spec, "d": spec}}]
    )
    one, two, three = (rt.constant(value) for value in (1.0, 2.0, 3.0))
    for _ in range(12):
        assert float(staged({"a": three, "b": {"c": two, "d": one}})) == 2.0
        assert float(staged({"b": {"d": one, "c": two}, "a": three})) == 2.0
    concrete = staged.get_concrete_function()
    assert float(concrete({"b": {"d": one, "c": two}, "a": three})) == 2.0
    assert traces(staged) == 1


def test_names_of_variable_arguments_and_of_keywords_are_different() -> None:
    concrete = function(lambda *xs, scale: (xs[0] - xs[1]) * scale).get_concrete_function(
        *PAIR, scale=PAIR[0]
    )
    assert concrete(rt.constant(3.0), rt.constant(1.0), scale=rt.constant(5.0)).numpy() == 10.0


def test_staged_functions_are_arguments_that_are_not_kept_alive() -> None:
    staged = function(lambda x, other: other(x))
    other = function(lambda x: x * 2.0)
    assert [float(staged(X, other)) for _ in range(2)] == [6.0, 6.0]
    assert traces(staged) == 1
    alive = weakref.ref(other)
    del other
    gc.collect()
    assert alive() is None


def test_staged_methods_are_like_methods() -> None:
    one, other = Settings(), Settings()
    assert str(inspect.signature(one.staged_plus)) == "(x)"
    assert str(inspect.signature(Settings.staged_plus)) == "(self, x)"
    assert one.staged_plus == one.staged_plus != other.staged_plus
    assert len({one.staged_plus, one.staged_plus, other.staged_plus, Settings.staged_plus}) == 3


# Callables


def test_callables_that_are_called_as_they_are() -> None:
    @functools.singledispatch
    def general(x: Any) -> Any:
        return x

    general.register(int, lambda x: x + 1)
    assert int(function(general)(1)) == 2
    assert float(function(Settings())(X)) == 4.0


# Wrappers


def _giving_one(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(1, *args, **kwargs)

    return wrapper


def _adding(function):
    @functools.wraps(function)
    def wrapper(x, extra=5):
        return function(x) + extra

    return wrapper


def _of_another_default(function):
    @functools.wraps(function)
    def wrapper(x, n=7, *, k=3):
        return function(x, n) * k

    return wrapper


def _setting_a_default(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        kwargs.setdefault("n", 5)
        return function(*args, **kwargs)

    return wrapper


def _asking_for_a_name(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + 100 * ("n" in kwargs)

    return wrapper


def _of_a_signature(function):
    def wrapper(x, extra=5):
        return function(x) + extra

    wrapper.__signature__ = inspect.signature(function)
    return wrapper


class _Object:
    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, x, extra=6):
        return self.__wrapped__(x) + extra


class _OfASignature(_Object):
    def __init__(self, function):
        self.__wrapped__ = function
        self.__signature__ = inspect.signature(function)


class _Descriptor(_Object):
    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


class _Methods:
    @_setting_a_default
    def of_wrapper(self, x, n=1):
        return x * n if x > 0 else -x

    of_one = _giving_one(lambda one, self, x: x * one if x > 0 else -x)

    @functools.singledispatchmethod
    def dispatched(self, x):
        return x * 2 + 1


def _one(one, x):
    return x + one if x > 0 else -x


def _scaled(x, n=100):
    return x * n if x > 0 else -x


WRAPPERS = {
    "gives an argument": (_giving_one(_one), [((3,), {}), ((-3,), {}), ((), {"x": 3})]),
    "adds a parameter": (_adding(_scaled), [((3,), {}), ((3, 7), {}), ((3,), {"extra": 8})]),
    "has other defaults": (_of_another_default(_scaled), [((3,), {}), ((3,), {"n": 2, "k": 1})]),
    "sets a default": (_setting_a_default(_scaled), [((3,), {}), ((), {"x": 3, "n": 2})]),
    "asks for a name": (_asking_for_a_name(_scaled), [((3,), {}), ((3, 2), {}), ((3,), {"n": 2})]),
    "has a signature": (_of_a_signature(_scaled), [((3,), {}), ((3, 7), {}), ((3,), {"extra": 8})]),
    "two": (_adding(_setting_a_default(_scaled)), [((3,), {}), ((3, 7), {})]),
    "an object": (_Object(_scaled), [((3,), {}), ((3, 7), {}), ((3,), {"extra": 8})]),
    "an object of a signature": (_OfASignature(_scaled), [((3,), {}), ((3,), {"extra": 8})]),
    "a descriptor": (_Descriptor(_scaled), [((3,), {}), ((3, 7), {}), ((3,), {"extra": 8})]),
    "a partial": (functools.partial(_adding(_scaled), extra=9), [((3,), {}), ((3,), {"extra": 8})]),
    "a partial of a signature": (
        functools.partial(_of_a_signature(_scaled), extra=9),
        [((3,), {}), ((3,), {"extra": 8})],
    ),
    "a cache": (functools.lru_cache(_adding(_scaled)), [((3,), {}), ((3, 7), {})]),
    "a method": (_Methods().of_wrapper, [((3,), {}), ((3,), {"n": 2})]),
    "a method that is given one": (_Methods().of_one, [((3,), {}), ((-3,), {})]),
    "a dispatching method": (_Methods().dispatched, [((3,), {}), ((-3,), {})]),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_takes_what_it_takes_in_python(name: str) -> None:
    wrapper, calls = WRAPPERS[name]
    staged = rt.function(wrapper)

    class Holder:
        method = rt.function(_giving_self(wrapper))

    for args, kwargs in calls:
        given = list(map(rt.constant, args)), {key: rt.constant(kwargs[key]) for key in kwargs}
        for made in (staged, Holder().method):
            assert int(made(*given[0], **given[1])) == wrapper(*args, **kwargs)


def _giving_self(function):
    @functools.wraps(function)
    def method(self, *args, **kwargs):
        return function(*args, **kwargs)

    return method


def test_changed_defaults_of_a_wrapper() -> None:
    wrapper = _adding(lambda x: x)
    staged = rt.function(wrapper)
    assert float(staged(X)) == 8.0
    wrapper.__defaults__ = (6,)
    assert float(staged(X)) == 9.0


@pytest.mark.parametrize(
    "wrapper", [rt.function, functools.lru_cache, rt.recompute_grad, rt.grad_pass_through]
)
def test_wrappers_that_pass_on_what_they_are_given_have_the_parameters_of_the_function(
    wrapper: Any,
) -> None:
    staged = rt.function(wrapper(lambda x, n=2: x * n))
    assert float(staged(X)) == float(staged(n=2, x=X)) == 6.0
    assert traces(staged) == 1


def test_a_static_method_below_the_decorator() -> None:
    class Held:
        @function
        @staticmethod
        def double(x):
            return x * 2.0

    assert [float(Held.double(X)), float(Held().double(X))] == [6.0, 6.0]


def scaled(k, x):
    return k * x


class Adding:
    def __call__(self, x):
        return x + 1.0

    def method(self, x):
        return x + 2.0


UNBOUND = {
    "builtin": (abs, 3.0), "callable object": (Adding(), 4.0),
    "bound method": (Adding().method, 5.0),
}  # fmt: skip
if sys.version_info < (3, 13):  # which warns of it
    UNBOUND["partial"] = functools.partial(scaled, 3.0), 9.0


@pytest.mark.parametrize("kind", UNBOUND)
def test_what_python_does_not_bind_is_no_method_of_a_class(kind: str) -> None:
    plain, expected = UNBOUND[kind]
    staged = function(plain)
    held = type("Held", (), {"plain": plain, "staged": staged})()
    assert held.staged is staged
    for each in (held.plain, held.staged, type(held).staged):
        assert float(each(X)) == expected


# Traces for unknown dimensions


def test_a_trace_for_unknown_dimensions_serves_the_shapes_that_it_covers() -> None:
    staged = function(lambda x, k=2.0: rt.reduce_sum(x) * k)
    staged(rt.ones([3]))
    for spec in (rt.TensorSpec([None]), rt.TensorSpec([None, 2])):
        concrete = staged.get_concrete_function(spec)
        assert staged.get_concrete_function(rt.TensorSpec([4, 2][: spec.shape.rank])) is concrete
    for shape in ([4], [5], [3], [4, 2], [1, 2]):
        for _ in range(12):
            assert float(staged(rt.ones(shape))) == 2.0 * rt.ones(shape).numpy().size
    assert traces(staged) == 3
    staged(rt.ones([4]), 3.0)
    staged(rt.ones([4, 3]))
    assert traces(staged) == 5


def test_a_trace_for_unknown_dimensions_whose_guard_does_not_hold() -> None:
    settings = Settings(1.0)
    staged = function(lambda x: x + settings.offset)
    staged.get_concrete_function(rt.TensorSpec([None]))
    assert staged(X[None]).numpy().tolist() == [4.0]
    settings.offset = 2.0
    assert staged(X[None]).numpy().tolist() == [5.0]
    assert traces(staged) == 2


# Names


def test_names_of_tensors() -> None:
    """As in TensorFlow: the parameter's and the way into it, or that of the TensorSpec."""
    spec, named = rt.TensorSpec([]), rt.TensorSpec([], name="mine")
    staged = function(lambda a, b, **rest: a["k"][0] + b)
    concrete = staged.get_concrete_function({"k": (spec, named)}, 1, c=spec)
    assert [tensor.name for tensor in concrete.inputs] == ["a_k_0:0", "mine:0", "c:0"]
    assert repr(concrete.structured_input_signature) == (
        "(({'k': (TensorSpec(shape=(), dtype=tf.float32, name='a_k_0'), "
        "TensorSpec(shape=(), dtype=tf.float32, name='mine'))}, 1), "
        "{'c': TensorSpec(shape=(), dtype=tf.float32, name='c')})"
    )
    signed = function(lambda x: x, input_signature=[named])
    signed(1.0)
    assert signed.get_concrete_function().inputs[0].name == "mine:0"


# Containers


class Field(NamedTuple):
    name: str


class Attrs:
    """What attrs makes of a class with a field `x` and a private one `_n`."""

    __attrs_attrs__ = (Field("x"), Field("_n"))

    def __init__(self, x: Any, n: int) -> None:
        self.x, self._n = x, n


def test_classes_of_attrs_are_carried_by_their_fields() -> None:
    def scaled(pair):
        if pair.x > 0.0:
            pair = Attrs(pair.x * pair._n, pair._n)
        return pair

    staged = function(scaled)
    for value in (3.0, -3.0):
        found, expected = staged(Attrs(rt.constant(value), 2)), scaled(Attrs(value, 2))
        assert type(found) is Attrs
        assert (float(found.x), int(found._n)) == (expected.x, expected._n)
    assert traces(staged) == 1
    assert repr(staged.get_concrete_function(Attrs(X, 2))) == (
        "<ConcreteFunction scaled(pair=Attrs(x=float32[], _n=2))>"
    )


def test_a_concrete_function_takes_the_names_of_specs() -> None:
    @function
    def scaled(x: Any, factor: Any) -> Any:
        return x * factor

    concrete = scaled.get_concrete_function(
        rt.TensorSpec([2], name="signal"), rt.TensorSpec([], name="gain")
    )
    x, gain = rt.constant([1.0, 2.0]), rt.constant(3.0)
    for made in (concrete(signal=x, gain=gain), concrete(x, gain=gain), concrete(x=x, factor=gain)):
        assert made.numpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="unexpected argument 'volume'"):
        concrete(x, volume=gain)


def test_tensors_of_structures_may_be_given_flat() -> None:
    spec = rt.TensorSpec([2])

    @rt.function
    def weighed(x: Any, pair: Any, *, options: Any) -> Any:
        return x["a"] + 10.0 * pair[0] + 100.0 * pair[1] + 1000.0 * options["k"]

    named = {"a": rt.TensorSpec([2], name="first")}
    concrete = weighed.get_concrete_function(named, [spec, spec], options={"k": spec})
    parts = [rt.constant([float(n), 0.0]) for n in range(1, 5)]
    wanted = [4321.0, 0.0]
    a, b, c, d = parts
    names = [tensor.name.partition(":")[0] for tensor in concrete.inputs]
    assert names == ["first", "pair_0", "pair_1", "options_k"]
    calls = [
        concrete({"a": a}, [b, c], options={"k": d}),
        concrete(a, b, c, d),
        concrete(a, b, options_k=d, pair_1=c),
        concrete(**dict(zip(names, parts, strict=True))),
        concrete(*[part.numpy() for part in parts]),
    ]
    assert [made.numpy().tolist() for made in calls] == [wanted] * 5
    one = rt.function(lambda x: x["a"] * 2.0).get_concrete_function(named)
    assert one(a).numpy().tolist() == one(first=a).numpy().tolist() == [2, 0]


@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: f(x, x),
        lambda f, x: f(x, x, x, x),
        lambda f, x: f(x, x, pair_0=x),
        lambda f, x: f(x, [x], x),
        lambda f, x: f(x, x, x[:1]),
        lambda f, x: f(x, x, rt.cast(x, rt.int32)),
    ],
)
def test_flat_tensors_that_do_not_fit_are_refused(call: Any) -> None:
    spec = rt.TensorSpec([2])
    concrete = rt.function(lambda x, pair: x + pair[0] + pair[1]).get_concrete_function(
        spec, [spec, spec]
    )
    with pytest.raises(TypeError):
        call(concrete, rt.constant([1.0, 2.0]))


# Results that are one tensor, or share its memory


def pair(x):
    y = x + 1
    return y, y


def nested(x):
    y = x * 2
    return [y, {"again": y, "other": x * 2}]


def argument_twice(x):
    return x, x


def row(x):
    y = x + 1
    return y, y[0]


def paired(call):
    def function(x):
        a, b = call(pair)(x)
        a[0] = 9
        return a, b, a is b

    return function


def in_structures(call):
    def function(x):
        first, rest = call(nested)(x)
        rest["again"][0] = 7
        return first, rest, rest["again"] is first

    return function


def of_an_argument(call):
    def function(x):
        a, b = call(argument_twice)(x + 0)
        b[1] = 5
        return a, b, a is b

    return function


def by_way_of_another(call):
    def between(x):
        a, b = call(pair)(x)
        return b, a, a + 1

    def function(x):
        a, b, c = call(between)(x)
        c[0] = 1
        b[0] = 4
        return a, b, c

    return function


@pytest.mark.parametrize("made", [paired, in_structures, of_an_argument, by_way_of_another])
@pytest.mark.parametrize("outer", [autograph.convert, rt.function], ids=["eager", "staged"])
def test_results_that_are_one_tensor(made: Any, outer: Any) -> None:
    expected = autograph.convert(made(lambda function: function))(rt.constant([1, 2]))
    got = outer(made(rt.function))(rt.constant([1, 2]))
    assert str(rt.nest.map_structure(as_python, got)) == str(
        rt.nest.map_structure(as_python, expected)
    )


def as_python(value: Any) -> Any:
    return value.numpy().tolist() if isinstance(value, rt.Tensor) else value


def test_a_result_that_shares_rows_with_another_is_not_written() -> None:
    inner = rt.function(row)

    def function(m):
        whole, first = inner(m)
        first[0] = 9
        return whole

    with pytest.raises(autograph.StagingError, match="may be the same tensor, or share its rows"):
        rt.function(function)(rt.constant([[1, 2], [3, 4]]))
