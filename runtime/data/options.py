"""`Options` of a dataset."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

_GROUPS = {
    "autotune": (
        "autotune_algorithm cpu_budget enabled initial_parallelism min_parallelism ram_budget"
    ),
    "experimental_distribute": "auto_shard_policy num_devices",
    "experimental_optimization": (
        "apply_default_optimizations filter_fusion filter_parallelization inject_prefetch "
        "map_and_batch_fusion map_and_filter_fusion map_fusion map_parallelization "
        "noop_elimination parallel_batch seq_interleave_prefetch shuffle_and_repeat_fusion"
    ),
    "threading": "max_intra_op_parallelism private_threadpool_size",
}
_SINGLE = (
    "dataset_name deterministic experimental_deterministic experimental_external_state_policy "
    "experimental_slack experimental_symbolic_checkpoint experimental_threading "
    "experimental_warm_start framework_type"
)


class Options:
    """The options of a dataset. `deterministic=False` lets a parallel `map` give elements as they
    come; all others are taken, and change nothing here.

    >>> options = rt.data.Options()
    >>> options.deterministic = True
    >>> options.autotune.enabled = False
    >>> options.deterministic
    True
    """

    deterministic: bool | None

    def __init__(self) -> None:
        found = {name: SimpleNamespace(**dict.fromkeys(of.split())) for name, of in _GROUPS.items()}
        vars(self).update(dict.fromkeys(_SINGLE.split()) | found)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in vars(self):
            raise AttributeError(f"Cannot set the property {name} on Options: there is none")
        if name.endswith("deterministic") and not isinstance(value, bool | None):
            raise TypeError(f"Options: {name} must be a bool or None, got {value!r}")
        vars(self)[name] = value

    def merge(self, options: Options) -> Options:
        """These options, and those of `options` that are not None in place of them.

        >>> rt.data.Options().merge(rt.data.Options()).deterministic is None
        True
        """
        made = copy.deepcopy(self)
        for name, value in vars(options).items():
            if name in _GROUPS:
                given = {key: x for key, x in vars(value).items() if x is not None}
                vars(vars(made)[name]).update(given)
            elif value is not None:
                vars(made)[name] = value
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]
