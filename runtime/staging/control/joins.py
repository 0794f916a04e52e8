"""Joins: what a variable is where two paths meet, in one place, for branches and loops alike.

Each path leaves a Python value. `abstract` describes one by a `Spec` (`specs.py`); `join` finds the
Spec that covers two, or refuses. `graph_values.py` makes the graph's values of what it covers.

A tensor from before the paths parted that one path leaves unbound, or None, is that very tensor
where it is there: an item assignment by one of its names is seen by the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from autograph.undefined import name_of
from autograph.users_words import with_article
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.shapes import join_shapes
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType, ObjectHandle, TensorType, Type, in_words, variable_of
from runtime.graph.lists import Elements
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.structures import Structure
from runtime.ops.indexed_slices import IndexedSlices
from runtime.staging.aliasing.sharing import home
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.control import choices
from runtime.staging.control.carried_objects import is_mutable
from runtime.staging.control.joined_types import join_types
from runtime.staging.control.joined_variables import Handles, may_be, type_of
from runtime.staging.control.optional_values import MaybeNone, MaybeUndefined, Missing, is_undefined
from runtime.staging.control.parts import join_structure_of
from runtime.staging.control.references import is_reference, is_reference_class, want
from runtime.staging.control.specs import (
    Leaf,
    Maybe,
    Mismatch,
    Optional,
    Same,
    Spec,
    Tree,
    Union,
    classes_in,
    parts,
    with_parts,
)
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth
from runtime.staging.lists.growing import Growing
from runtime.staging.scopes import InScope, Scope, active
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor


class _Blank:
    """Stands for the value of a path that has failed before it had one: nobody reads it."""

    def __repr__(self) -> str:
        return "<no value>"


BLANK = _Blank()

# Describing one value


def abstract(value: Any, staged: bool = False) -> Spec:
    """The Spec of a Python value. With `staged`, numbers in it become values of the graph."""
    kind = type(value)
    if issubclass(kind, InScope):
        return Leaf(value.graph_value.type, may_be(value), kind is SymbolicArray)
    if kind in NUMBER_TYPES:
        return Leaf(NUMBER_TYPES[kind]) if staged else Same(value)
    if isinstance(value, Tensor):
        return Leaf(TensorType(value.dtype, value.static_shape))
    if isinstance(value, MaybeUndefined):
        return Maybe(abstract(value.held, staged), value.name)
    if isinstance(value, MaybeNone):
        return Optional(abstract(value.held, staged))
    if isinstance(value, np.ndarray | np.generic):
        return _abstract_array(value)
    if kind is Elements or kind is ObjectHandle:
        return Leaf(value.type)
    if kind is Truth:
        return abstract(value.opened(), staged)
    if kind is TaggedUnion:
        return Union(tuple([abstract(each, staged) for each in value.options]), value.mismatch)
    found = join_structure_of(value)
    if found is None:
        return Same(value)
    structure, children = found
    return Tree(structure, tuple([abstract(child, staged) for child in children]))


def _abstract_array(value: Any) -> Spec:
    """The Spec of an array or scalar of NumPy's: itself, if it holds objects or dates."""
    if value.dtype.kind in "mMV" or any(not isinstance(x, str | bytes) for x in _objects(value)):
        active().references.copies(value)
        return Same(value)
    return Leaf(convert_to_tensor(value).type, is_array=True)


def _objects(array: Any) -> Iterable[Any]:
    return array.flat if array.dtype.kind == "O" else ()


def abstract_entry(value: Any) -> Spec:
    """The Spec of what a loop starts with: a mutable container is itself, until a round makes
    another one.
    """
    if is_mutable(value):
        return Same(value)
    if isinstance(value, Missing):
        return _with_absence(value, _older(value.held, staged=True))
    found = join_structure_of(value)
    if found is None:
        return abstract(value, staged=True)
    return Tree(found[0], tuple([abstract_entry(child) for child in found[1]]))


