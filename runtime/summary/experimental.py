"""The default step, and scopes of names."""

from runtime.core.lazy import facade as _facade
from runtime.summary.recording import summary_scope as summary_scope
from runtime.summary.settings import get_step as get_step
from runtime.summary.settings import set_step as set_step

__dir__ = _facade(__name__)
