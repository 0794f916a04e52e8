"""The ways of other versions: `v1`."""

from runtime.compat import v1 as v1
from runtime.core.lazy import facade as _facade

__dir__ = _facade(__name__, "v1")
