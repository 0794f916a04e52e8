"""Converting functions, and what stands for a callable in generated code.

Calls convert, and what conversion makes calls: that cycle is closed here, in one file.
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload
from weakref import WeakSet

from autograph import operators, policy
from autograph.codes import CodeTable
from autograph.errors import ConversionError
from autograph.frames import hide
from autograph.operators.builtin_calls import taken_over
from autograph.undefined import Undefined

T = TypeVar("T")
Function: TypeAlias = Callable[..., Any]
Cells: TypeAlias = tuple[CellType, ...]
Observer: TypeAlias = Callable[[Function, tuple[Any, ...]], Function | None]


# Converting functions


class _Made(NamedTuple):
    """What conversion made of a code object."""

    code: CodeType
    ag: str


_made: CodeTable[_Made] = CodeTable()
_converting = threading.RLock()


@overload
def convert(target: T, /, *, recursive: bool = True) -> T: ...
@overload
def convert(*, recursive: bool = True) -> Callable[[T], T]: ...
def convert(target: Any = None, /, *, recursive: bool = True) -> Any:
    """Convert a function: its control flow may depend on staged values then.

    Usable as a decorator, with and without arguments. The original is left as it is. A class is
    converted in place, methods, properties and operators that it defines itself, and returned. Of a
    callable object, the result is its converted `__call__`.

    Args:
        target: a function, method, lambda, `classmethod`, `staticmethod`, `property`,
            `functools.partial`, class, or an object with a `__call__` of its own.
        recursive: whether functions that it calls are converted too, by `autograph.policy`.

    Raises:
        ConversionError: no source is found, or it has a construct that is not supported.
        TypeError: `target` cannot be called.
    """
    if target is None:
        return functools.partial(convert, recursive=recursive)
    return _convert(target, _AG if recursive else _AG_ALONE)


to_graph = convert


def _convert(target: Any, ag: CellType) -> Any:
    for kind, converter in _CONVERTERS:
        if isinstance(target, kind):
            return converter(target, ag)
    method = _call_method_of(target)
    if method is not None:
        return MethodType(_convert_function(method, ag), target)
    if not callable(target):
        raise TypeError(f"convert takes a function, method or class, not {target!r}")
    raise ConversionError(
        f"{getattr(target, '__qualname__', target)!r} is not written in Python, so that nothing "
        "can be converted",
        hint="call it as it is",
    )


def _call_method_of(value: Any) -> FunctionType | None:
    method = getattr(type(value), "__call__", None)  # noqa: B004  # the method itself is wanted
    return method if isinstance(method, FunctionType) else None


def _convert_function(function: FunctionType, ag: CellType) -> FunctionType:
    code = function.__code__
    if code in policy.generated or code in policy.marked:
        return function
    made = _convert_code(function)
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[made.ag] = ag
    closure = tuple(cells[name] for name in made.code.co_freevars)
    twin = FunctionType(made.code, function.__globals__, None, None, closure)
    for attribute in _SHARED_ATTRIBUTES:
        setattr(twin, attribute, getattr(function, attribute))
    return twin


_SHARED_ATTRIBUTES = (
    *("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"),
    *("__annotations__", "__dict__"),
    *(("__type_params__",) if hasattr(FunctionType, "__type_params__") else ()),
)


def _convert_code(function: FunctionType) -> _Made:
    """The converted code for a function's; made once."""
    with _converting:
        made = _made.get(function.__code__)
        if made is None:
            made = _made[function.__code__] = _make(function)
        return made


def _make(function: FunctionType) -> _Made:
    from autograph.conversion import convert_code

    converted = convert_code(function)
    original = function.__code__.replace()  # a copy: the original lives no longer than its users
    for code in converted.codes:
        policy.generated[code] = original
        _recipes[code] = ()
    return _Made(converted.code, converted.ag)


# Converting what holds functions


def _convert_method(method: MethodType, ag: CellType) -> MethodType:
    return MethodType(_convert(method.__func__, ag), method.__self__)


def _convert_wrapped(wrapped: Any, ag: CellType) -> Any:
    return type(wrapped)(_convert(wrapped.__func__, ag))


def _convert_partial(partial: functools.partial[Any], ag: CellType) -> functools.partial[Any]:
    converted = _convert(partial.func, ag)
    return type(partial)(converted, *partial.args, **partial.keywords)


def _convert_property(prop: property, ag: CellType) -> property:
    fget, fset, fdel = (_convert_if_users(f, ag) for f in (prop.fget, prop.fset, prop.fdel))
    return property(fget, fset, fdel, prop.__doc__)


