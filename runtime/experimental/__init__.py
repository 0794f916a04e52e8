"""The names that TensorFlow keeps under `experimental`."""

from runtime.core.lazy import public as _public
from runtime.experimental import dlpack as dlpack

__dir__ = _public(__name__, "dlpack")
