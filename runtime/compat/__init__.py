"""The ways of other versions: `v1`, and texts and bytes."""

from runtime.compat import v1 as v1
from runtime.compat.texts import as_bytes as as_bytes
from runtime.compat.texts import as_str as as_str
from runtime.compat.texts import as_str_any as as_str_any
from runtime.compat.texts import as_text as as_text
from runtime.compat.texts import path_to_str as path_to_str
from runtime.core.lazy import facade as _facade

__dir__ = _facade(__name__, "v1")
