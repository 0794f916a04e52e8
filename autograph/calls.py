"""The stand-in for a callable in generated code: itself, its converted twin, or what watches it."""

from __future__ import annotations

import functools
import operator
import typing
import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, _GeneratorContextManager, suppress
from contextvars import Context
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GenericAlias,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from autograph import operators, policy
from autograph.backend import Backend, backend_of_type, staging
from autograph.codes import assigns_items
from autograph.forms import Form
from autograph.frames import hide, hiding
from autograph.locks import process_lock
from autograph.mutation.users_code import is_users_class
from autograph.objects import is_generator_function
from autograph.observers import Function, Observer, this_thread
from autograph.operator_methods import BINARY, COMPARISONS, OF_THE_RIGHT, UNARY
from autograph.operators.builtin_calls import taken_over, text_method, warn, within
from autograph.operators.comprehensions import Called, of_call
from autograph.operators.dataclass_factories import growing_factories
from autograph.operators.growing import is_asking
from autograph.operators.managers import Entered, manager_of
from autograph.operators.texts import shown_as
from autograph.operators.unpacking import spreading
from autograph.optional_parameters import optional_parameters
from autograph.twins import (
    HEAP_TYPE,
    Cells,
    Made,
    Recipe,
    call_method_of,
    convert_once,
    converting,
    has_try,
    recipes,
    source_known,
)
from autograph.undefined import Undefined

_recipe_by_id = recipes.by_id


def call(function: Any) -> Any:
    """Returns what to call where the user calls `function`: itself, or its converted twin.

    Raises:
        ConversionError: a function of the user's has a construct that is not supported.

    >>> def clip(x, limit):
    ...     return limit if x > limit else x
    >>> autograph.call(clip)(7, 5)
    5
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
            if not is_asking() or not _is_convertible(plain):
                called = _of_libraries.get(id(function), function)
                return _with_defaults(function, called)
            recipe = _recipe_of(plain, convert_once(plain, Form.ASKING))
        elif is_asking() and not is_generator_function(plain) and source_known(plain):
            recipe = _recipe_of(plain, convert_once(plain, Form.ASKING))
        code, cells, has_keyword_only, tries = recipe
        if tries and staging():
            if is_generator_function(plain):
                return _generator_function(function, plain)
            code, cells, has_keyword_only, _ = _recipe_of(plain, convert_once(plain, Form.STAGED))
        closure = cells if type(cells) is tuple else cells(plain.__closure__)
        # Made anew each time: a twin that was kept would keep alive what the function refers to.
        twin = FunctionType(code, plain.__globals__, None, plain.__defaults__, closure)
        if has_keyword_only:
            twin.__kwdefaults__ = plain.__kwdefaults__
        return twin if kind is FunctionType else MethodType(twin, function.__self__)
    except BaseException as error:  # the user's line is what the error is about
        hide(error)
        raise


def _is_convertible(function: FunctionType) -> bool:
    """Whether it is the user's, though it has nothing that would be converted."""
    code = function.__code__
    return code not in policy.generated and code not in policy.unconverted


def _new_recipe(function: FunctionType) -> Recipe | tuple[()]:
    with converting:
        recipe = recipes.get(function.__code__)
        if recipe is None:
            recipe = recipes[function.__code__] = _recipe(function)
        return recipe


def _recipe(function: FunctionType) -> Recipe | tuple[()]:
    rule = policy.decide(function)
    is_made = function.__code__ in policy.generated
    if is_made and is_generator_function(function):
        return _recipe_of(function, Made(function.__code__, ""), tries=True)
    if rule.decision is policy.AS_IS:
        policy.unconverted[function.__code__] = f"it is {rule.name}"
        return ()
    factories = growing_factories(function, call)
    if factories is not None:
        return function.__code__, factories, function.__code__.co_kwonlyargcount > 0, False
    if not source_known(function):
        return ()
    made = convert_once(function)
    tries = has_try(function) or is_generator_function(function)
    if not tries and made.ag not in made.code.co_freevars and not assigns_items(made.code):
        return ()  # it has nothing that was converted
    return _recipe_of(function, made, tries)


