"""Training: `fit`, `evaluate`, `predict`, by steps that are staged functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from keras.src import backend, callbacks, optimizers, tree
from keras.src.backend import config
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

import runtime
from runtime.keras.adjustments import is_shown
from runtime.keras.conversion import converts
from runtime.keras.dataset_adapter import batches_of
from runtime.keras.settings import uses

_STEPS = ("train_step", "test_step", "predict_step", "compute_loss", "compute_metrics")


class Trainer(base_trainer.Trainer):
    """The base of Keras' models that trains and runs them."""

    def __init__(self) -> None:
        super().__init__()
        self.train_function: Callable[..., Any] | None = None
        self.test_function: Callable[..., Any] | None = None
        self.predict_function: Callable[..., Any] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        converts(cls, _STEPS)

    # One step

    def train_step(self, data: Any) -> Any:
        """The loss and metrics of one batch, after one update of the weights."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        with runtime.GradientTape() as tape:
            y_pred = self._output_of(x, training=True)
            loss = self._tracked_loss(x, y, y_pred, sample_weight, training=True)
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        weights = self.trainable_weights
        if weights:
            gradients = tape.gradient(loss, [weight.value for weight in weights])
            self.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> Any:
        """The loss and metrics of one batch."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self._output_of(x, training=False)
        self._tracked_loss(x, y, y_pred, sample_weight, training=False)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The model's output for one batch."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self._output_of(x, training=False)

    def _output_of(self, x: Any, training: bool) -> Any:
        return self(x, training=training) if self._call_has_training_arg else self(x)

    def _tracked_loss(
        self, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool
    ) -> Any:  # fmt: skip
        loss = self._compute_loss(
            x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training
        )
        size = runtime.shape(next(item for item in tree.flatten(x) if item is not None))[0]
        self._loss_tracker.update_state(loss, sample_weight=size)
        return loss

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None,
        training: bool = True,
    ) -> Any:  # fmt: skip
        """The loss that `compile` was given, and those that layers add.

        ValueError for the first without `y`.
        """
        if y is None and self._compile_loss is not None:
            raise ValueError(
                "the model is compiled with a loss, which compares its outputs with y, and there "
                "is no y: give it as fit(x, y), or as batches (x, y); a model that needs none is "
                "compiled without a loss, and calls self.add_loss(...) in its layers"
            )
        return super().compute_loss(x, y, y_pred, sample_weight, training)

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The values of all metrics, once they know of this batch."""
        values = super().compute_metrics(x, y, y_pred, sample_weight)
        compiled = self._compile_metrics  # which has built its own by now
        for metric in (*self._metrics, *(compiled.metrics if compiled else ())):
            uses(metric)
        return values

    # Steps as functions

    def _staged(self, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
        if self.run_eagerly:
            return lambda data: step(tree.map_structure(_tensor, data, none_is_leaf=False))

        def one_step(data: Any) -> Any:
            return step(data)

        staged = runtime.function(one_step, reduce_retracing=True)
        return lambda data: staged(_without_lists(data))

    def _last_of(self, step: Callable[[Any], Any]) -> Callable[[Iterable[Any]], Any]:
        one_step = self._staged(step)

        def steps(batches: Iterable[Any]) -> Any:
            for batch in batches:
                logs = one_step(batch)
            return logs

        return steps

    def make_train_function(self, force: bool = False) -> Any:
        """Make `train_function`, which takes a list of batches, unless it is there."""
        if self.train_function is None or force:
            self.train_function = self._last_of(self.train_step)
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """Make `test_function`, which takes a list of batches, unless it is there."""
        if self.test_function is None or force:
            self.test_function = self._last_of(self.test_step)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """Make `predict_function`, which takes a list of batches, unless it is there."""
        if self.predict_function is None or force:
            one_step = self._staged(self.predict_step)

            def steps(batches: Iterable[Any]) -> Any:
                made = [one_step(batch) for batch in batches]
                return tree.map_structure(_joined, *made) if len(made) > 1 else made[0]

            self.predict_function = steps
        return self.predict_function

    # Many steps

    @traceback_utils.filter_traceback  # type: ignore[untyped-decorator]
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:
        """Train for some epochs; the history of losses and metrics."""
        self._assert_compile_called("fit")
        epochs = _capped(epochs)
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            parts, validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
            x, y, sample_weight = parts
        batches = batches_of(
            x=x, y=y, sample_weight=sample_weight, batch_size=batch_size,
            steps_per_epoch=steps_per_epoch, shuffle=shuffle, class_weight=class_weight,
            steps_per_execution=self.steps_per_execution,
        )  # fmt: skip
        calls = self._callbacks(callbacks, verbose, epochs, batches, add_history=True)

        def validated() -> dict[str, Any]:
            return self._validated(
                validation_data, validation_batch_size or batch_size, validation_steps, calls
            )

        self.stop_training = False
        self.make_train_function()
        calls.on_train_begin()
        logs: Any = None
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            self.reset_metrics()
            calls.on_epoch_begin(epoch)
            # Data may run out later: then Keras warns.
            data = _some(batches) if logs is None else batches
            logs = self._trained_epoch(data, calls)
            if validation_data is not None and self._should_eval(epoch, validation_freq):
                logs.update(validated())
            calls.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        calls.on_train_end(logs=logs)
        return self.history

    def _trained_epoch(self, batches: Any, calls: Any) -> dict[str, Any]:
        logs: Any = {}
        assert self.train_function is not None
        for begin, end, data in batches:
            calls.on_train_batch_begin(begin)
            logs = self.train_function(data)
            calls.on_train_batch_end(end, logs)
            if self.stop_training:
                break
        return dict(self._get_metrics_result_or_logs(logs))

    def _validated(
        self, data: Any, batch_size: int | None, steps: int | None, calls: Any
    ) -> dict[str, Any]:
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        if self._eval_epoch_iterator is None:
            self._eval_epoch_iterator = batches_of(
                x=x, y=y, sample_weight=sample_weight, batch_size=batch_size,
                steps_per_epoch=steps, steps_per_execution=self.steps_per_execution,
            )  # fmt: skip
        logs = self.evaluate(
            x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps=steps,
            callbacks=calls, return_dict=True, _use_cached_eval_dataset=True,
        )  # fmt: skip
        return {f"val_{name}": value for name, value in logs.items()}

    def _callbacks(
        self, given: Any, verbose: Any, epochs: int, batches: Any, add_history: bool = False
    ) -> Any:
        if isinstance(given, callbacks.CallbackList):
            return given
        if verbose == "auto" and not is_shown():
            verbose = 0
        return callbacks.CallbackList(
            given, add_history=add_history, add_progbar=verbose != 0, verbose=verbose,
            epochs=epochs, steps=batches.num_batches, model=self,
        )  # fmt: skip

    @traceback_utils.filter_traceback  # type: ignore[untyped-decorator]
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The loss and metrics over all batches."""
        self._assert_compile_called("evaluate")
        cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches: Any = self._eval_epoch_iterator if cached else batches_of(
            x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps_per_epoch=steps,
            shuffle=False, steps_per_execution=self.steps_per_execution,
        )  # fmt: skip
        calls = self._callbacks(callbacks, verbose, 1, batches)
        test = self.make_test_function()
        self.stop_evaluating = False
        calls.on_test_begin()
        logs: Any = {}
        self.reset_metrics()
        for begin, end, data in _some(batches):
            calls.on_test_batch_begin(begin)
            logs = test(data)
            calls.on_test_batch_end(end, logs)
            if self.stop_evaluating:
                break
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        calls.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback  # type: ignore[untyped-decorator]
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """The model's outputs for all batches, as arrays."""
        batches = batches_of(
            x=x, batch_size=batch_size, steps_per_epoch=steps, shuffle=False,
            steps_per_execution=self.steps_per_execution,
        )  # fmt: skip
        calls = self._callbacks(callbacks, verbose, 1, batches)
        predict = self.make_predict_function()
        self.stop_predicting = False
        calls.on_predict_begin()
        outputs: list[Any] = []
        for begin, end, data in _some(batches):
            calls.on_predict_batch_begin(begin)
            made = predict(data)
            outputs.append(made)
            calls.on_predict_batch_end(end, {"outputs": made})
            if self.stop_predicting:
                break
        calls.on_predict_end()
        return tree.map_structure(_array_of, *outputs)

    # One batch

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """Train on one batch; its loss and metrics."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "sample_weight and class_weight cannot be given at the same time, got "
                    f"sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        return self._on_batch("train", (x, y, sample_weight), return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """The loss and metrics of one batch."""
        self._assert_compile_called("test_on_batch")
        return self._on_batch("test", (x, y, sample_weight), return_dict)

    def _on_batch(self, kind: str, data: Any, return_dict: bool) -> Any:
        data = tree.map_structure(_tensor, data, none_is_leaf=False)
        run = self.make_train_function() if kind == "train" else self.make_test_function()
        self.reset_metrics()
        logs = pythonify_logs(run([data]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """The model's output for one batch, as arrays."""
        data = tree.map_structure(_tensor, (x,), none_is_leaf=False)
        made = self.make_predict_function()([data])
        return tree.map_structure(backend.convert_to_numpy, made)


