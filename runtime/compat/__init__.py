"""The ways of versions: `v1` and `v2`, texts and bytes, kinds of numbers, dimensions."""

from runtime.compat import v1 as v1
from runtime.compat import v2 as v2
from runtime.compat.texts import as_bytes as as_bytes
from runtime.compat.texts import as_str as as_str
from runtime.compat.texts import as_str_any as as_str_any
from runtime.compat.texts import as_text as as_text
from runtime.compat.texts import bytes_or_text_types as bytes_or_text_types
from runtime.compat.texts import complex_types as complex_types
from runtime.compat.texts import dimension_at_index as dimension_at_index
from runtime.compat.texts import dimension_value as dimension_value
from runtime.compat.texts import integral_types as integral_types
from runtime.compat.texts import path_to_str as path_to_str
from runtime.compat.texts import real_types as real_types
from runtime.core.lazy import facade as _facade

__dir__ = _facade(__name__, "v1 v2")
