"""Settings of version 1: what processes and sessions are told before anything is built."""

from __future__ import annotations

from dataclasses import field

from runtime.core.dataclasses import dataclass
from runtime.core.log import get_logger
from runtime.core.settings import changes_settings
from runtime.sessions.open_graph import disable_eager_execution, enable_eager_execution


@dataclass(slots=True)
class GPUOptions:
    """Options of GPUs; without effect, since there are none.

    >>> rt.compat.v1.GPUOptions(allow_growth=True).allow_growth
    True
    """

    allow_growth: bool = False
    per_process_gpu_memory_fraction: float = 0.0
    visible_device_list: str = ""


@dataclass(slots=True)
class ConfigProto:
    """Options of a session, read by nobody here: threads are set by `config.threading`.

    >>> config = rt.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> with rt.Graph().as_default(), rt.compat.v1.Session(config=config) as session:
    ...     int(session.run(rt.constant(1) + 1))
    2
    """

    device_count: dict[str, int] = field(default_factory=dict)
    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    gpu_options: GPUOptions = field(default_factory=GPUOptions)


def disable_v2_behavior() -> None:
    """From here on, on this thread, ops put nodes into the default graph.

    Variables stay those of version 2, read in the order of the program.

    >>> rt.compat.v1.disable_v2_behavior()
    >>> rt.executing_eagerly()
    False
    >>> rt.compat.v1.enable_v2_behavior()
    """
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """From here on ops are computed at once again.

    >>> rt.compat.v1.enable_v2_behavior()
    >>> rt.executing_eagerly()
    True
    """
    enable_eager_execution()


def enable_resource_variables() -> None:
    """Without effect: all variables are such.

    >>> rt.compat.v1.enable_resource_variables()
    """


def resource_variables_enabled() -> bool:
    """True: a variable is read where the program reads it.

    >>> rt.compat.v1.resource_variables_enabled()
    True
    """
    return True


@changes_settings
def set_verbosity(v: int) -> None:
    """From here on the library's logger has this level, and shows its messages on stderr where
    nothing else handles them.

    >>> rt.compat.v1.logging.set_verbosity(rt.compat.v1.logging.ERROR)
    >>> rt.get_logger().level
    40
    >>> rt.compat.v1.logging.set_verbosity(rt.compat.v1.logging.WARN)
    """
    from logging import StreamHandler

    logger = get_logger()
    logger.setLevel(v)
    if not logger.hasHandlers():
        logger.addHandler(StreamHandler())
