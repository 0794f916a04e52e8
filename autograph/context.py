"""The state that the converters of one function share."""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.blocks import Flow
from autograph.analysis.scopes import functions_in, suspends
from autograph.forms import Form
from autograph.names import Namer, names_in


class Context:
    """One conversion.

    Attributes:
        tree: the function that is converted.
        filename: the user's file.
        functions: the user's function definitions in the tree, outer ones first.
        suspending: those of them that are generators or coroutines.
        names: every name in the user's code.
        namer: gives names that the user does not use.
        ag: the name of the operators' namespace in the generated code.
        blocks: the block functions made so far.
        flags: the names of the flags made so far.
        form: the form in which it is converted.
        block: the name that the generator of a context manager calls the block of its `with` by.
    """

    def __init__(
        self, tree: Any, filename: str, form: Form = Form.PLAIN, block: str | None = None
    ) -> None:
        self.tree = tree
        self.filename = filename
        self.functions: list[Any] = functions_in(tree)
        self.names = names_in(tree)
        self.namer = Namer(self.names)
        self.ag = self.namer.fresh("ag")
        self.blocks: list[gast.FunctionDef] = []
        self.flags: set[str] = set()
        self.form = form
        self.block = block
        self.suspending = frozenset(each for each in self.functions if suspends(each.body))
        self._flows: dict[gast.AST, Flow] = {}

    @property
    def stages_tries(self) -> bool:
        """Whether `try` becomes blocks, as a function needs that is being staged."""
        return self.form is not Form.PLAIN

    def flow(self, function: Any) -> Flow:
        """The analyses of a function of the tree; they hold until `forget`."""
        if function not in self._flows:
            self._flows[function] = Flow(
                function, frozenset(self.flags), self.stages_tries, function in self.suspending
            )
        return self._flows[function]

    def forget(self) -> None:
        """Drop the analyses: the tree has changed in a way that they do not survive."""
        self._flows.clear()
