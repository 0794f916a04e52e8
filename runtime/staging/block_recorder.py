"""The changes that a staged block makes to Python objects: watched, put back, or refused."""

from __future__ import annotations

import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from inspect import getattr_static
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any

import autograph
from autograph import user_iterators
from autograph.backend import GlobalVariable
from autograph.frames import hide
from autograph.mutation.foreign import is_foreign, is_unchanging
from autograph.mutation.foreign_calls import (
    acts_elsewhere,
    is_called_as_it_is,
    is_given_to_be_changed,
    sees_its_caller,
)
from autograph.mutation.item_targets import item_targets
from autograph.mutation.kind_table import is_hidden, may_change
from autograph.mutation.ownership import taking_notes
from autograph.mutation.snapshots import MISSING, Change, Snapshot
from autograph.mutation.users_code import is_users_class, is_users_function
from autograph.objects import attributes_of, is_namespace
from autograph.operators.comprehensions import Called, of_generator
from autograph.operators.unrolling import gives_what_is_there
from autograph.policy import impure, is_harmless
from autograph.user_attributes import askable
from autograph.users_words import with_article
from runtime.core.naming import name_scope
from runtime.core.settings import effect_of
from runtime.core.shapes import TensorShape
from runtime.core.state import state
from runtime.core.tensor import EagerTensor
from runtime.dtypes import DType
from runtime.graph.ir import Location
from runtime.staging.control.blocks import Block, Names
from runtime.staging.control.carried_objects import (
    KEPT_KIND,
    ObjectRecorder,
    Place,
    check_not_advanced,
    refuse_change,
)
from runtime.staging.control.iteration import Streamed
from runtime.staging.control.references import want, want_count
from runtime.staging.draws import is_draw
from runtime.staging.frames import is_ours
from runtime.staging.outside import place_key
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.staged_print import is_stream_write, print_in_graph
from runtime.staging.streams import unwritten
from runtime.staging.tracing import Trace


class Existed:
    """True for an object that existed before the trace. What is global to the
    functions called did.

    `snapshots` are what the traced function reaches, and what those that it calls do, as it was
    when it was met.
    """

    def __init__(self, before: Snapshot) -> None:
        self._before = before
        # Not what the trace has put into objects that it knows.
        self.globals = Snapshot({}, earlier=before)
        self.snapshots = before, self.globals

    def __call__(self, item: Any) -> bool:
        if type(item) is GlobalVariable and "__builtins__" not in item.namespace:
            # Of a module that may have been made while tracing.
            return self._before.knows(item) or self._before.knows(item.namespace)
        if isinstance(item, ModuleType) and sys.modules.get(item.__name__) is item:
            return True
        return self._before.knows(item) or self.globals.knows(item)

    def held(self, function: FunctionType | type) -> bool:
        """True for a function, or a class, that was not made by the trace."""
        if isinstance(function, type) or function.__closure__ is None:
            return "<locals>" not in function.__qualname__ or self(function)
        return any(snapshot.held(function) for snapshot in self.snapshots)


def _existed() -> Existed:
    trace = active()
    if not isinstance(trace.existed, Existed):
        trace.existed = Existed(Snapshot({}))
    return trace.existed


_FIXED = (NoneType, bool, str, FunctionType, DType, TensorShape, EagerTensor, name_scope)
"""The classes of what an object may get beside variables when it is built: nothing that counts."""


def _in_place_of_nothing(change: Change) -> Change:
    """The change as one of what is new: the further items of a list, an object's own attribute."""
    item, before, name = change.object, change.before, change.path.rpartition(".")[2]
    if type(item) is list and change.path.startswith("len("):
        return change._replace(before=None, after=item[before:])
    if before is MISSING and not isinstance(item, dict | type):
        return change._replace(before=getattr_static(type(item), name, MISSING))
    return change


def _is_nothing(item: Any) -> bool:
    return item is MISSING or item is None or item is False or item in ([], {}, ())


_OF_OBJECT = "the class of an object is the same on all paths", KEPT_KIND
_OF_PYTHON = (
    "Python itself reads it, so that it is the same on all paths",
    "keep what differs in an attribute of another name, and ask for that, or choose between two "
    "functions, classes or exceptions",
)

_MET = object()
"""The key of what a trace remembers of the places that its blocks change."""