def abstract_next(value: Any, spec: Spec) -> Spec:
    """The Spec of what a round leaves, where the round began with `spec`."""
    if value is BLANK or (isinstance(spec, Same) and value is spec.value):
        return spec
    if isinstance(spec, Optional | Maybe) and not isinstance(value, Missing):
        return abstract_next(value, spec.inner)
    if isinstance(value, Missing):
        return _with_absence(value, _older(value.held, staged=True))
    found = join_structure_of(value)
    if found is None or not isinstance(spec, Tree) or found[0] != spec.structure:
        return abstract(value, staged=True)
    pairs = zip(found[1], spec.children, strict=True)
    return Tree(found[0], tuple([abstract_next(child, inner) for child, inner in pairs]))


def _of_no_block(value: Any) -> bool:
    return False


def _older(
    value: Any, staged: bool = False, is_older: Callable[[Any], bool] = _of_no_block
) -> Spec:
    """The Spec of what may be missing behind blocks: tensors and objects from before them stay what
    they are, as `is_older` tells, and objects from before the call. Those of tuples do, too.
    """
    if isinstance(value, SymbolicTensor) and value.static_shape != () and home(value).open:
        return Same(value)
    if is_mutable(value) and (active().existed(value) or (is_older(value) and _is_itself(value))):
        return Same(value)
    if type(value) is not tuple:
        return abstract(value, staged)
    structure, children = cast(Any, join_structure_of(value))
    return Tree(structure, tuple([_older(child, staged, is_older) for child in children]))


def _is_itself(value: Any) -> bool:
    """Whether it is one object, and not what is at a place that only the run knows."""
    return not is_reference(value) and not (isinstance(value, Growing) and value.is_at_place)


def _with_absence(value: Missing, inner: Spec) -> Spec:
    return Maybe(inner, value.name) if isinstance(value, MaybeUndefined) else Optional(inner)


def _is_blank(spec: Spec) -> bool:
    return isinstance(spec, Same) and spec.value is BLANK


def _is_absent(value: Any) -> bool:
    return value is None or is_undefined(value)


def abstract_pair(
    a: Any, b: Any, is_older: Callable[[Any], bool] = _of_no_block
) -> tuple[Spec, Spec]:
    """The Specs of the values that two branches leave; what is the same object on both stays as it
    is, and so does, beside nothing, what is older than they are, also in tuples.
    """
    if a is b:
        return Same(a), Same(a)
    if _is_absent(a):
        found = _older(b.held if isinstance(b, Missing) else b, is_older=is_older)
        return Same(a), _with_absence(b, found) if isinstance(b, Missing) else found
    if _is_absent(b):
        return abstract_pair(b, a, is_older)[::-1]
    if isinstance(a, Missing):
        inner, other = abstract_pair(a.held, b.held if type(b) is type(a) else b, is_older)
        return _with_absence(a, inner), _with_absence(b, other) if type(b) is type(a) else other
    if isinstance(b, Missing):
        return abstract_pair(b, a, is_older)[::-1]
    first, second = join_structure_of(a), join_structure_of(b)
    if first is None or second is None or first[0] != second[0]:
        return abstract(a), abstract(b)
    if first[0].kind is not tuple:
        is_older = _of_no_block  # a copy of an object has copies in it
    pairs = [abstract_pair(x, y, is_older) for x, y in zip(first[1], second[1], strict=True)]
    return Tree(first[0], tuple([p for p, _ in pairs])), Tree(
        second[0], tuple([q for _, q in pairs])
    )


def abstract_from(value: Any, made_in: Scope, is_older: Callable[[Any], bool]) -> Spec:
    """The Spec of the value that the only branch to reach its end leaves; what is older than it
    stays as it is.
    """
    kind = type(value)
    if issubclass(kind, InScope):
        return (
            Leaf(value.graph_value.type, may_be(value), kind is SymbolicArray)
            if home(value) is made_in
            else Same(value)
        )
    if kind is Truth or kind is TaggedUnion:
        return abstract(value)
    if isinstance(value, Missing):
        return _with_absence(value, abstract_from(value.held, made_in, is_older))
    found = join_structure_of(value)
    if found is None or is_older(value):
        return Same(value)
    structure, children = found
    return Tree(structure, tuple([abstract_from(child, made_in, is_older) for child in children]))


# Joining two


