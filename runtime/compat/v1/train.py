"""Optimizers, the step, and checkpoints of sessions."""

from typing import Any as _Any

from runtime.core.lazy import facade as _facade
from runtime.dtypes import int64 as _int64
from runtime.sessions.adaptive_optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from runtime.sessions.adaptive_optimizers import AdagradOptimizer as AdagradOptimizer
from runtime.sessions.adaptive_optimizers import FtrlOptimizer as FtrlOptimizer
from runtime.sessions.adaptive_optimizers import (
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
)
from runtime.sessions.adaptive_optimizers import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from runtime.sessions.adaptive_optimizers import RMSPropOptimizer as RMSPropOptimizer
from runtime.sessions.decays import cosine_decay as cosine_decay
from runtime.sessions.decays import cosine_decay_restarts as cosine_decay_restarts
from runtime.sessions.decays import exponential_decay as exponential_decay
from runtime.sessions.decays import inverse_time_decay as inverse_time_decay
from runtime.sessions.decays import linear_cosine_decay as linear_cosine_decay
from runtime.sessions.decays import natural_exp_decay as natural_exp_decay
from runtime.sessions.decays import piecewise_constant as piecewise_constant
from runtime.sessions.decays import piecewise_constant_decay as piecewise_constant_decay
from runtime.sessions.decays import polynomial_decay as polynomial_decay
from runtime.sessions.open_graph import GraphKeys as _GraphKeys
from runtime.sessions.open_graph import OpenGraph as _OpenGraph
from runtime.sessions.open_graph import get_default_graph as _get_default_graph
from runtime.sessions.optimizers import AdamOptimizer as AdamOptimizer
from runtime.sessions.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from runtime.sessions.optimizers import MomentumOptimizer as MomentumOptimizer
from runtime.sessions.optimizers import Optimizer as Optimizer
from runtime.sessions.saver import Saver as Saver
from runtime.sessions.session import Session as _Session
from runtime.sessions.variables import GraphVariable as _GraphVariable
from runtime.train import CheckpointManager as CheckpointManager
from runtime.train import ExponentialMovingAverage as ExponentialMovingAverage
from runtime.train import get_checkpoint_state as get_checkpoint_state
from runtime.train import latest_checkpoint as latest_checkpoint
from runtime.train import list_variables as list_variables
from runtime.train import load_checkpoint as load_checkpoint
from runtime.train import load_variable as load_variable
from runtime.variables.variable import Variable as _Variable


def get_global_step(graph: _OpenGraph | None = None) -> _GraphVariable | None:
    """The variable that counts the steps of training in a graph; None where there is none.

    >>> rt.compat.v1.train.get_global_step(rt.Graph()) is None
    True
    """
    chosen = _get_default_graph() if graph is None else graph
    found: list[_GraphVariable] = chosen.get_collection(_GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def create_global_step(graph: _OpenGraph | None = None) -> _Any:
    """A variable that counts the steps of training. ValueError where the graph has one.

    >>> rt.compat.v1.train.create_global_step(rt.Graph()).name
    'global_step:0'
    """
    chosen = _get_default_graph() if graph is None else graph
    if get_global_step(chosen) is not None:
        raise ValueError('"global_step" already exists.')
    with chosen.as_default():
        keys = [_GraphKeys.GLOBAL_VARIABLES, _GraphKeys.GLOBAL_STEP]
        options: _Any = {"collections": keys}
        return _Variable(0, dtype=_int64, trainable=False, name="global_step", **options)


def get_or_create_global_step(graph: _OpenGraph | None = None) -> _Any:
    """The variable that counts the steps of training, which is made if there is none.

    >>> with rt.Graph().as_default():
    ...     step = rt.compat.v1.train.get_or_create_global_step()
    ...     step is rt.compat.v1.train.get_global_step()
    True
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: _Session, global_step_tensor: _Any) -> int:
    """The number of steps so far, in a session.

    >>> with rt.Graph().as_default(), rt.compat.v1.Session() as session:
    ...     step = rt.compat.v1.train.get_or_create_global_step()
    ...     session.run(step.initializer)
    ...     rt.compat.v1.train.global_step(session, step)
    0
    """
    return int(sess.run(global_step_tensor))


__dir__ = _facade(__name__)
