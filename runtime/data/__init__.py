"""Datasets: sequences of elements that are computed as they are asked for, by pipelines of
transformations.

`dataset.py` has `Dataset`, whose transformations stand in `selections.py`, `groups.py` and
`combinations.py`; `transformations.py` and `sources.py` are the pipelines behind them: each is an
iterator over tuples of arrays (`pipelines.py`); those of several elements stand in
`grouping_pipelines.py`, those of files in `files.py`, of folders in `saved.py`. `nodes.py` has what
a graph does with them, `positions.py` the positions of iterators that checkpoints keep.
"""

from runtime.core.lazy import facade as _facade
from runtime.data import experimental as experimental
from runtime.data.arguments import AUTOTUNE as AUTOTUNE
from runtime.data.arguments import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from runtime.data.arguments import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from runtime.data.dataset import Dataset as Dataset
from runtime.data.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from runtime.data.files import TextLineDataset as TextLineDataset
from runtime.data.files import TFRecordDataset as TFRecordDataset
from runtime.data.iterators import Iterator as Iterator
from runtime.data.layouts import DatasetSpec as DatasetSpec
from runtime.data.layouts import IteratorSpec as IteratorSpec
from runtime.data.options import Options as Options
from runtime.data.options import ThreadingOptions as ThreadingOptions

__dir__ = _facade(__name__, "experimental")
