"""Lower `assert` to `ag.assert_`, with the message as a lambda.

    >>> from autograph.pipeline import show
    >>> print(show('assert_statements', '''
    ... def f(x):
    ...     assert x > 0, 'positive'
    ... '''))
    def f(x):
        ag.assert_(x > 0, lambda: 'positive')

Under `python -O` the user's own code has no asserts; neither has the converted one.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, expression_statement, lambda_of
from autograph.rewriting import Rules, fits_lambda


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.Assert: _assert}


def _assert(node: gast.Assert) -> Any:
    if not __debug__:
        return gast.copy_location(gast.Pass(), node)
    if node.msg is not None and not fits_lambda(node.msg):
        return node
    message = [] if node.msg is None else [lambda_of(node.msg, node.msg)]
    return expression_statement(call_ag("assert_", [node.test, *message], node), node)