def _convert_cached_property(prop: Any, ag: CellType) -> Any:
    converted = type(prop)(_convert_if_users(prop.func, ag))
    if prop.attrname is not None:
        converted.__set_name__(None, prop.attrname)
    return converted


def _convert_class(cls: type, ag: CellType) -> type:
    if not cls.__flags__ & _HEAP_TYPE:
        raise ConversionError(
            f"the class {cls.__qualname__} is not written in Python, so that nothing can be "
            "converted",
            hint="call it as it is",
        )
    for name, member in list(vars(cls).items()):
        converted = _convert_if_users(member, ag)
        if converted is not member:
            type.__setattr__(cls, name, converted)
    _converted_classes.add(cls)
    return cls


_HEAP_TYPE = 1 << 9
_converted_classes: WeakSet[type] = WeakSet()


def _convert_if_users(member: Any, ag: CellType) -> Any:
    """A member of a class, converted if it is a function of the user's, or holds such."""
    if isinstance(member, FunctionType):
        return _convert_function(member, ag) if _is_users(member) else member
    if isinstance(member, classmethod | staticmethod):
        users = isinstance(member.__func__, FunctionType) and _is_users(member.__func__)
        return _convert_wrapped(member, ag) if users else member
    if type(member) is property:
        return _convert_property(member, ag)
    if type(member) is functools.cached_property:
        return _convert_cached_property(member, ag)
    return member


def _is_users(function: FunctionType) -> bool:
    return bool(policy.decide(function).decision and _source_known(function))


_CONVERTERS: tuple[tuple[type, Callable[[Any, CellType], Any]], ...] = (
    (FunctionType, _convert_function),
    (MethodType, _convert_method),
    (classmethod, _convert_wrapped),
    (staticmethod, _convert_wrapped),
    (property, _convert_property),
    (functools.cached_property, _convert_cached_property),
    (functools.partial, _convert_partial),
    (type, _convert_class),
)


# Looking at conversion


def to_code(target: Any) -> str:
    """The source of a converted function; of a class, that of all its methods.

    Raises:
        ConversionError: no source is found, or it has a construct that is not supported.
        TypeError: `target` is not a function, method or class.
    """
    from autograph.conversion import convert_text

    functions = [_original(function) for function in _functions_in(target)]
    if not functions and callable(target):
        raise ConversionError(
            f"{target!r} has no source in Python", hint="convert the function that calls it"
        )
    if not functions:
        raise TypeError(f"to_code takes a function, method or class, not {target!r}")
    return "\n\n".join(map(convert_text, functions))


def is_converted(target: Any) -> bool:
    """Whether a function, or what holds one, was made by `convert`."""
    if isinstance(target, type):
        return target in _converted_classes
    return any(converted_code(function.__code__) for function in _functions_in(target))


def converted_code(code: CodeType) -> bool:
    """Whether a code object was made by conversion."""
    return code in policy.generated


def why_not_converted(code: CodeType) -> str | None:
    """Why code is run as it is though converted code calls it; None where it is converted.

    The reason continues a sentence that names the function: "was not converted because it is ...".
    """
    return policy.unconverted.get(code)


def _functions_in(target: Any) -> list[FunctionType]:
    if isinstance(target, FunctionType):
        return [target]
    if isinstance(target, type):
        members = [_functions_in(member) for member in vars(target).values() if _is_method(member)]
        return [function for found in members for function in found]
    for holder in ("__func__", "func", "fget"):
        if hasattr(target, holder):
            return _functions_in(getattr(target, holder))
    method = _call_method_of(target)
    return [] if method is None else [method]


def _is_method(member: Any) -> bool:
    return isinstance(member, FunctionType | classmethod | staticmethod | property)


def _original(function: FunctionType) -> FunctionType:
    """The function as the user wrote it, for looking its source up."""
    code = policy.generated.get(function.__code__)
    if code is None:
        return function
    cells = tuple(CellType() for _ in code.co_freevars)
    return FunctionType(code, function.__globals__, function.__name__, None, cells)


# Calls in generated code

Recipe: TypeAlias = tuple[CodeType, Any, bool]
"""How to make a function's twin: its code, its cells (or what gives them for the function's own),
and whether there are keyword-only parameters."""

_recipes: CodeTable[Recipe | tuple[()]] = CodeTable()
_recipe_by_id = _recipes.by_id


