"""What the converters of one function share."""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.blocks import Flow
from autograph.analysis.scopes import functions_in
from autograph.names import Namer


class Context:
    """One conversion.

    Attributes:
        tree: the function that is converted.
        filename: the user's file.
        namer: gives names that the user does not use.
        ag: the name of the operators' namespace in the generated code.
        blocks: the block functions made so far.
        flags: the names of the flags made so far.
    """

    def __init__(self, tree: Any, filename: str, namer: Namer) -> None:
        self.tree = tree
        self.filename = filename
        self.namer = namer
        self.ag = namer.fresh("ag")
        self.blocks: list[gast.FunctionDef] = []
        self.flags: set[str] = set()
        self._flows: dict[gast.AST, Flow] = {}

    def functions(self) -> list[Any]:
        """The user's function definitions in the tree, outer ones first."""
        return functions_in(self.tree, {id(block) for block in self.blocks})

    def flow(self, function: Any) -> Flow:
        """The analyses of a function of the tree; they hold until `forget`."""
        if function not in self._flows:
            self._flows[function] = Flow(function, frozenset(self.flags))
        return self._flows[function]

    def forget(self) -> None:
        """Drop the analyses: the tree has changed in a way that they do not survive."""
        self._flows.clear()
