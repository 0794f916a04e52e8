"""Tables that change."""

from runtime.core.lazy import facade as _facade
from runtime.lookup.tables import DenseHashTable as DenseHashTable
from runtime.lookup.tables import MutableHashTable as MutableHashTable

__dir__ = _facade(__name__)