def _generator_function(function: Any, plain: FunctionType) -> Any:
    """Returns what to call for a generator function of the user's in a function that is being
    staged: its generator may be run as a loop.
    """
    from autograph.generator_managers import visiting

    is_made = plain.__code__ in policy.generated
    made = Made(plain.__code__, "") if is_made else convert_once(plain, Form.STAGED)
    code, cells, _, _ = _recipe_of(plain, made)
    closure = cells if type(cells) is tuple else cells(plain.__closure__)
    twin = FunctionType(code, plain.__globals__, None, plain.__defaults__, closure)
    twin.__kwdefaults__ = plain.__kwdefaults__
    visiting_it = visiting(plain, AG)
    receiver = () if function is plain else (function.__self__,)
    if isinstance(visiting_it, str):
        policy.unconverted[code] = visiting_it
        return twin if function is plain else MethodType(twin, function.__self__)

    visit, cleans_up = visiting_it

    def call_it(*args: Any, **kwargs: Any) -> Any:
        given = (*receiver, *args)
        try:
            own = twin(*given, **kwargs)
        except TypeError as error:  # of its arguments
            hide(error)
            raise
        again = functools.partial(call_it, *args, **kwargs)

        def run(taker: Callable[[Any], Any], stops: bool) -> Any:
            backend = staging()
            is_passed_on = backend is not None and backend.passes_on()
            return visit(given, kwargs, taker, stops, call if is_passed_on else None)

        return of_call(Called(own, again, run, cleans_up), own)

    return call_it


def _recipe_of(function: FunctionType, made: Made, tries: bool = False) -> Recipe:
    cells = _cells(made, function.__code__.co_freevars)
    return made.code, cells, made.code.co_kwonlyargcount > 0, tries


def _cells(made: Made, own: tuple[str, ...]) -> Cells | Callable[[Any], Cells]:
    names = made.code.co_freevars
    if names == own:
        return tuple if own else ()
    if names == (made.ag,):
        return _AG_CELLS
    if names == (made.ag, *own):
        return _AG_CELLS.__add__
    pick = operator.itemgetter(*((*own, made.ag).index(name) for name in names))
    return lambda cells: pick(cells + _AG_CELLS)


def _call_builtin(function: Any) -> Any:
    if function is warnings.warn:  # which backends register, as one that shows what it is given
        return warn
    found = _TAKEN_OVER.get(function)
    if found is not None:
        return found
    of_its_class = _METHODS.get(type(function.__self__))
    return function if of_its_class is None else of_its_class(function)


def _context_method(method: Any) -> Any:
    """The stand-in for a method of a context: `run` calls what it is given."""
    if method.__name__ != "run":
        return method

    def run(*args: Any, **kwargs: Any) -> Any:
        return method(*map(call, args[:1]), *args[1:], **kwargs)

    return hiding(run)


def _call_method(method: MethodType) -> Any:
    function = method.__func__
    twin = call(function)
    return method if twin is function else MethodType(twin, method.__self__)


def _call_partial(partial: functools.partial[Any]) -> Any:
    function = call(partial.func)
    if function is partial.func:
        return partial
    return functools.partial(function, *partial.args, **partial.keywords)


def _call_descriptor(descriptor: MethodDescriptorType) -> Any:
    """Returns what calls a method of a built-in class, `str.isdigit`: that of what stands for an
    object of the class, if it is given one.
    """
    if not staging():
        return descriptor
    owner = descriptor.__objclass__

    def method(*args: Any, **kwargs: Any) -> Any:
        kind = type(args[0]) if args else owner
        if backend_of_type(kind) and isinstance(args[0], owner) and not issubclass(kind, owner):
            return getattr(args[0], descriptor.__name__)(*args[1:], **kwargs)
        return descriptor(*args, **kwargs)

    return hiding(method)


def _call_alias(alias: Any) -> Any:
    """Returns what to call for a class with its type arguments, `Stack[int]`: the class."""
    origin = typing.get_origin(alias)
    if not isinstance(origin, type) or not getattr(alias, "_inst", True):
        return alias  # Python says that it cannot be called
    construct = call(origin)
    if construct is origin:
        return alias

    def construct_it(*args: Any, **kwargs: Any) -> Any:
        made = construct(*args, **kwargs)
        if type(made) is origin or not staging():
            with suppress(AttributeError, TypeError):
                made.__orig_class__ = alias
        return made

    return hiding(construct_it)


def _call_object(value: Any) -> Any:
    """Returns what to call for an object of a class that has no rule of its own."""
    if isinstance(value, type):
        return constructor(value)
    method = call_method_of(value)
    if method is None:
        return _of_libraries.get(id(value), value)
    twin = call(method)
    return value if twin is method else MethodType(twin, value)


def constructor(cls: Any) -> Any:
    """Returns what to call for a class, with converted methods; no observer is told.

    >>> autograph.constructor(int)("3")
    3
    """
    if not cls.__flags__ & HEAP_TYPE:
        return _TAKEN_OVER.get(cls, cls)
    construct = type(cls).__call__
    if type(construct) is FunctionType:
        twin = call(construct)
        return cls if twin is construct else MethodType(twin, cls)
    return _constructor(cls)