def _some(batches: Iterable[Any]) -> Iterator[Any]:
    """The batches; ValueError where there is none."""
    is_empty = True
    for batch in batches:
        is_empty = False
        yield batch
    if is_empty:
        raise ValueError(
            "there is no batch: the arrays, the dataset or the generator are empty, or a filter or "
            "drop_remainder leaves nothing of them"
        )


def _tensor(item: Any) -> Any:
    return None if item is None else backend.convert_to_tensor(item)


def _without_lists(data: Any) -> Any:
    """The data with tuples in the place of lists, which are others in a traced function."""
    if isinstance(data, list | tuple):
        return tuple(map(_without_lists, data))
    if isinstance(data, dict):
        return {name: _without_lists(item) for name, item in data.items()}
    return data


def _joined(*parts: Any) -> Any:
    return runtime.concat(parts, axis=0)


def _array_of(*parts: Any) -> Any:
    arrays = list(map(np.asarray, parts))
    return np.concatenate(arrays) if arrays[0].ndim else np.stack(arrays)


def _capped(epochs: int) -> int:
    most = config.max_epochs()
    if not most or most >= epochs:
        return epochs
    warnings.warn(f"Limiting epochs to {most}", stacklevel=3)
    return int(most)


def define(module: ModuleType) -> None:
    """Let a module give Keras its trainer."""
    module.NumpyTrainer = Trainer  # type: ignore[attr-defined]