def notes(trace: Trace) -> list[Any]:
    """The container of the objects that are remembered: it holds none for the user."""
    return [trace.memo[_MET]] if _MET in trace.memo else []


class _Thread(threading.local):
    def __init__(self) -> None:
        self.recorders: tuple[BlockRecorder, ...] = ()


_thread = _Thread()


_BY_OPS = {
    "draws": "tf.random.uniform([])",
    "logs": "tf.print(x, output_stream=log.info)",
    "prints": "print(text)",
}


def _is_of_module(namespace: Any) -> bool:
    """Whether it is the namespace of a module, of which not all variables are watched."""
    return type(namespace) is dict and "__builtins__" in namespace and "__spec__" in namespace


def _instead_of_call(reason: str) -> str:
    op = _BY_OPS.get(reason.split()[0], "tf.py_function(function, arguments, dtypes)")
    return f"let the graph do it: {op}"


def _instead_of_next(iterator: Any, *default: Any) -> str:
    if type(iterator) is itertools.count:
        return "count in a variable: number += 1"
    return "take the items of a list or tensor by an index"


def _gives_what_is_there(iterator: Any) -> bool:
    """Whether an iterator takes from no other one: of Python's, or of what stands for a list."""
    code = getattr(iterator, "gi_code", None)
    return gives_what_is_there(iterator) if code is None else is_ours(code.co_filename)