def _call_method_wrapper(wrapper: Any) -> Any:
    cls, name = wrapper.__self__, wrapper.__name__
    if name in _OPERATORS and staging():
        owner = wrapper.__objclass__
        if owner in (bool, int, float):  # of which the class of the object may be one
            return _operator_of(wrapper, owner, owner(cls))
        if getattr(type(cls), name) is getattr(owner, name):
            return _operator_of(wrapper, owner, cls)
    if name in _SHOWING and staging():
        return _text_of(wrapper, cls)
    # What `super().__call__` is in a metaclass: the rest of constructing an instance.
    if name != "__call__" or not isinstance(cls, type):
        return wrapper
    constructor = _constructor(cls)
    # Calling the class itself would ask its metaclass again.
    return wrapper if constructor is cls else constructor


def _call_slot(slot: WrapperDescriptorType) -> Any:
    """Returns what to call for a method of a built-in class that is an operator, `int.__add__`, or
    gives a text, `Exception.__str__`.
    """
    if slot.__name__ in _SHOWING and staging():
        return _text_of(slot)
    is_operator = slot.__name__ in _OPERATORS and staging()
    return _operator_of(slot, slot.__objclass__) if is_operator else _call_object(slot)


def _text_of(method: Any, *receiver: Any) -> Any:
    """Returns what calls a method of a built-in class that gives the text of an object."""

    def shown(*args: Any) -> Any:
        given = (*receiver, *args)
        if len(given) != 1 or not call(isinstance)(given[0], method.__objclass__):
            return method(*args)  # Python says what it takes
        return shown_as(method.__objclass__, method.__name__, given[0])

    return hiding(shown)


def _swapped(operation: Function) -> Function:
    return lambda right, left: operation(left, right)


def _operator_of(method: Any, owner: type, *receiver: Any) -> Any:
    """Returns what calls an operator's method: the operator, where it is given what is staged, of
    which the method knows nothing.
    """
    operation = _OPERATORS[method.__name__]

    def operated(*args: Any) -> Any:
        given = (*receiver, *args)
        is_staged = any(backend_of_type(type(arg)) for arg in args)
        if is_staged and call(isinstance)(given[0], owner):
            return call(operation)(*given)
        return method(*args)

    return hiding(operated)


def _constructor(cls: Any) -> Any:
    """Returns what to call for a class: as `type.__call__`, with converted `__new__` and
    `__init__`.
    """
    original_new, init = cls.__new__, cls.__init__
    is_users = is_users_class(cls)
    # Observers are told of a class of C: of that its `__new__` is a part.
    is_of_c = not is_users and type(original_new) is BuiltinFunctionType
    new = original_new if is_of_c else call(original_new)
    is_told = bool(this_thread.observers) and is_users
    if new is original_new and call(init) is init and not is_told:
        return cls

    def construct(*args: Any, **kwargs: Any) -> Any:
        try:
            made = new(cls, *args, **kwargs)
            for observer in this_thread.observers if is_told else ():
                observer(object.__new__, (made,))
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


_COUNTER: Any = vars(typing)["Counter"]
_ALIASES: frozenset[type] = frozenset({GenericAlias, type(_COUNTER), type(_COUNTER[int])})
"""The classes of `list[int]`, `typing.Counter`, and `Stack[int]`."""

_HANDLERS: dict[type, Callable[[Any], Any]] = {
    BuiltinFunctionType: _call_builtin,
    MethodDescriptorType: _call_descriptor,
    MethodType: _call_method,
    MethodWrapperType: _call_method_wrapper,
    WrapperDescriptorType: _call_slot,
    functools.partial: _call_partial,
    type: constructor,
    **dict.fromkeys(_ALIASES, _call_alias),
}
_SHOWING = "__str__", "__repr__"
_OPERATORS: dict[str, Function] = {
    **BINARY,
    **{name: _swapped(BINARY[left]) for name, left in OF_THE_RIGHT.items()},
    **COMPARISONS,
    **UNARY,
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
}
"""Operators by the names of their methods, `__add__`, those of the right operand too."""
_TAKEN_OVER = taken_over(call)
_METHODS: dict[Any, Callable[[Any], Any]] = {str: text_method, Context: _context_method}
_of_libraries: dict[int, Function] = {}


