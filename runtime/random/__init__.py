"""Random numbers, seeds and generators."""

# fmt: off
# ruff: noqa: I001
from types import SimpleNamespace as _SimpleNamespace

from runtime.core.lazy import facade as _facade
from runtime.random.generator import (
    Algorithm as Algorithm, Generator as Generator, create_rng_state as create_rng_state,
    get_global_generator as get_global_generator, set_global_generator as set_global_generator,
)
from runtime.ops.random.seeds import get_seed as get_seed, set_seed as set_seed
from runtime.ops.random.stateful import (
    categorical as categorical, gamma as gamma, normal as normal, poisson as poisson,
    shuffle as shuffle, truncated_normal as truncated_normal, uniform as uniform,
)
from runtime.ops.random.stateless import (
    fold_in as fold_in, split as split, stateless_binomial as stateless_binomial,
    stateless_categorical as stateless_categorical, stateless_gamma as stateless_gamma,
    stateless_normal as stateless_normal, stateless_poisson as stateless_poisson,
    stateless_shuffle as _stateless_shuffle,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)

# The names under which these were first published.
experimental = _SimpleNamespace(
    Algorithm=Algorithm, Generator=Generator, create_rng_state=create_rng_state,
    get_global_generator=get_global_generator, set_global_generator=set_global_generator,
    stateless_fold_in=fold_in, stateless_shuffle=_stateless_shuffle, stateless_split=split,
)

__dir__ = _facade(__name__)
