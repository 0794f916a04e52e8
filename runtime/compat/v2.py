"""Version 2's way of TensorFlow, which is that of the package itself."""

from typing import Any

import runtime


def __getattr__(name: str) -> Any:
    return getattr(runtime, name)


def __dir__() -> list[str]:
    return dir(runtime)
