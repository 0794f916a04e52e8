"""Images of Python values that hold symbols: the templates that nodes keep of them."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import ItemsView, Sequence, ValuesView
from types import FunctionType
from typing import Any

import numpy as np

from autograph.mutation.users_code import is_users_class
from autograph.objects import attributes_of
from autograph.users_words import with_article
from runtime.graph.data import Opaque, as_data
from runtime.graph.ir import Origin
from runtime.graph.structures import children_of, structure_of
from runtime.graph.templates import Container, Either, Raised, Slot, Written
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.control.joined_variables import check_asked
from runtime.staging.control.optional_values import MaybeNone, bound
from runtime.staging.control.references import is_reference, is_reference_class
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth
from runtime.staging.lists.growing import Growing, GrowingSequence
from runtime.staging.refusals import SAID, refuse
from runtime.staging.scopes import active
from runtime.staging.tracing import is_symbol

_WITH_ITEMS = (deque, ItemsView, ValuesView)


def _check_parts(item: Any, raised: Origin | None) -> None:
    """StagingError for an object that holds staged values, or stands for one of Python's, where a
    graph makes a text of it, or it leaves the graph in an error that is `raised` there.
    """
    from runtime.staging.control.iteration import Staged

    kind: Any = type(item)
    if issubclass(kind, Staged):
        item.check_shown()
    has_text = kind.__repr__ is not object.__repr__ or kind.__str__ is not object.__str__
    if isinstance(item, _WITH_ITEMS):
        parts = list(item)
    elif is_users_class(kind):
        parts = [item] if has_text or raised is not None else []
    else:
        own = getattr(item, "__dict__", None) if has_text else None
        parts = list(own.values()) if type(own) is dict else []
    if holds_symbol(*parts):
        name = kind.__qualname__
        raise _refuse_shown(name) if raised is None else _refuse_raised(name, raised)


def holds_symbol(*items: Any) -> bool:
    """Whether one of the values is a symbol, or there is one in it: in a structure, or in an
    attribute of an object of the user's.
    """
    seen: dict[int, Any] = {}
    pending = list(items)
    while pending:
        item = pending.pop()
        if is_symbol(item) or is_reference(item):
            return True
        if id(item) in seen:
            continue
        seen[id(item)] = item
        pending += children_of(item.own() if isinstance(item, Growing) else item)
        if isinstance(item, BaseException):
            pending += item.args
        if is_users_class(type(item)):
            pending += (attributes_of(item) or {}).values()
    return False


def _refuse_shown(kind: str) -> Exception:
    return refuse(
        f"{with_article(kind)} that holds staged values is printed or raised: its text would "
        "be that of the trace",
        "print its values beside it, or a list or dict of them",
    )


def _refuse_raised(kind: str, origin: Origin) -> Exception:
    return refuse(
        f"{with_article(kind)} that holds staged values is in an error that is raised: it would be "
        "the object of the trace",
        'raise the values that it holds, a text of them, ValueError(f"bad {n.value}"), or a '
        "dataclass",
        location=origin.location,
    )


def check_print_options(item: Any) -> None:
    """StagingError for an array of which a text is made where the trace has changed how NumPy
    writes arrays.
    """
    if not isinstance(item, np.ndarray) and getattr(item, "static_shape", None) == ():
        return  # numbers are written alike
    watcher = active().watcher
    if watcher is not None and watcher.around.shows_otherwise():
        raise refuse(
            "an array is printed, or made a text, with other np.printoptions than those of the "
            "caller: the graph does so when it runs, with the caller's",
            "set them around the call of the function, or write the numbers: f'{x[0]:.2f}'",
        )


class Images:
    """Templates of items, and the `symbols` whose values fill them, in their order. Arrays are
    tensors in them if they are not `shown`.
    """

    def __init__(self, shown: bool = True, raised: Origin | None = None) -> None:
        self.symbols: list[Any] = []
        self._shown = shown
        self._raised = raised

    def of(self, item: Any, above: tuple[int, ...] = ()) -> Any:
        """The item as data: a container as it is now, with slots for the symbols in it."""
        item = bound(item)
        if isinstance(item, MaybeNone):
            return Either(self._slot(item.flag), self.of(item.held, above))
        if is_symbol(item):
            slot = self._slot(item)
            if self._shown:
                check_asked(item, "its text")
            if not self._shown or not isinstance(item, SymbolicArray):
                return slot
            check_print_options(item)
            return Written("array", (slot,))
        if type(item) is Truth:
            item = item.opened(item.location)
        if type(item) is TaggedUnion:
            raise item.refusal()
        if id(item) in above:
            return Opaque(item)
        if is_reference(item) and not isinstance(item, Growing):
            from runtime.staging.lists.arenas import exporting

            with exporting(item) as made:
                return self.of(made, (*above, id(item)))
        if isinstance(item, GrowingSequence) and item.__class__ not in (list, tuple):
            return self._of_collection(item)
        if isinstance(item, Growing) and item.staged is not None:
            self._check_shown(item)
        found = structure_of(item.shown() if isinstance(item, Growing) else item)
        if found is None:
            if isinstance(item, BaseException):
                return self._of_error(item, len(above) > 1)
            _check_parts(item, self._raised)
            if type(item) is not np.ndarray:
                return as_data(item)
            if self._shown:
                check_print_options(item)
            return as_data(item.copy())
        structure, parts = found
        children = tuple([self.of(part, (*above, id(item))) for part in parts])
        if structure.handler.image is not None:
            return structure.handler.image(structure.keys, children)
        return children if type(item) is tuple else Container(structure, children)

    def _check_shown(self, items: Any) -> None:
        """StagingError for a list of the graph with objects in it that the run chooses, where these
        leave the graph, or their class makes their text.
        """
        from runtime.staging.lists.shown_items import classes_in_items

        kind: Any
        for kind in classes_in_items(items.staged.element):
            is_object = is_reference_class(kind) and not issubclass(kind, Growing)
            if not is_object or (self._raised is None and kind.__repr__ is object.__repr__):
                continue
            raise refuse(
                f"{with_article(items.__class__.__name__)} with objects of the class "
                f"{kind.__name__}, of which the run chooses one, is printed or raised with what it "
                "is in",
                'print or raise its text: print(items), ValueError(f"{items}")',
                location=None if self._raised is None else self._raised.location,
            )

    def _of_collection(self, items: Any) -> Any:
        """A set or deque of the function, of which a graph makes no text."""
        own = items.own()
        if own is items or holds_symbol(*own):
            raise _refuse_shown(items.__class__.__name__)
        return as_data(own)

    def _of_error(self, error: BaseException, is_part: bool) -> Any:
        """An exception of which the text is not that of its arguments: of one that holds what only
        the run knows, the graph makes none.
        """
        if has_unknown_text(error):
            said = [as_data(item.said()) for item in error.args if _is_unknown(item)]
            if len(error.args) == 1 and not is_part:
                return said[0]
        inside = Images()
        inside.of(error.args)
        if not inside.symbols:
            return as_data(error)
        raise refuse(
            f"{with_article(type(error).__name__)} that holds what only the run knows is "
            "printed or raised",
            "print or raise its arguments: error.args",
        )

    def _slot(self, symbol: Any) -> Slot:
        self.symbols.append(symbol)
        return Slot(symbol.type)


def image_of(error: BaseException, raised: Origin | None = None) -> tuple[Raised, Sequence[Any]]:
    """An exception as data, and the symbols in its arguments and attributes: where it is raised, if
    it leaves the graph.
    """
    images = Images(raised=raised)
    return _image_of(error, images), images.symbols


def _image_of(error: BaseException, images: Images) -> Raised:
    if type(error) is OSError and len(error.args) > 1 and holds_symbol(error.args[0]):
        raise refuse(
            "the class of OSError(number, text) is another one for some numbers, and only the run "
            "knows this number",
            "raise the class that is meant: FileNotFoundError(text)",
        )
    own = {name: value for name, value in vars(error).items() if name != SAID}
    args, attributes = images.of(error.args), images.of(own)
    given = _given(error)
    others = None if given is None else images.of(given)
    cause = None if error.__cause__ is None else _image_of(_as_cause(error.__cause__), images)
    suppresses = error.__suppress_context__
    return Raised(type(error), args, attributes, others, cause, suppresses)


def _as_cause(error: BaseException) -> BaseException:
    text: Any = error.args[0] if len(error.args) == 1 else None
    return text.as_cause(error) if _is_unknown(text) else error


def has_unknown_text(error: BaseException) -> bool:
    """Whether only the run has the text of an exception."""
    return any(map(_is_unknown, error.args))


def _is_unknown(text: Any) -> bool:
    """Whether it stands for the text of an error that only the run has."""
    from runtime.staging.control.failures import UnknownText

    return type(text) is UnknownText


def _given(error: BaseException) -> tuple[Any, ...] | None:
    """The arguments of the class, where it keeps others: OSError takes a file, too."""
    if isinstance(type(error).__init__, FunctionType):
        return None
    given = error.__reduce__()[1]
    same = len(given) == len(error.args) and all(map(operator.is_, given, error.args))
    return None if same else given  # type: ignore[return-value]