def register_functions(functions: Iterable[Callable[..., Any]]) -> None:
    """Let a backend have the calls of a library's functions in generated code.

    Its `builtin` is given those of which an argument is staged, or holds what is. The functions are
    told apart by identity, and kept alive.

    >>> import operator
    >>> autograph.register_functions([operator.neg])
    >>> autograph.convert(lambda x: operator.neg(x))(3)
    -3
    """
    for function in functions:
        taken = within(function)
        if type(function) is BuiltinFunctionType or type(function) is type:
            _TAKEN_OVER[function] = taken
        else:
            _of_libraries[id(function)] = taken


# Calls that are watched, and code that is left alone


_special_calls = 0  # on all threads; calls look at their own thread's state only if there are any
_counting = process_lock()


def count_special(change: int) -> None:
    global _special_calls
    with _counting:
        _special_calls += change


class _Observed:
    """`observe_calls`: for each block that is staged, so not by `contextmanager`."""

    __slots__ = ("_before", "_observer")

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def __enter__(self) -> None:
        self._before = this_thread.observers
        this_thread.observers = (*self._before, self._observer)
        count_special(1)

    def __exit__(self, *exception: object) -> None:
        count_special(-1)
        this_thread.observers = self._before


def observe_calls(observer: Observer) -> AbstractContextManager[None]:
    """Within it, on this thread, tell `observer(function, args)` of each call in generated code.

    It is told before the call, and may refuse it by raising. `function` is what the user calls: a
    bound method with its receiver, for instance. `args` are known for builtins that a backend may
    take over, and else empty. What it returns, unless None, is called instead. It is also told of
    `object.__new__`, and the object, where one of a class of the user's has been made.

    >>> names = []
    >>> with autograph.observe_calls(lambda function, args: names.append(function.__name__)):
    ...     autograph.convert(lambda n: abs(n))(-2)
    2
    >>> names
    ['abs']
    """
    return _Observed(observer)


def _special_call(function: Any) -> Any:
    """Returns what to call, if this thread's state alone decides; else None."""
    if type(function) in _ALIASES:
        return _call_alias(function)
    if backend_of_type(type(function)) is not None:
        return function  # one of several, and only the run knows which
    builtin = _taken_over(function)
    if builtin is not None and this_thread.observers and not this_thread.unconverted:
        return _with_defaults(function, _observed(function, builtin, this_thread.observers))
    instead = [observer(function, ()) for observer in this_thread.observers]
    found = next((call for call in instead if call is not None), None)
    if found is None and this_thread.unconverted:
        return function
    if type(function) is BuiltinFunctionType:
        return _with_defaults(function, _call_builtin(function) if found is None else found)
    return found if found is None else _with_defaults(function, found)


def _with_defaults(function: Any, called: Any) -> Any:
    """The function, or what stands for it, where only the run may know whether an argument is
    None, which means a default there.
    """
    backend = staging()
    places = None if backend is None else optional_parameters(function)
    if backend is None or not places:
        return called

    return functools.partial(call_with_defaults, backend, function, places, called)


def call_with_defaults(
    backend: Backend, function: Any, places: Any, called: Any, /, *args: Any, **kwargs: Any
) -> Any:
    """Call the function, by what stands for it: in a frame that is not that of an op."""
    try:
        made = backend.with_defaults(function, places, args, kwargs)
        return called(*args, **kwargs) if made is NotImplemented else made
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


def _taken_over(function: Any) -> Any:
    if type(function) is BuiltinFunctionType or type(function) is type:
        return _TAKEN_OVER.get(function)
    return _of_libraries.get(id(function))


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


# The namespace of generated code


def _namespace(call: Callable[[Any], Any]) -> ModuleType:
    namespace = ModuleType("ag", operators.__doc__)
    for name in operators.__all__:
        setattr(namespace, name, getattr(operators, name))
    vars(namespace).update(call=call, entered=_entered, slice=slice, Undefined=Undefined)
    vars(namespace).update(call_spread=spreading(call))
    return namespace


def _entered(manager: Any) -> Entered:
    """A manager at the beginning of its `with`, in a function that is being staged."""
    try:
        manager = manager_of(manager)
        if type(manager) is not _GeneratorContextManager or staging() is None:
            return Entered(manager, call, _is_own)
        from autograph.generator_managers import around

        return Entered(manager, call, _is_own, around(manager, AG))
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _is_own(function: FunctionType) -> bool:
    is_made = function.__code__ in policy.generated
    return is_made or policy.decide(function).decision is not policy.AS_IS


def _call_alone(function: Any) -> Any:
    """`call` in a function whose conversion is not recursive: only builtins are taken over."""
    return _taken_over(function) or function


ag = _namespace(call)
"""What generated code calls `ag`."""

AG = CellType(ag)
AG_STAGED = CellType(ag)
_AG_CELLS = (AG,)
AG_ALONE = CellType(_namespace(_call_alone))
