"""Devices: their names, and scopes that say where ops run."""

from __future__ import annotations

import re
from typing import Any

from runtime import errors
from runtime.core.state import state

_PART = (
    r"(?P<job>job:[A-Za-z0-9_]+)|(?P<place>(?:replica|task):\d+)"
    r"|(?:device:)?(?P<kind>[A-Za-z_][A-Za-z0-9_]*)(?::(?P<index>\d+|\*))?"
)
_KINDS = ("CPU", "GPU", "TPU")


class _Settings:
    """The settings of the process: the number of logical CPUs, and what unknown devices mean."""

    soft_placement = True
    cpus = 1


def parse(name: str) -> tuple[str, int]:
    """The kind and index of a device name such as "/cpu:0", "GPU:1" or
    "/job:localhost/device:CPU:0".

    Raises ValueError for anything else.
    """
    found: tuple[str, int] | None = None
    for part in name.removeprefix("/").split("/"):
        match = re.fullmatch(_PART, part)
        if match is None or (match["kind"] and match["kind"].upper() not in _KINDS):
            raise ValueError(
                f"the device name {name!r} has an unknown part {part!r}: write, say, '/cpu:0', "
                "'GPU:1' or '/job:localhost/replica:0/task:0/device:CPU:0'"
            )
        if match["kind"]:
            index = match["index"] or "0"
            found = match["kind"].upper(), 0 if index == "*" else int(index)
    return found or ("CPU", 0)


def full_name(kind: str, index: int) -> str:
    """The complete name of a device of this process."""
    return f"/job:localhost/replica:0/task:0/device:{kind}:{index}"


def placed(name: str) -> str | None:
    """The device that computes for a scope of this name; None for the usual one."""
    kind, index = parse(name)
    if kind == "CPU" and index < _Settings.cpus:
        return full_name(kind, index) if index else None
    if _Settings.soft_placement:
        return None
    raise errors.InvalidValueError(
        f"there is no device {name!r}: there are {_Settings.cpus} logical CPU devices and no "
        "others. With tf.config.set_soft_device_placement(True) it would be CPU:0",
    )


class device:
    """Inside this block ops run on the device of that name, and their results say so.

    The nodes of a graph that is traced keep the name that was asked for.
    There are CPUs only: with soft placement (the default) other devices that are asked for become
    CPU:0, without it they raise InvalidArgumentError. None stands for the usual device. ValueError
    for what names no device.

    >>> with rt.device("CPU:0"):
    ...     x = rt.constant(1)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: Any) -> None:
        if device_name is not None and not isinstance(device_name, str):
            device_name = str(device_name)
        self._name = device_name
        if device_name is not None:
            parse(device_name)
        self._before: list[tuple[Any, str | None, str | None]] = []

    def __enter__(self) -> None:
        chosen = None if self._name is None else placed(self._name)
        trace = state.trace
        self._before.append((trace, state.device, trace and trace.device))
        state.device = chosen
        if trace is not None:
            trace.device = None if self._name is None else full_name(*parse(self._name))

    def __exit__(self, *exception: object) -> None:
        trace, state.device, before = self._before.pop()
        if trace is not None:
            trace.device = before
