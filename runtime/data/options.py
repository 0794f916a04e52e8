"""`Options` of a dataset."""

from __future__ import annotations

from typing import Any, ClassVar


class _Settings:
    """Attributes of known names, None at first. Those of a dataset do not change any more."""

    _names: ClassVar[str] = ""
    _is_fixed = False

    def __init__(self) -> None:
        vars(self).update(dict.fromkeys(self._names.split()))

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self).__name__
        if name not in vars(self):
            known = ", ".join(self._set())
            raise AttributeError(f"Cannot set the property {name} on {kind}: there are {known}")
        if self._is_fixed:
            raise ValueError(
                f"{kind}: the options of a dataset do not change: give new ones to with_options()"
            )
        vars(self)[name] = value

    def _take(self, other: Any) -> None:
        """Take what is set there, in place of what is set here."""
        for name, value in other._set().items():
            if isinstance(value, _Settings):
                vars(self)[name]._take(value)
            elif value is not None:
                vars(self)[name] = value

    def _fix(self) -> None:
        for value in self._set().values():
            if isinstance(value, _Settings):
                value._fix()
        vars(self)["_is_fixed"] = True

    def _set(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_is_fixed"}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._set() == other._set()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        known = {name: value for name, value in self._set().items() if value is not None}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in known.items())})"


class AutotuneOptions(_Settings):
    """The options in `Options.autotune`: they are taken, and change nothing.

    >>> rt.data.experimental.AutotuneOptions().enabled is None
    True
    """

    _names = "autotune_algorithm cpu_budget enabled initial_parallelism min_parallelism ram_budget"


class DistributeOptions(_Settings):
    """The options in `Options.experimental_distribute`: they are taken, and change nothing.

    >>> rt.data.experimental.DistributeOptions().num_devices is None
    True
    """

    _names = "auto_shard_policy num_devices"


class OptimizationOptions(_Settings):
    """The options in `Options.experimental_optimization`: they are taken, and change nothing.

    >>> rt.data.experimental.OptimizationOptions().map_fusion is None
    True
    """

    _names = (
        "apply_default_optimizations filter_fusion filter_parallelization inject_prefetch "
        "map_and_batch_fusion map_and_filter_fusion map_fusion map_parallelization "
        "noop_elimination parallel_batch seq_interleave_prefetch shuffle_and_repeat_fusion"
    )


class ThreadingOptions(_Settings):
    """The options in `Options.threading`: they are taken, and change nothing.

    >>> rt.data.ThreadingOptions().private_threadpool_size is None
    True
    """

    _names = "max_intra_op_parallelism private_threadpool_size"


class Options(_Settings):
    """The options of a dataset. `deterministic=False` lets a parallel `map` give elements as they
    come; all others are taken, and change nothing here.

    AttributeError for other names. Those that `dataset.options()` gives cannot be set: ValueError.

    >>> options = rt.data.Options()
    >>> options.deterministic = True
    >>> options.autotune.enabled = False
    >>> options.deterministic
    True
    """

    deterministic: bool | None
    autotune: AutotuneOptions
    experimental_distribute: DistributeOptions
    experimental_optimization: OptimizationOptions
    threading: ThreadingOptions

    _names = (
        "dataset_name deterministic experimental_deterministic experimental_external_state_policy "
        "experimental_slack experimental_symbolic_checkpoint experimental_threading "
        "experimental_warm_start framework_type"
    )

    def __init__(self) -> None:
        super().__init__()
        vars(self).update(
            autotune=AutotuneOptions(),
            experimental_distribute=DistributeOptions(),
            experimental_optimization=OptimizationOptions(),
            threading=ThreadingOptions(),
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if name.endswith("deterministic") and not isinstance(value, bool | None):
            raise TypeError(f"Options: {name} must be a bool or None, got {value!r}")
        super().__setattr__(name, value)

    def merge(self, options: Options) -> Options:
        """These options, and those of `options` that are not None in place of them.

        >>> rt.data.Options().merge(rt.data.Options()).deterministic is None
        True
        """
        made = Options()
        made._take(self)
        made._take(options)
        return made
