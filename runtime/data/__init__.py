"""Datasets: sequences of elements that are computed as they are asked for, by pipelines of
transformations.

dataset, chained                what the user has, and the base of the classes of its methods:
selections, groups              transformations of single elements, of several,
combinations, resampling        of several datasets; classes that come as often as they should
pipelines                       what runs for a dataset: an iterator over tuples of arrays
sources, transformations        where elements come from, and pipelines made of others;
grouping_pipelines, storing     of several elements at a time; elements that are kept
generators, functions           the user's generators; functions of elements, which are traced
threads, randomness             elements that threads compute; the draws of `shuffle`
files, csv_files, saved         elements of files and of folders
examples                        `train.Example`
iterators, positions            iterators; how far they are, for checkpoints
nodes                           datasets and iterators in graphs
layouts, optionals              the structure of elements; elements that may be missing
arguments, options              arguments of transformations; `Options`
experimental                    older forms
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
