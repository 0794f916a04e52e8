"""Settings of the process: devices, threads, and whether functions run as graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime.core import blas, threads
from runtime.core import executor as _executor
from runtime.core.device import _Settings
from runtime.core.eager_mode import functions_run_eagerly as functions_run_eagerly
from runtime.core.eager_mode import run_functions_eagerly as run_functions_eagerly
from runtime.core.lazy import Explaining as _Explaining
from runtime.core.lazy import public as _public
from runtime.core.settings import changes_settings as _changes_settings

experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


class PhysicalDevice(NamedTuple):
    """A device of this machine.

    >>> rt.config.PhysicalDevice("/physical_device:CPU:0", "CPU").device_type
    'CPU'
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that ops can be placed on.

    >>> rt.config.LogicalDevice("CPU:0", "CPU").name
    'CPU:0'
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration:
    """One of the logical devices that a physical one is split into.

    >>> rt.config.LogicalDeviceConfiguration()
    LogicalDeviceConfiguration(memory_limit=None)
    """

    def __init__(
        self,
        memory_limit: int | None = None,
        experimental_priority: int | None = None,
        experimental_device_ordinal: int | None = None,
    ) -> None:
        self.memory_limit = memory_limit
        self.experimental_priority = experimental_priority
        self.experimental_device_ordinal = experimental_device_ordinal

    def __repr__(self) -> str:
        return f"LogicalDeviceConfiguration(memory_limit={self.memory_limit})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogicalDeviceConfiguration) and vars(self) == vars(other)

    __hash__ = object.__hash__


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class _Devices:
    visible: bool = True
    configurations: list[LogicalDeviceConfiguration] | None = None


def _of_type(devices: Sequence[Any], device_type: str | None) -> list[Any]:
    return [d for d in devices if device_type is None or d.device_type == device_type.upper()]


@_changes_settings
def set_executor(executor: str | None) -> None:
    """Choose the executor of the graphs that are made from now on.

    It is "numpy", Python over NumPy, or "native", machine code for all that it can be made for,
    once calls have cost about what compiling takes. None leaves it to what is installed, as the
    environment variable AUTOGRAPH_EXECUTOR does where it is not set.

    ValueError for other names; ImportError where the extra `native` is not installed.

    >>> rt.config.set_executor("numpy")
    >>> rt.config.get_executor()
    'numpy'
    >>> rt.config.set_executor(None)
    """
    _executor.choose(executor)


