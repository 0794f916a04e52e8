"""Lower the subject of a `match` whose patterns ask for identity, class or structure.

    >>> from autograph.pipeline import show
    >>> print(show('match_statements', '''
    ... def f(x):
    ...     match x:
    ...         case None:
    ...             return 0
    ...         case _:
    ...             return x
    ... '''))
    def f(x):
        match ag.subject(x):
            case None:
                return 0
            case _:
                return x

Python itself decides which case fits, and asks no value whether it is None, True or False.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, constant
from autograph.rewriting import Rules
from autograph.trees import walk


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.Match: _match}


def _match(node: gast.Match) -> Any:
    patterns = [each for case in node.cases for each in walk(case.pattern)]
    if not any(isinstance(each, _ASKING) for each in patterns):
        return node
    singletons = [each.value for each in patterns if isinstance(each, gast.MatchSingleton)]
    asks_truth = any(type(each) is bool for each in singletons)
    given = [constant(True, node.subject)] if asks_truth else []
    node.subject = call_ag("subject", [node.subject, *given], node.subject)
    return node


_ASKING = (gast.MatchSingleton, gast.MatchClass, gast.MatchSequence, gast.MatchMapping)
