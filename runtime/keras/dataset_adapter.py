"""Datasets of `runtime` as what a model is trained on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator


class DatasetAdapter(DataAdapter):
    """The batches of a dataset."""

    def __init__(self, dataset: Any, class_weight: Any = None) -> None:
        self._dataset = dataset
        self._class_weight = class_weight

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches, as tensors."""
        for batch in self._dataset:
            yield batch if self._class_weight is None else self._weighted(batch)

    def _weighted(self, batch: Any) -> Any:
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(batch)
        if sample_weight is not None:
            raise ValueError("class_weight and sample weights in a dataset exclude each other")
        return x, y, data_adapter_utils.class_weight_to_sample_weights(y, self._class_weight)

    @property
    def num_batches(self) -> int | None:
        """The number of batches, None where it is unknown or infinite."""
        count = int(self._dataset.cardinality())
        return None if count < 0 else count

    @property
    def batch_size(self) -> int | None:
        """None: batches are what they are."""
        return None

    @property
    def has_partial_batch(self) -> bool | None:
        """None: it is not known before."""
        return None

    @property
    def partial_batch_size(self) -> int | None:
        """None: it is not known before."""
        return None


def batches_of(x: Any, **options: Any) -> EpochIterator:
    """An iterator over the batches of data in any form that `fit` takes, one epoch at a time."""
    module = sys.modules.get("runtime.data")
    if module is None or not isinstance(x, module.Dataset):
        return EpochIterator(x=x, **options)
    for name in ("y", "sample_weight"):
        if options.pop(name, None) is not None:
            raise ValueError(f"{name} is not given beside a dataset: its elements have it")
    options.pop("batch_size", None)
    return EpochIterator(x=DatasetAdapter(x, options.pop("class_weight", None)), **options)