def get_executor() -> str:
    """The executor that graphs run on, unless their function has one of its own.

    >>> rt.config.get_executor() in ("numpy", "native")
    True
    """
    return _executor.chosen()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine (of one type: "CPU", "GPU"). This runtime knows one CPU.

    >>> rt.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return _of_type([_CPU], device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that ops can be placed on.

    >>> len(rt.config.list_logical_devices("CPU"))
    1
    """
    if not _Devices.visible:
        return []
    made = [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(_Settings.cpus)]
    return _of_type(made, device_type)


def _known(device: Any) -> None:
    if device != _CPU:
        raise ValueError(f"Unrecognized device: {device!r}; the devices are {[_CPU]}")


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The physical devices that are in use.

    >>> rt.config.get_visible_devices() == rt.config.list_physical_devices()
    True
    """
    return _of_type([_CPU] if _Devices.visible else [], device_type)


@_changes_settings
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Use these devices only; of one type, leave the others as they are. ValueError for unknown
    ones.

    >>> rt.config.set_visible_devices(rt.config.list_physical_devices("CPU"))
    """
    one = isinstance(devices, PhysicalDevice | str)
    chosen = [devices] if one else list(devices or ())
    for device in chosen:
        _known(device)
        if device_type is not None and device.device_type != device_type.upper():
            raise ValueError(f"Expected {device!r} to be of type {device_type}")
    if device_type is None or device_type.upper() == "CPU":
        _Devices.visible = bool(chosen)


def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """Returns the logical devices that a physical device is split into, or None.

    >>> cpu = rt.config.list_physical_devices("CPU")[0]
    >>> rt.config.get_logical_device_configuration(cpu) is None
    True
    """
    _known(device)
    return None if _Devices.configurations is None else list(_Devices.configurations)


@_changes_settings
def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Split a CPU into logical devices, which `tf.device("CPU:1")` names. ValueError for unknown
    devices.

    >>> cpu = rt.config.list_physical_devices("CPU")[0]
    >>> rt.config.set_logical_device_configuration(cpu, [rt.config.LogicalDeviceConfiguration()])
    >>> rt.config.list_logical_devices()
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    >>> rt.config.set_logical_device_configuration(cpu, None)
    """
    _known(device)
    chosen = list(logical_devices or ())
    if any(configuration.memory_limit is not None for configuration in chosen):
        raise ValueError("Setting memory limit on CPU is not supported")
    _Devices.configurations = chosen or None
    _Settings.cpus = max(1, len(chosen))


def get_soft_device_placement() -> bool:
    """True if CPU:0 stands for a device that is not there.

    >>> rt.config.get_soft_device_placement()
    True
    """
    return _Settings.soft_placement


@_changes_settings
def set_soft_device_placement(enabled: bool) -> None:
    """Let devices that are not there stand for CPU:0, or else be errors.

    >>> rt.config.set_soft_device_placement(True)
    """
    _Settings.soft_placement = bool(enabled)


class _Threads:
    inter_op = 0
    intra_op = 0
    default = 0


def _checked(count: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"a number of threads is an integer, not {count!r}")
    if count < 0:
        raise ValueError(f"a number of threads must not be negative, got {count} (0: the default)")
    return count


class threading(metaclass=_Explaining):
    """The numbers of threads; 0 stands for the default.

    >>> rt.config.threading.get_intra_op_parallelism_threads() >= 0
    True
    """

    @staticmethod
    def get_intra_op_parallelism_threads() -> int:
        """Threads that one op may use.

        >>> rt.config.threading.get_intra_op_parallelism_threads() >= 0
        True
        """
        return _Threads.intra_op

    @staticmethod
    @_changes_settings
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """Let one op use as many threads: matrix products of NumPy's BLAS, and large loops of
        machine code, whose results do not depend on it.

        >>> threads = rt.config.threading.get_intra_op_parallelism_threads()
        >>> rt.config.threading.set_intra_op_parallelism_threads(threads)
        """
        count = _checked(num_threads)
        _Threads.default = _Threads.default or blas.threads() or 0
        _Threads.intra_op = count
        threads.choose(count)
        if count or _Threads.default:
            blas.set_threads(count or _Threads.default)

    @staticmethod
    def get_inter_op_parallelism_threads() -> int:
        """Threads that run independent ops; this runtime runs one op after the other whatever it
        is.

        >>> rt.config.threading.get_inter_op_parallelism_threads() >= 0
        True
        """
        return _Threads.inter_op

    @staticmethod
    @_changes_settings
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """Threads that run independent ops; this runtime runs one op after the other whatever it
        is.

        >>> threads = rt.config.threading.get_inter_op_parallelism_threads()
        >>> rt.config.threading.set_inter_op_parallelism_threads(threads)
        """
        _Threads.inter_op = _checked(num_threads)


class experimental(metaclass=_Explaining):
    """Older names, and what concerns GPUs.

    >>> rt.config.experimental.list_physical_devices("GPU")
    []
    """

    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    get_visible_devices = staticmethod(get_visible_devices)
    set_visible_devices = staticmethod(set_visible_devices)
    VirtualDeviceConfiguration = LogicalDeviceConfiguration
    get_virtual_device_configuration = staticmethod(get_logical_device_configuration)
    set_virtual_device_configuration = staticmethod(set_logical_device_configuration)

    @staticmethod
    def set_memory_growth(device: Any, enable: bool) -> None:
        """ValueError: only GPUs have this setting, and there is none.

        >>> for gpu in rt.config.list_physical_devices("GPU"):
        ...     rt.config.experimental.set_memory_growth(gpu, True)
        """
        _known(device)
        raise ValueError("Cannot set memory growth on non-GPU devices")

    @staticmethod
    def get_memory_growth(device: Any) -> bool:
        """ValueError: only GPUs have this setting, and there is none.

        >>> gpus = rt.config.list_physical_devices("GPU")
        >>> [rt.config.experimental.get_memory_growth(gpu) for gpu in gpus]
        []
        """
        _known(device)
        raise ValueError("Memory growth is not a setting of non-GPU devices")

    @staticmethod
    def enable_op_determinism() -> None:
        """Nothing to do: ops give the same result each time, and random ones do so once a seed is
        set.

        >>> rt.config.experimental.enable_op_determinism()
        """


__dir__ = _public(
    __name__,
    "experimental_functions_run_eagerly experimental_run_functions_eagerly functions_run_eagerly "
    "get_executor set_executor "
    "run_functions_eagerly",
)