def join(a: Spec, b: Spec, unites: bool = False) -> Spec:
    """The Spec that covers both. With `unites`, what is in them may be of several kinds, and tuples
    of several lengths.

    Raises Mismatch, whose `path` says where in the variable.
    """
    if a == b or _is_blank(b):
        return a
    if _is_blank(a):
        return b
    if isinstance(a, Maybe) or isinstance(b, Maybe) or _is_unbound(a) or _is_unbound(b):
        return _join_maybe(a, b, unites)
    if isinstance(a, Optional) or isinstance(b, Optional) or _is_none(a) or _is_none(b):
        return _join_optional(a, b, unites)
    if isinstance(a, Union) or isinstance(b, Union):
        return united(a, b, a.mismatch if isinstance(a, Union) else cast(Union, b).mismatch)
    a, b = _opened(a), _opened(b)
    choice = _choice(a, b)
    if choice is not None:
        return choice
    alike = isinstance(a, Tree) and isinstance(b, Tree) and a.structure == b.structure
    if not alike and _is_text(a) and _is_text(b):
        return _any_text()
    if isinstance(a, Tree) and isinstance(b, Tree):
        try:
            return _join_trees(a, b, unites)
        except Mismatch:
            if _is_text(a) and _is_text(b):
                return _any_text()
            raise
    left, right = _leaf(a), _leaf(b)
    if left is None or right is None:
        raise _differ(a, b)
    are_arrays = _is_array(a, b) and _is_array(b, a)
    try:
        joined = join_types(left, right)
    except Mismatch as mismatch:
        if are_arrays and mismatch.dtypes_differ:
            mismatch.hint = _of_one_dtype(left, right)
        raise
    return Leaf(joined, _variables(a) | _variables(b), are_arrays)


def _of_one_dtype(*types: Type) -> str:
    dtypes = [type.dtype.np_dtype for type in types if isinstance(type, TensorType)]
    wide = np.result_type(*dtypes).name if dtypes else "float64"
    return f"give it one dtype from the beginning, or convert it: x.astype(np.{wide})"


MOST_KINDS = 8
"""Kinds of values that one may be of. With the rounds of a loop there could be ever more."""


def united(a: Spec, b: Spec, mismatch: Mismatch) -> Spec:
    """The Spec of what is of the kind of `a` or of that of `b`, which need not join.

    Raises `mismatch` for too many, and another one for a third union within others: each round of
    a loop can add one. Objects of the user's classes are of one kind, for they are changed in
    place, but for those that are referred to.
    """
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        name = a.name if isinstance(a, Maybe) else cast(Maybe, b).name
        return Maybe(united(*_inside(Maybe, a, b), mismatch), name)
    if isinstance(a, Optional) or isinstance(b, Optional):
        return Optional(united(*_inside(Optional, a, b), mismatch))
    kinds = list(_kinds(a))
    for kind in _kinds(b):
        at = place_among(kinds, kind)
        if at is None:
            kinds.append(kind)
        else:
            kinds[at] = join(kinds[at], kind)
    if len(kinds) > MOST_KINDS or not all([_is_kind(kind, inner=MOST_KINDS) for kind in kinds]):
        raise mismatch
    if not all([_is_kind(kind, inner=1) for kind in kinds]):
        raise Mismatch(
            "there are values of several kinds in values of several kinds",
            "give those inside a name of their own, or make them of one kind",
        )
    return Union(tuple(kinds), mismatch) if len(kinds) > 1 else kinds[0]


def _is_kind(spec: Spec, inner: int) -> bool:
    """Whether it may be a kind of a union, with so many unions within one another in it."""
    if isinstance(spec, Tree):
        kind = spec.structure.kind
        is_data = issubclass(kind, tuple | list | dict | set | choices.Choice) or _is_text(spec)
        is_data = is_data or is_reference_class(kind)
        return is_data and all([_is_kind(child, inner) for child in spec.children])
    if isinstance(spec, Union):
        return inner > 0 and all([_is_kind(kind, inner - 1) for kind in spec.kinds])
    return all([_is_kind(part, inner) for part in parts(spec)])


def of_kinds(a: Spec, b: Spec) -> Spec:
    """The Spec that covers both, of which there may be ever more: of one kind, or of several that
    are of unlike classes.

    Raises Mismatch, also for two lists of other lengths.
    """
    try:
        return join(a, b, unites=True)
    except Mismatch as mismatch:
        if not mismatch.kinds_differ or _are_alike(_opened(a), _opened(b)):
            raise
        # The frames of a traceback would hold what the user's code has let go.
        return united(a, b, mismatch.with_traceback(None))


