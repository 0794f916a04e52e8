"""The names that TensorFlow keeps under `experimental`."""

from runtime.experimental import dlpack as dlpack
from runtime.lazy import public as _public

__dir__ = _public(__name__, "dlpack")
