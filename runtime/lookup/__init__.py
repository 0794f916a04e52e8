"""Tables from keys to values, of numbers and texts, eagerly and in graphs."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import public as _public
from runtime.lookup import experimental as experimental
from runtime.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer, TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from runtime.lookup.tables import (
    StaticHashTable as StaticHashTable, StaticVocabularyTable as StaticVocabularyTable,
)

__dir__ = _public(
    __name__,
    "KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex "
    "TextFileInitializer experimental",
)
