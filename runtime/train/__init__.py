"""Checkpoints: the variables of objects in files.

`trackable.py` says which objects take part, `checkpoint.py` saves them, `restoration.py` gives
values back, `checkpoint_file.py` is the format, `checkpoint_state.py` the file that names the
latest, `checkpoint_manager.py` keeps the last few, `checkpoint_reader.py` looks into one.
`moving_average.py` has averages of variables.
"""

import typing as _typing

from runtime.core.lazy import attributes as _attributes
from runtime.core.lazy import facade as _facade
from runtime.train.checkpoint import Checkpoint, CheckpointOptions
from runtime.train.checkpoint_manager import CheckpointManager
from runtime.train.checkpoint_reader import (
    CheckpointReader,
    list_variables,
    load_checkpoint,
    load_variable,
)
from runtime.train.checkpoint_state import CheckpointState, get_checkpoint_state, latest_checkpoint
from runtime.train.moving_average import ExponentialMovingAverage

if _typing.TYPE_CHECKING:
    from runtime.data.examples import BytesList as BytesList
    from runtime.data.examples import Example as Example
    from runtime.data.examples import Feature as Feature
    from runtime.data.examples import FeatureList as FeatureList
    from runtime.data.examples import FeatureLists as FeatureLists
    from runtime.data.examples import Features as Features
    from runtime.data.examples import FloatList as FloatList
    from runtime.data.examples import Int64List as Int64List
    from runtime.data.examples import SequenceExample as SequenceExample

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointReader",
    "CheckpointState",
    "ExponentialMovingAverage",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
_EXAMPLES = (
    "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List "
    "SequenceExample"
)
if not _typing.TYPE_CHECKING:
    __getattr__, _ = _attributes(__name__, {"runtime.data.examples": _EXAMPLES})
__dir__ = _facade(__name__, _EXAMPLES)
