"""`Module`: a named container that finds the variables and modules in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from runtime import nest
from runtime.core.naming import name_scope
from runtime.variables.variable import Variable

Method = TypeVar("Method", bound=Callable[..., Any])


def _snake_case(name: str) -> str:
    name = re.sub(r"([^_])([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


class Module:
    """Base of classes that own variables and other modules.

    `variables`, `trainable_variables` and `submodules` look through the attributes in the order of
    their names, and through lists, tuples, dicts and modules in them. Raises ValueError for a name
    that is no identifier.

    >>> class Line(rt.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = rt.Variable(2., name="slope")
    >>> [v.name for v in Line().variables]
    ['slope:0']
    """

    is_namespace = True
    """Attributes of an object of this class itself are watched as those of the user's objects."""

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()
    """Names of attributes that are not looked through; a subclass may say which."""

    def __init__(self, name: str | None = None) -> None:
        chosen = _snake_case(type(self).__name__) if name is None else name
        if not chosen.isidentifier():
            raise ValueError(
                f"{chosen!r} is not a valid module name: it must be a Python identifier"
            )
        self._name = chosen
        with name_scope(chosen) as prefix:
            self._name_scope = name_scope(prefix)

    @property
    def name(self) -> str:
        """The name given, or that of the class in snake_case."""
        # A subclass may have an `__init__` that does not call this class's.
        return getattr(self, "_name", None) or _snake_case(type(self).__name__)

    @property
    def name_scope(self) -> name_scope:
        """The scope that the names of this module's variables are made in, a context manager."""
        return self._name_scope

    @classmethod
    def with_name_scope(cls, method: Method) -> Method:
        """Decorator of a method: variables made in it are named after the module.

        >>> class Layer(rt.Module):
        ...     @rt.Module.with_name_scope
        ...     def build(self):
        ...         return rt.Variable(0.0, name="w")
        >>> Layer(name="layer").build().name
        'layer/w:0'
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped  # type: ignore[return-value]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module, and of the modules and Keras layers in it."""
        return tuple([variable for variable, _ in self._held_variables()])

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are trainable."""
        return tuple([variable for variable, trainable in self._held_variables() if trainable])

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are not trainable."""
        return tuple([variable for variable, trainable in self._held_variables() if not trainable])

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in this one, at any depth."""
        return tuple(self._flatten(predicate=_is_module))

    def _held_variables(self) -> list[tuple[Variable, bool]]:
        """The variables, and whether each is trainable: a layer may say that its own are not."""
        found: dict[int, tuple[Variable, bool]] = {}
        for leaf in self._flatten():
            if _is_variable(leaf):
                found.setdefault(id(leaf), (leaf, leaf.trainable))
            elif not _is_module(leaf) and hasattr(type(leaf), "_held_variables"):
                for variable, trainable in leaf._held_variables():
                    found.setdefault(id(variable), (variable, trainable))
        return list(found.values())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from runtime.core.displays import variables_text

        printer.text(
            repr(self) if self._is_shown_otherwise() else variables_text(*self._contents())
        )

    def _repr_html_(self) -> str | None:
        from runtime.core.displays import variables_html

        return None if self._is_shown_otherwise() else variables_html(*self._contents())

    def _is_shown_otherwise(self) -> bool:
        return type(self).__repr__ is not object.__repr__

    def _contents(self) -> tuple[str, list[tuple[str, str, str, int]]]:
        rows, seen = [], set()
        for path, variable in self._flatten(predicate=_is_variable, with_path=True):
            if id(variable) not in seen:
                seen.add(id(variable))
                rows.append((".".join(map(str, path)), *_described(variable)))
        return f"{type(self).__name__} {self.name!r}", rows

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        with_path: bool = False,
    ) -> Iterator[Any]:
        """The objects in the attributes for which `predicate` holds, those of inner modules last.

        With `with_path`, pairs of path and object, in which an object may come more than once.
        """
        for path, leaf in _walk(self, (), {id(self)}, recursive, with_path):
            if predicate is None or predicate(leaf):
                yield (path, leaf) if with_path else leaf


def _described(variable: Variable) -> tuple[str, str, int]:
    """Its type, a remark, and its size in bytes; its value is not read."""
    count = variable.shape.num_elements()
    is_text = variable.dtype.np_dtype.kind == "O"
    size = 0 if count is None or is_text else count * variable.dtype.size
    remark = "" if variable.trainable else "not trainable"
    return f"{variable.dtype.name} {variable.shape}", remark, size


def _is_variable(item: object) -> bool:
    return isinstance(item, Variable)


def _is_module(item: object) -> bool:
    return isinstance(item, Module)


def _walk(
    module: Module, path: nest.Path, seen: set[int], recursive: bool, repeated: bool
) -> Iterator[tuple[nest.Path, Any]]:
    inner = []
    for name, value in sorted(vars(module).items()):
        if name in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for place, leaf in _leaves(module, name, value):
            if id(leaf) in seen and (not repeated or _is_module(leaf)):
                continue
            seen.add(id(leaf))
            here = (*path, name, *place)
            yield here, leaf
            if recursive and _is_module(leaf):
                inner.append((here, leaf))
    for here, leaf in inner:
        yield from _walk(leaf, here, seen, recursive, repeated)


def _leaves(module: Module, name: str, value: Any) -> list[tuple[nest.Path, Any]]:
    try:
        return nest.flatten_with_tuple_paths(value)
    except TypeError as error:
        raise ValueError(f"attribute {name!r} of {module!r} cannot be searched: {error}") from error
