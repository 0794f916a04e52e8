"""Python's compiler, for one thread at a time."""

from autograph.compiler import parse as parse
from autograph.compiler import parse_expression as parse_expression