def _are_alike(a: Spec, b: Spec) -> bool:
    return isinstance(a, Tree) and isinstance(b, Tree) and a.structure.kind is b.structure.kind


def _kinds(spec: Spec) -> tuple[Spec, ...]:
    return spec.kinds if isinstance(spec, Union) else (spec,)


def place_among(kinds: Sequence[Spec], spec: Spec) -> int | None:
    """The place of the kind that a Spec joins; None where there is none."""
    for at, kind in enumerate(kinds):
        try:
            join(kind, spec)
        except Mismatch:
            continue
        return at
    return None


def fewer_kinds(union: TaggedUnion) -> Any:
    """A value of several kinds of which some are alike by now, as a text and a tensor of texts are
    as results: those are joined.
    """
    kinds = [abstract(option, staged=True) for option in union.options]
    places = {place_among(kinds, kind) for kind in kinds}
    return union if len(places) == len(kinds) else union.apply(lambda option: option)


def _choice(a: Spec, b: Spec) -> Spec | None:
    """The Spec of one of several Python values; None where the two are others."""
    first, second = _options(a), _options(b)
    if first is None or second is None:
        return None
    options = choices.union(first, second)
    return None if options is None else choice_of(options)


def choice_of(options: tuple[Any, ...]) -> Spec:
    """The Spec of one of these Python values."""
    return Tree(choices.structure(options), (Leaf(NUMBER_TYPES[int]),))


def _options(spec: Spec) -> tuple[Any, ...] | None:
    if isinstance(spec, Tree):
        keys: tuple[Any, ...] = spec.structure.keys
        return keys if spec.structure.kind is choices.Choice else None
    return choices.options_of(spec.value) if isinstance(spec, Same) else None


def _any_text() -> Tree:
    """The Spec of texts that only the run knows, and that differ."""
    from runtime.staging.texts import ANY

    return ANY


def _is_text(spec: Spec) -> bool:
    if isinstance(spec, Tree) and spec.structure.kind is _any_text().structure.kind:
        return True
    options = _options(spec)
    return options is not None and all(type(option) is str for option in options)


def as_any_text(spec: Spec) -> Spec:
    """The Spec of any text for that of a text; others as they are."""
    return _any_text() if _is_text(spec) else spec


def with_tensors_of_texts(spec: Spec) -> Spec:
    """The Spec with tensors in the place of texts: of what becomes tensors anyway."""
    if _is_text(spec) or (isinstance(spec, Same) and isinstance(spec.value, bytes)):
        return Leaf(TensorType(dtypes.string, ()))
    return with_parts(spec, with_tensors_of_texts)


def _variables(spec: Spec) -> Handles:
    if isinstance(spec, Leaf):
        return spec.variables
    value: Any = spec.value if isinstance(spec, Same) else None
    variable = variable_of(value)
    return may_be(value) if variable is None else frozenset((variable.handle,))


def _opened(spec: Spec) -> Spec:
    if isinstance(spec, Same) and type(spec.value) is range:
        from runtime.staging.control.iteration import Range

        return abstract(Range(spec.value.start, spec.value.stop, spec.value.step), staged=True)
    if isinstance(spec, Same) and join_structure_of(spec.value) is not None:
        return abstract(spec.value, staged=True)
    return spec


def _is_unbound(spec: Spec) -> bool:
    return isinstance(spec, Same) and is_undefined(spec.value)


def _is_none(spec: Spec) -> bool:
    return isinstance(spec, Same) and spec.value is None


def _inside(kind: type[Optional | Maybe], a: Spec, b: Spec) -> tuple[Spec, Spec]:
    """Both, without what says that they may be missing."""
    first, second = (x.inner if isinstance(x, kind) else x for x in (a, b))
    return first, second


def _join_maybe(a: Spec, b: Spec, unites: bool) -> Spec:
    if _is_unbound(b):
        a, b = b, a
    if isinstance(a, Same) and _is_unbound(a):
        return Maybe(b.inner if isinstance(b, Maybe) else b, name_of(a.value))
    name = a.name if isinstance(a, Maybe) else b.name if isinstance(b, Maybe) else ""
    return Maybe(join(*_inside(Maybe, a, b), unites), name)