def call(function: Any) -> Any:
    """What to call where the user calls `function`: itself, or its converted twin.

    Raises:
        ConversionError: a function of the user's has a construct that is not supported.
    """
    try:
        if _special_calls:
            special = _special_call(function)
            if special is not None:
                return special
        kind = type(function)
        plain = function.__func__ if kind is MethodType else function
        if type(plain) is not FunctionType:
            handler = _HANDLERS.get(kind)
            return _call_object(function) if handler is None else handler(function)
        recipe = _recipe_by_id.get(id(plain.__code__))
        if recipe is None:
            recipe = _new_recipe(plain)
        if not recipe:
            return function
        code, cells, has_keyword_only = recipe
        closure = cells if type(cells) is tuple else cells(plain.__closure__)
        # Made anew each time: a twin that was kept would keep alive what the function refers to.
        twin = FunctionType(code, plain.__globals__, None, plain.__defaults__, closure)
        if has_keyword_only:
            twin.__kwdefaults__ = plain.__kwdefaults__
        return twin if kind is FunctionType else MethodType(twin, function.__self__)
    except BaseException as error:  # the user's line is what the error is about
        hide(error)
        raise


def _new_recipe(function: FunctionType) -> Recipe | tuple[()]:
    with _converting:
        recipe = _recipes.get(function.__code__)
        if recipe is None:
            recipe = _recipes[function.__code__] = _recipe(function)
        return recipe


def _recipe(function: FunctionType) -> Recipe | tuple[()]:
    rule = policy.decide(function)
    if rule.decision is policy.AS_IS:
        policy.unconverted[function.__code__] = f"it is {rule.name}"
        return ()
    if not _source_known(function):
        return ()
    made = _convert_code(function)
    if made.ag not in made.code.co_freevars:
        return ()  # it has nothing that was converted
    cells = _cells(made, function.__code__.co_freevars)
    return made.code, cells, made.code.co_kwonlyargcount > 0


def _cells(made: _Made, own: tuple[str, ...]) -> Cells | Callable[[Any], Cells]:
    names = made.code.co_freevars
    if names == (made.ag,):
        return _AG_CELLS
    if names == (made.ag, *own):
        return _AG_CELLS.__add__
    pick = operator.itemgetter(*((*own, made.ag).index(name) for name in names))
    return lambda cells: pick(cells + _AG_CELLS)


def _source_known(function: FunctionType) -> bool:
    from autograph.conversion import require_source

    try:
        require_source(function)
    except ConversionError as error:
        policy.unconverted[function.__code__] = error.message
        return False
    return True


def _call_builtin(function: Any) -> Any:
    return _TAKEN_OVER.get(function, function)


def _call_method(method: MethodType) -> Any:
    function = method.__func__
    twin = call(function)
    return method if twin is function else MethodType(twin, method.__self__)


def _call_partial(partial: functools.partial[Any]) -> Any:
    function = call(partial.func)
    if function is partial.func:
        return partial
    return functools.partial(function, *partial.args, **partial.keywords)


def _call_object(value: Any) -> Any:
    """What to call for an object of a class that has no rule of its own."""
    if isinstance(value, type):
        return _call_class(value)
    method = _call_method_of(value)
    if method is None:
        return value
    twin = call(method)
    return value if twin is method else MethodType(twin, value)


def _call_class(cls: Any) -> Any:
    if not cls.__flags__ & _HEAP_TYPE:
        return _TAKEN_OVER.get(cls, cls)
    construct = type(cls).__call__
    if type(construct) is FunctionType:
        twin = call(construct)
        return cls if twin is construct else MethodType(twin, cls)
    return _constructor(cls)


def _call_method_wrapper(wrapper: Any) -> Any:
    # What `super().__call__` is in a metaclass: the rest of constructing an instance.
    cls = wrapper.__self__
    if wrapper.__name__ != "__call__" or not isinstance(cls, type):
        return wrapper
    constructor = _constructor(cls)
    # Calling the class itself would ask its metaclass again.
    return wrapper if constructor is cls else constructor


def _constructor(cls: Any) -> Any:
    """What to call for a class: as `type.__call__`, with converted `__new__` and `__init__`."""
    original_new, init = cls.__new__, cls.__init__
    new = call(original_new)
    if new is original_new and call(init) is init:
        return cls

    def construct(*args: Any, **kwargs: Any) -> Any:
        try:
            made = new(cls, *args, **kwargs)
            if isinstance(made, cls):
                _initialise(made, args, kwargs)
            return made
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return construct