class BlockRecorder(ObjectRecorder):
    """Watches what a staged block does to Python objects, and refuses calls that a graph cannot
    repeat. `test` is a function that runs with the block, where that does not lead to it.
    """

    def __init__(
        self, block: Block, inputs: Sequence[Any], names: Names, test: Block | None = None
    ) -> None:
        roots = dict(zip(names, inputs, strict=False)) | {"": block, "test()": test}
        self._made: dict[int, Any] = {}
        self._constructed: dict[int, weakref.ref[Any]] = {}
        self._created: dict[int, Any] = {}
        around = _thread.recorders[-1]._snapshot if _thread.recorders else None
        self._snapshot: Snapshot = Snapshot(
            roots, outer=_existed().globals, around=around, made=self._made
        )
        self._entered: list[AbstractContextManager[Any]] = []
        self._block = block
        self._test = test
        self.options: Any = None

    def __enter__(self) -> None:
        self._check_items(self._block)
        self._check_items(self._test)
        self._outer = _thread.recorders
        _thread.recorders = (*self._outer, self)
        self._enter(autograph.observe_calls(self._observe))
        self._enter(taking_notes(self._notes))
        if hasattr(self._block, "__code__"):
            self.options = self._enter(autograph.loop_options(self._block))

    def _enter(self, manager: AbstractContextManager[Any]) -> Any:
        self._entered.append(manager)
        return manager.__enter__()

    def __exit__(self, *exception: Any) -> None:
        while self._entered:
            self._entered.pop().__exit__(*exception)
        _thread.recorders = self._outer

    def watch(self, path: str, item: Any) -> None:
        """Look at one more object."""
        self._snapshot.add(path, item)

    def renew(self, item: Any) -> None:
        """Take an object for what it is now."""
        self._snapshot.renew(item)

    def _notes(self) -> list[Any]:
        return [*self._snapshot.notes(), self._made]

    def _observe(self, function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        if function is print:
            return print_in_graph
        if function is object.__new__ and args:
            if type(args[0]).__weakrefoffset__:
                self._constructed[id(args[0])] = weakref.ref(args[0])
            return None
        function = askable(function)
        if is_stream_write(function):
            return None
        if function is next and args and self._is_own_iterator(args[0]):
            return None
        if is_draw(function):
            return None
        name = getattr(function, "__name__", "the callee")
        reason = impure(function)
        if reason is None and acts_elsewhere(function):
            reason = "may change more than what it is given"
        if function is exec and any(map(_is_of_module, args[1:])):
            reason = "may set global variables once, while tracing"
        effect = effect_of(function)
        if effect is not None:
            reason = f"{effect} once, while tracing"
        if reason is not None:
            if function is next:
                want_count(*args[:1])
            shown = getattr(function, "__qualname__", None) or repr(function)
            hint = _instead_of_next(*args) if function is next else _instead_of_call(reason)
            raise refuse(
                f"{shown} inside a staged block {reason}", f"call it before the block, or {hint}"
            )
        receiver = getattr(function, "__self__", None)
        if isinstance(receiver, list | dict) and id(receiver) in self._made:
            return None
        is_method = not isinstance(receiver, ModuleType | None)
        is_new = self._has_constructed(receiver)
        if is_method and not is_new and not is_harmless(function):
            self._look_at(f"the {type(receiver).__qualname__} of {name}()", receiver, name)
        if not is_called_as_it_is(function):
            self._snapshot.add(name, function)
            if self._snapshot.is_full:
                self._check_bounds()
            self._check_items(function.__func__ if type(function) is MethodType else function)
            return None
        if not is_method and not isinstance(function, type):
            self._look_at(name, function, name)
        for item in args:
            self.check_given(function, item)
        is_atom = is_method and is_unchanging(type(receiver))
        return None if args or is_atom or sees_its_caller(function) else _Checked(function)

    def _is_own_iterator(self, item: Any) -> bool:
        """Whether it is one of the graph, one of the user's, of which a method is called, or one
        that the block has made: a generator, or an iterator over what is there.
        """
        if isinstance(item, Streamed) or user_iterators.is_users(item):
            return True
        given = of_generator(item, decided=True)
        is_own = _gives_what_is_there(item) if given is None else type(given) is not Called
        return is_own and not self._snapshot.knows(item)

    def _look_at(self, path: str, item: Any, name: str) -> None:
        """Watch an object of which a method is called, or which is called; StagingError where
        nobody can.
        """
        if not is_foreign(type(item)) or not may_change(type(item)):
            self._snapshot.add(path, item)
        elif id(item) not in self._made:
            unseen = self._snapshot.unseen(path, item, self._made)
            if unseen is not None:
                raise _refuse_unseen(
                    f"{name}() of {with_article(type(item).__qualname__)}", path, unseen
                )

    def _check_items(self, function: Any) -> None:
        """StagingError where code assigns items of an object that nobody can look at."""
        if type(function) is not FunctionType:
            return
        for target in item_targets(function):
            kind = type(target.object)
            if not is_foreign(kind) or not may_change(kind) or id(target.object) in self._made:
                continue
            unseen = self._snapshot.unseen(target.text, target.object, self._made)
            if unseen is not None:
                place = function.__code__.co_filename, target.line, target.column
                what = f"assigning an item of {with_article(kind.__qualname__)}"
                raise _refuse_unseen(what, target.text, unseen, place)

    def check_given(self, function: Any, item: Any) -> None:
        """StagingError for an argument that a foreign callable may change where nobody sees it."""
        kind = type(item)
        if id(item) in self._made or not is_given_to_be_changed(function, kind):
            return
        name = getattr(function, "__qualname__", None) or repr(function)
        path = with_article(kind.__qualname__)
        unseen = self._snapshot.unseen(path, item, self._made)
        if unseen is not None:
            raise _refuse_unseen(f"{name}() of {path}", path, unseen)

    def note_result(self, function: Any, given: Iterable[Any], result: Any, is_new: bool) -> None:
        """A foreign callable has made an object, or given one from before."""
        if not is_foreign(type(result)) or not may_change(type(result)):
            return
        owner = getattr(function, "__self__", None) or function
        if id(owner) in self._made or (is_new and not any(map(self._is_unseen, given))):
            self._made[id(result)] = result
        elif not self._snapshot.knows(result):
            path = f"the result of {getattr(function, '__name__', function)}()"
            self._snapshot.add(path, result)
            if isinstance(function, FunctionType | BuiltinFunctionType):
                _existed().globals.add(path, result)

    def forget(self, item: Any) -> None:
        """Watch a new object no more: what is in it is in lists from now on."""
        self._snapshot.forget(item)

    def note_made(self, item: Any) -> None:
        """The block has made a list."""
        self._made[id(item)] = item

    def has_made(self, item: Any) -> bool:
        """True if the block has made this."""
        return id(item) in self._made

    def _is_unseen(self, item: Any) -> bool:
        return id(item) not in self._made and is_hidden(type(item))

    def release(self, results: tuple[Any, ...]) -> None:
        """Forget the objects that only the block's results hold, or nobody: it made them."""
        self._snapshot.release(results)
        self._made.clear()

    def close(self) -> None:
        self._snapshot.close()

    def changed(self) -> list[Place]:
        """The objects that are different, each with the path of its first difference."""
        self._check_bounds()
        self._settle()
        found: dict[Any, Place] = {}
        met = active().memo.setdefault(_MET, {})
        for change in self._snapshot.changes(self._has_constructed):
            if change.is_fixed:
                of_object = change.path.endswith(".__class__")
                raise refuse_change(change.path, *(_OF_OBJECT if of_object else _OF_PYTHON))
            key = place_key(change.object)
            # One object for what blocks may know by several: a global variable, a namespace.
            item = met.setdefault(key, change.object) if type(key) is tuple else change.object
            found.setdefault(key, Place(change.path, item))
        return list(found.values())

    def _check_bounds(self) -> None:
        """StagingError where the block can reach more than is looked at."""
        if self._snapshot.beyond:
            want(*self._snapshot.classes())
            raise refuse(
                "a staged block can reach what cannot be watched for changes: "
                f"{self._snapshot.beyond[0]}",
                "pass what the block needs as a tensor or a local variable, and do before the "
                "block what depends on plain values alone",
            )

    def _has_constructed(self, item: Any) -> bool:
        known = self._constructed.get(id(item))
        return known is not None and known() is item

    def _settle(self) -> None:
        """Take objects that were built for what they are now: where nothing was, they have got
        variables that the block created, as the first call of a function does.

        StagingError where more is changed in them, which each call might do.
        """
        found: dict[int, list[Change]] = {}
        for change in self._snapshot.changes(self._has_constructed) if self._created else ():
            found.setdefault(id(change.object), []).append(_in_place_of_nothing(change))
        for changes in found.values():
            if not any(id(x) in self._created for each in changes for x in self._leaves(each)):
                continue
            for change in changes:
                if not (_is_nothing(change.before) and self._is_settled(change)):
                    raise refuse(
                        f"{change.path} is changed in a staged block that puts variables into the "
                        "same object: the one is done at each call, the other at the first",
                        "create the variables before the statement, or in a call before this one",
                        change.path,
                    )
            self._snapshot.renew(changes[0].object)
            renew(changes[0].object)

    def _is_settled(self, change: Change) -> bool:
        return all(type(x) in _FIXED or id(x) in self._created for x in self._leaves(change))

    def _leaves(self, change: Change) -> Iterator[Any]:
        """The objects that came there; of containers and new objects, those in them."""
        met: dict[int, Any] = {}
        pending = [change.after]
        while pending:
            item = pending.pop()
            if id(item) in met:
                continue
            met[id(item)] = item
            if isinstance(item, dict):
                pending += item.values()
            elif isinstance(item, list | tuple):
                pending += item
            elif self._is_own(type(item)) and not self._snapshot.led_to(item):
                pending += (attributes_of(item) or {}).values()
            else:
                yield item

    def _is_own(self, kind: type) -> bool:
        return is_users_class(kind) or is_namespace(kind)

    def note_created(self, variable: Any) -> None:
        """The block has created a variable, once for all calls."""
        self._created[id(variable)] = variable

    def check_undone(self) -> None:
        """StagingError where an iterator has advanced, which cannot be put back."""
        for path, item, _, _ in self._snapshot.altered():
            if not self._has_constructed(item):
                check_not_advanced(path, item)

    def restore(self) -> None:
        """Put back what was there."""
        self._snapshot.restore(is_new=self._has_constructed)

    def knows(self, item: Any) -> bool:
        """True if the object was within reach of the block before it."""
        return self._snapshot.knows(item)

    def was_given(self, item: Any) -> bool:
        """True if the block holds the object from before."""
        return self._snapshot.led_to(item)


def is_from_before(item: Any) -> bool:
    """True if a block that is being traced holds the object from before."""
    return any(recorder.was_given(item) for recorder in _thread.recorders)


def outermost_round(trace: Trace, items: Sequence[Any]) -> BlockRecorder | None:
    """The recorder of a round of the outermost loop of a trace around which these objects exist."""
    for recorder in _thread.recorders:
        if recorder.round_of is trace and not any(map(recorder.has_made, items)):
            return recorder
    return None


def note_made(item: Any) -> None:
    """A stand-in for a list or dict of the user's is new: made by the blocks that are traced."""
    for recorder in _thread.recorders:
        recorder.note_made(item)


def note_created(variable: Any) -> None:
    """A function creates a variable on its first call, in the blocks that are traced."""
    for recorder in _thread.recorders:
        recorder.note_created(variable)


@contextmanager
def as_from_before() -> Iterator[None]:
    """Objects that are made within are taken for ones from before the blocks that are traced."""
    recorders, _thread.recorders = _thread.recorders, ()
    try:
        yield
    finally:
        _thread.recorders = recorders


def forget(item: Any) -> None:
    """Have no block watch a new object: what is in it is in lists from now on, which they watch."""
    for recorder in _thread.recorders:
        recorder.forget(item)


def note_found(path: str, item: Any) -> None:
    """A list is reached by one of its items: the blocks that did not make it watch it."""
    for recorder in _thread.recorders:
        if not recorder.has_made(item):
            recorder.watch(path, item)


def look_at(path: str, item: Any, is_given: bool) -> None:
    """Have the blocks that are being traced watch an object that a call of a graph will change, and
    the trace know it as one from before, unless the call is given it.
    """
    for recorder in _thread.recorders:
        recorder.watch(path, item)
    if not is_given:
        _existed().globals.add(path, item)


def renew(item: Any) -> None:
    """Take an object for what it was before all that is being traced: a layer, once it is built."""
    for recorder in _thread.recorders:
        recorder.renew(item)
    trace = state.trace
    while trace is not None:
        if trace.watcher is not None:
            trace.watcher.renew_settings(item)
        for snapshot in trace.existed.snapshots if isinstance(trace.existed, Existed) else ():
            snapshot.renew(item)
        trace = trace.outer


def renew_innermost(item: Any) -> None:
    """The same, for the trace that begins, and not for those around it."""
    _thread.recorders[-1].renew(item)
    for snapshot in _existed().snapshots:
        snapshot.renew(item)


def note_called(function: Any) -> None:
    """A function is called while one is traced: the trace is to know what it reaches from before,
    and so is the block of a `try`.
    """
    for level in active().levels[-1:]:
        level.note_called(function)
    _note_reached(function)


def _note_reached(function: Any) -> None:
    plain = getattr(function, "__func__", function)
    if isinstance(plain, partial):
        _note_reached(plain.func)
    elif isinstance(plain, FunctionType):
        # By a decorator of a library's: `contextmanager`.
        met = plain if is_users_function(plain) else getattr(plain, "__wrapped__", None)
        if isinstance(met, FunctionType) and is_users_function(met):
            _meet(met, plain)
    elif isinstance(plain, type):
        if is_users_class(plain):
            _meet(plain, plain)
    elif callable(plain) and isinstance(type(plain).__call__, FunctionType):
        _note_reached(type(plain).__call__)


def _meet(item: FunctionType | type, called: FunctionType | type) -> None:
    existed = _existed()
    if not existed.globals.knows(item) and existed.held(called):
        existed.globals.add(item.__qualname__, item)


class _Checked:
    """A foreign callable, told apart by what it is given and what it gives.

    All blocks that are being traced look, each for itself: what one of them made is from before
    for those in it.
    """

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            function, recorders = self.function, _thread.recorders
            given = (*args, *kwargs.values())
            for recorder in recorders:
                for item in given:
                    recorder.check_given(function, item)
            with unwritten(active().streams, function):
                result = function(*args, **kwargs)
            is_new = isinstance(function, type) or sys.getrefcount(result) <= _OWN_REFERENCES
            for recorder in recorders:
                recorder.note_result(function, given, result, is_new)
            return result
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise


def _own_references() -> int:
    result = object()
    return sys.getrefcount(result)


_OWN_REFERENCES = _own_references()
"""The count of `sys.getrefcount` for a result that nobody holds: the variable, and up to Python
3.13 its argument.
"""


def _refuse_unseen(what: str, path: str, unseen: str, place: Location | None = None) -> Exception:
    why = "" if unseen == path else f" {unseen},"
    return refuse(
        f"{what} inside a staged block may change{why or ' it'} once, while tracing, and nobody "
        "can see whether it does",
        "call it before or behind the statement, or use a list, a dict or an attribute",
        location=place,
    )