def _optional(spec: Spec) -> Optional:
    if isinstance(spec, Optional):
        return spec
    if isinstance(spec, Tree) and spec.structure.handler.check_optional is not None:
        spec.structure.handler.check_optional(spec)
    return Optional(spec)


def _join_optional(a: Spec, b: Spec, unites: bool) -> Spec:
    if _is_none(a):
        return _optional(b)
    if _is_none(b):
        return _optional(a)
    return Optional(join(*_inside(Optional, a, b), unites))


def _holds_data(structure: Structure) -> bool:
    """Whether values stand in it for themselves: in no text, and in no object."""
    return structure.handler.widen is not None or issubclass(
        structure.kind, tuple | list | dict | set
    )


def _way_out(a: Tree, b: Tree) -> str:
    is_like = a.structure.kind is b.structure.kind
    if is_like and a.structure.handler.is_replaced:
        return "make both of the same dtype and options"
    if is_like and a.structure.kind is tuple:
        return (
            "make both of one length; one that rounds make longer has items of one kind: put those "
            "of several into a tuple of their own, items + ((a, b),)"
        )
    if a.structure.handler.describe is None or not is_like:
        return "make the same tuple, list, dict or class with the same keys on both paths"
    if isinstance(a.structure.keys, int):
        return (
            "make the list for a name of this function (`rows = []`), or use a tensor of the final "
            "length, and `x[i] = v`"
        )
    return "give all of them a value before the statement"


def _join_trees(a: Tree, b: Tree, unites: bool) -> Spec:
    if a.structure != b.structure:
        widen = a.structure.handler.widen or b.structure.handler.widen
        if widen is None and unites and _are_tuples(a, b):
            from runtime.staging.lists.growing_tuple import widened as widen
        widened = None if widen is None else widen(a, b)
        if widened is not None:
            return cast(Spec, widened)
        kinds = a.structure.kind, b.structure.kind
        want(*kinds)
        if any(is_reference_class(x) and x is not y and issubclass(x, y) for x, y in _both(kinds)):
            raise Mismatch(
                f"of the objects of {kinds[0].__qualname__} the run chooses one, and another value "
                "is from outside",
                "make a new object in the function, of what is in that one",
            )
        if kinds == (choices.Choice, choices.Choice):
            raise Mismatch(
                f"a graph chooses among up to {choices.MOST} values, which Python knows, and here "
                f"it is {a.structure}, or {b.structure}",
                choices.TOO_MANY,
                kinds_differ=True,
            )
        reason = f"the structures differ: {a.structure} and {b.structure}"
        raise Mismatch(reason, _way_out(a, b), kinds_differ=True)
    join_children = _joining(a.structure, unites)
    joined = []
    for place, (x, y) in enumerate(zip(a.children, b.children, strict=True)):
        try:
            wider = _wider(x, y) if place and a.structure.kind is IndexedSlices else None
            joined.append(wider or join_children(x, y))
        except Mismatch as mismatch:
            want(a.structure.kind)  # among others, an attribute may be of several kinds
            mismatch.path = a.structure.path(place) + mismatch.path
            mismatch.places.insert(0, place)
            raise
    return Tree(a.structure.joined(b.structure), tuple(joined))


def _joining(structure: Structure, unites: bool) -> Callable[[Spec, Spec], Spec]:
    """The function that joins the children of a structure."""
    if not _holds_data(structure):
        return _join_attributes
    return of_kinds if unites else join


def _join_attributes(a: Spec, b: Spec) -> Spec:
    """The Spec that covers two attributes of an object: they are of one kind, or tuples, or one is
    a Python value that stands for none.
    """
    if isinstance(a, Tree) and isinstance(b, Tree) and _are_tuples(a, b):
        return _join_trees(a, b, unites=True)
    has_token = any(isinstance(x, Same) and choices.is_token(x.value) for x in (a, b))
    return of_kinds(a, b) if has_token else join(a, b)


def _are_tuples(a: Tree, b: Tree) -> bool:
    return a.structure.kind is b.structure.kind is tuple


def _both(pair: tuple[type, type]) -> tuple[tuple[type, type], tuple[type, type]]:
    return pair, (pair[1], pair[0])


