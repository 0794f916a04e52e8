"""The names that TensorFlow keeps under `experimental`."""

from runtime.core.lazy import public as _public
from runtime.data.optionals import Optional as Optional
from runtime.experimental import dlpack as dlpack

__dir__ = _public(__name__, "Optional dlpack")