def _initialise(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    result = call(type(made).__init__)(made, *args, **kwargs)
    if result is not None:
        raise TypeError(f"__init__() should return None, not {type(result).__name__!r}")


_HANDLERS: dict[type, Callable[[Any], Any]] = {
    BuiltinFunctionType: _call_builtin,
    MethodType: _call_method,
    MethodWrapperType: _call_method_wrapper,
    functools.partial: _call_partial,
    type: _call_class,
}
_TAKEN_OVER = taken_over(call)


# Calls that are watched, and code that is left alone


class _Thread(threading.local):
    def __init__(self) -> None:
        self.observers: tuple[Observer, ...] = ()
        self.unconverted = 0


_thread = _Thread()
_special_calls = 0  # on all threads; calls look at their own thread's state only if there are any
_counting = threading.Lock()


def _count_special(change: int) -> None:
    global _special_calls
    with _counting:
        _special_calls += change


@contextmanager
def observe_calls(observer: Observer) -> Iterator[None]:
    """Within it, on this thread, tell `observer(function, args)` of each call in generated code.

    It is told before the call, and may refuse it by raising. `function` is what the user calls: a
    bound method with its receiver, for instance. `args` are known for builtins that a backend may
    take over, and else empty. What it returns, unless None, is called instead.
    """
    before = _thread.observers
    _thread.observers = (*before, observer)
    _count_special(1)
    try:
        yield
    finally:
        _count_special(-1)
        _thread.observers = before


def _special_call(function: Any) -> Any:
    """What to call, if this thread's state alone decides; else None."""
    builtin = _taken_over(function)
    if builtin is not None and _thread.observers and not _thread.unconverted:
        return _observed(function, builtin, _thread.observers)
    instead = [observer(function, ()) for observer in _thread.observers]
    found = next((call for call in instead if call is not None), None)
    return function if found is None and _thread.unconverted else found


def _taken_over(function: Any) -> Any:
    if type(function) is BuiltinFunctionType or type(function) is type:
        return _TAKEN_OVER.get(function)
    return None


def _observed(function: Function, builtin: Function, observers: tuple[Observer, ...]) -> Function:
    def observed(*args: Any, **kwargs: Any) -> Any:
        try:
            for observer in observers:
                instead = observer(function, args)
                if instead is not None:
                    return instead(*args, **kwargs)
            return builtin(*args, **kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return observed


class _Unconverted:
    """`do_not_convert()`: a decorator and a context manager."""

    def __call__(self, target: Any) -> Any:
        return _left_alone(target)

    def __enter__(self) -> None:
        _count_special(1)
        _thread.unconverted += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _thread.unconverted -= 1
        _count_special(-1)


@overload
def do_not_convert(target: T, /) -> T: ...
@overload
def do_not_convert() -> _Unconverted: ...
def do_not_convert(target: Any = None, /) -> Any:
    """Leave a function, and what it calls, as written when converted code calls it.

    Usable as a decorator, with and without parentheses, and as a context manager: within
    `with do_not_convert():` converted code calls everything as it is, on this thread.

    A function is returned as a copy that shares all but its code object; of a class, the methods
    are marked and the class is returned.

    Raises:
        TypeError: `target` cannot be called.
    """
    return _Unconverted() if target is None else _left_alone(target)


def _left_alone(target: Any) -> Any:
    if isinstance(target, FunctionType):
        return _marked_copy(target)
    if isinstance(target, classmethod | staticmethod):
        return type(target)(_left_alone(target.__func__))
    if isinstance(target, MethodType):
        return MethodType(_left_alone(target.__func__), target.__self__)
    if isinstance(target, type):
        for function in _functions_in(target):
            _mark(function.__code__)
        return target
    if not callable(target):
        raise TypeError(f"do_not_convert takes something that can be called, not {target!r}")
    return target if isinstance(target, BuiltinFunctionType) else _wrapped(target)


def _marked_copy(function: FunctionType) -> FunctionType:
    code = function.__code__.replace()  # its own: other functions may share the original's
    copy = FunctionType(code, function.__globals__, None, None, function.__closure__)
    for attribute in _SHARED_ATTRIBUTES:
        setattr(copy, attribute, getattr(function, attribute))
    _mark(code)
    return copy


def _mark(code: CodeType) -> None:
    policy.marked[code] = True
    policy.unconverted[code] = "it is marked with do_not_convert"
    _recipes[code] = ()


def _wrapped(target: Function) -> Function:
    @functools.wraps(target, updated=())
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return unconverted


# The namespace of generated code


def _namespace(call: Callable[[Any], Any]) -> ModuleType:
    namespace = ModuleType("ag", operators.__doc__)
    for name in operators.__all__:
        setattr(namespace, name, getattr(operators, name))
    vars(namespace).update(call=call, slice=slice, Undefined=Undefined)
    return namespace


def _call_alone(function: Any) -> Any:
    """`call` in a function whose conversion is not recursive: only builtins are taken over."""
    return _taken_over(function) or function


ag = _namespace(call)
"""What generated code calls `ag`."""

_AG = CellType(ag)
_AG_CELLS = (_AG,)
_AG_ALONE = CellType(_namespace(_call_alone))