def _wider(a: Spec, b: Spec) -> Spec | None:
    """Places of slices, of 32 bits on one path and of 64 on the other: of 64 on both."""
    first, second = _leaf(a), _leaf(b)
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return None
    if first.dtype is second.dtype or not (first.dtype.is_integer and second.dtype.is_integer):
        return None
    return Leaf(TensorType(dtypes.int64, join_shapes(first.shape, second.shape)))


def _leaf(spec: Spec) -> Type | None:
    if isinstance(spec, Leaf):
        return spec.type
    if isinstance(spec, Same):
        kind = type(spec.value)
        if kind in NUMBER_TYPES:
            return NUMBER_TYPES[kind]
        if isinstance(spec.value, Tensor | SymbolicNumber | np.ndarray | np.generic):
            return _leaf(abstract(spec.value))
        variable = variable_of(spec.value)
        if variable is not None:
            return type_of(spec.value, variable)
    return None


def _is_array(spec: Spec, other: Spec) -> bool:
    """Whether it is an array of NumPy's, or a number of Python's beside one."""
    if isinstance(spec, Same) and isinstance(spec.value, SymbolicArray | np.ndarray | np.generic):
        return True
    if isinstance(_leaf(spec), NumberType):
        return not isinstance(_leaf(other), NumberType)
    return isinstance(spec, Leaf) and spec.is_array


def _differ(a: Spec, b: Spec) -> Mismatch:
    want(*classes_in(a), *classes_in(b))
    of_complex = (
        "keep the real and the imaginary part of a complex number as two numbers, or begin with a "
        "tensor: z = tf.constant(0j)"
    )
    is_complex = any(isinstance(x, Same) and type(x.value) is complex for x in (a, b))
    if isinstance(a, Same) and isinstance(b, Same):
        hint = (
            "only numbers, texts, functions and tensors can depend on a tensor: choose among such"
        )
        if is_complex:
            hint = of_complex
        if isinstance(a.value, BaseException) and isinstance(b.value, BaseException):
            hint = "keep the text or the arguments of an exception: str(error), error.args"
        if callable(a.value) and callable(b.value):  # one of them is no option
            hint = "choose between functions that call them: (lambda x: f(x)) if ... else g"
        if _is_iterator(a.value) or _is_iterator(b.value):
            hint = "keep a list of the items in place of an iterator: list(...)"
        first, second = shown(a), shown(b)
        if first == second:
            return Mismatch(f"there are two Python values {first}", hint)
        reason = f"the Python values {first} and {second} differ"
        return Mismatch(reason, hint, kinds_differ=_are_kinds_of_union(a, b))
    return Mismatch(
        f"{shown(a)} cannot be joined with {shown(b)}",
        of_complex if is_complex else "leave values of the same kind and structure on both paths",
        kinds_differ=_are_kinds_of_union(a, b),
    )


def _is_iterator(value: Any) -> bool:
    from runtime.staging.control.iteration import PythonIterator

    return isinstance(value, PythonIterator) or hasattr(type(value), "__next__")


def _are_kinds_of_union(a: Spec, b: Spec) -> bool:
    """Whether a value may be of one of these kinds: of Python values to choose from, there are too
    many where two are not of one.
    """
    are_options = _options(a) is not None and _options(b) is not None
    return not are_options and _is_kind_of_union(a) and _is_kind_of_union(b)


def _is_kind_of_union(spec: Spec) -> bool:
    if not isinstance(spec, Same) or choices.is_option(spec.value):
        return True
    return isinstance(spec.value, int | float | Tensor | SymbolicNumber)


def shown(spec: Spec) -> str:
    """It in messages."""
    if isinstance(spec, Leaf):
        is_tensor = isinstance(spec.type, TensorType)
        return f"a tensor {spec.type}" if is_tensor else with_article(in_words(spec.type))
    if isinstance(spec, Tree):
        return with_article(str(spec.structure))
    if isinstance(spec, Same):
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(spec.value))
        return text if len(text) <= 60 else f"{text[:56]}..."
    if isinstance(spec, Union):
        return " or ".join([shown(kind) for kind in spec.kinds])
    return f"{shown(spec.inner)} or {'None' if isinstance(spec, Optional) else 'nothing'}"
