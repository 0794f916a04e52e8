"""Modules made from text, for tests of what reads files."""

import importlib.util
from pathlib import Path
from typing import Any


def import_text(path: Path, text: str | bytes, name: str = "sample") -> Any:
    """The module that `text` is, written to `path`."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
