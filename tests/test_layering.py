"""Who may import whom: the table is the documentation. Imports are read, not run."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WATCHED = {"autograph", "runtime", "gast", "astor", "numpy", "jax", "torch", "tensorflow"}

# What converters share: no converter imports another, and none imports an operator.
TREES = "gast autograph.trees autograph.names autograph.errors"
SHARED = (
    f"{TREES} autograph.analysis autograph.quoting autograph.context autograph.rewriting "
    "autograph.lowering autograph.exits"
)
DISPATCH = "autograph.backend autograph.undefined autograph.errors autograph.frames"
TYPES = "numpy runtime.cells runtime.dtypes runtime.shapes runtime.types runtime.errors"
FACTS = "runtime.forms runtime.identities runtime.intervals"
CORE = f"{TYPES} runtime.state {FACTS} runtime.primitive"
IR = f"{TYPES} runtime.graph.nodes runtime.graph.ir"
OPS = f"{CORE} runtime.workspace runtime.tensor runtime.convert runtime.ops runtime.lazy"

# The longest prefix of a module's name finds its row. Each word of a row allows a module and all
# below it. What a row does not name is not imported, not even inside a function. In `autograph`
# every module has a row; in `runtime` those of the core have one, and what is built on them, the
# last row, is imported by none of them.
MAY_IMPORT = {
    "autograph.cells": "",
    "autograph.errors": "autograph.cells",
    "autograph.frames": "autograph.errors",
    "autograph.trees": "gast",
    "autograph.names": "gast autograph.trees",
    "autograph.quoting": f"{TREES} autograph.quoting",
    "autograph.analysis": f"{TREES} autograph.analysis",
    "autograph.context": SHARED,
    "autograph.rewriting": SHARED,
    "autograph.lowering": SHARED,
    "autograph.exits": SHARED,
    "autograph.converters": SHARED,
    "autograph.pipeline": f"{SHARED} autograph.converters autograph.printing",
    "autograph.string_literals": "",
    "autograph.line_wrapping": "",
    "autograph.printing": f"{TREES} autograph.string_literals autograph.line_wrapping astor",
    "autograph.load": f"{TREES} autograph.quoting",
    "autograph.magics": "",
    "autograph.code_comparison": "autograph.load",
    "autograph.source": f"{TREES} autograph.load autograph.magics autograph.code_comparison",
    "autograph.undefined": "autograph.errors",
    "autograph.backend": DISPATCH,
    "autograph.operators": f"{DISPATCH} autograph.operators",
    "autograph.codes": "",
    "autograph.policy": "autograph.codes autograph.frames autograph.errors",
    "autograph.mutation": "autograph.mutation autograph.codes autograph.frames autograph.errors",
    "autograph.terminal": "",
    "autograph.comments": "autograph.terminal",
    "autograph.completion": "",
    "autograph.views": (
        "autograph.pipeline autograph.terminal autograph.comments autograph.printing "
        "autograph.source autograph.trees"
    ),
    "autograph.graph_view": "autograph.errors autograph.source",
    "autograph.branch_marks": SHARED,
    "autograph.conversion": "autograph",
    "autograph.line_profiles": "autograph",
    "autograph.twins": "autograph.policy autograph.codes autograph.errors autograph.conversion",
    "autograph.calls": (
        f"{DISPATCH} autograph.operators autograph.codes autograph.policy autograph.twins"
    ),
    "autograph.api": "autograph",
    "autograph.__main__": "autograph",
    "autograph": "autograph",
    "runtime.cells": "autograph.cells",
    "runtime.reloading": "",
    "runtime.displays": "numpy",
    "runtime.tracebacks": "autograph.errors autograph.frames runtime.cells runtime.errors",
    "runtime.errors": "runtime.lazy runtime.cells",
    "runtime.lazy": "",
    "runtime.dtypes": "numpy runtime.lazy",
    "runtime.shapes": TYPES,
    "runtime.types": TYPES,
    "runtime.state": "numpy",
    "runtime.workspace": "numpy",
    "runtime.forms": TYPES,
    "runtime.identities": TYPES,
    "runtime.intervals": "",
    "runtime.primitive": f"{TYPES} runtime.state {FACTS}",
    "runtime.tensor": f"{CORE} runtime.displays",
    "runtime.convert": OPS,
    "runtime.ops": OPS,
    "runtime.ops.strings.conversion": f"{OPS} runtime.printing",
    "runtime.autodiff": f"{OPS} runtime.autodiff runtime.nest runtime.graph runtime.log",
    "runtime.variable_creation": OPS,
    "runtime.variable_handle": f"{OPS} runtime.autodiff runtime.variable",
    "runtime.variable_primitives": f"{OPS} runtime.variable_handle",
    "runtime.variable": (
        f"{OPS} runtime.autodiff runtime.naming runtime.variable_creation "
        "runtime.variable_handle runtime.variable_primitives runtime.displays"
    ),
    "runtime.graph": f"{OPS} runtime.graph runtime.naming runtime.reloading",
    "runtime.graph.nodes": f"{CORE} runtime.convert",
    "runtime.graph.ir": (
        f"{CORE} runtime.graph.data runtime.graph.nodes runtime.graph.views "
        "runtime.graph.graph_def runtime.graph.printing runtime.graph.pictures "
        "runtime.graph.storage"
    ),
    "runtime.graph.data": TYPES,
    "runtime.graph.storage": (
        f"{OPS} runtime.graph runtime.variable runtime.variable_handle runtime.pickling "
        "runtime.autodiff.custom"
    ),
    "runtime.graph.verification": f"{IR} runtime.graph.data",
    "runtime.graph.unique_names": "",
    "runtime.graph.notation": (
        f"{IR} runtime.ops runtime.primitive runtime.graph.arrays runtime.graph.templates "
        "runtime.graph.unique_names"
    ),
    "runtime.graph.printing": f"{IR} runtime.graph.notation runtime.graph.unique_names",
    "runtime.graph.views": f"{IR} runtime.ops runtime.graph.graph_def runtime.graph.unique_names",
    "runtime.graph.graph_def": (
        f"{IR} runtime.graph.notation runtime.graph.unique_names runtime.graph.views"
    ),
    "runtime.graph.pictures": (
        f"{IR} runtime.graph.notation runtime.graph.views runtime.graph.pictures"
    ),
    "runtime.graph.passes": f"{CORE} runtime.ops runtime.graph",
    "runtime.graph.executors": f"{CORE} runtime.ops runtime.workspace runtime.tensor runtime.graph",
    "runtime.block_recorder": "autograph runtime",
    "runtime.staged_builtins": "autograph runtime",
    "runtime.growing_list": "autograph runtime",
    "runtime.chosen_lists": "autograph runtime",
    "runtime.staging": "autograph runtime",
    "runtime.polymorphic_function": "autograph runtime",
    "runtime.function_tracing": "autograph runtime numpy",
    "runtime.concrete_function": "autograph runtime numpy",
    "runtime.converted": "autograph runtime",
    "runtime.eager_assignments": "autograph runtime",
    "runtime.autograph": "autograph runtime",
    "runtime": "runtime numpy",  # the public names, modules, configuration, training, data, ...
}


def modules() -> dict[str, Path]:
    files = [path for top in ("autograph", "runtime") for path in (ROOT / top).rglob("*.py")]
    return {module_name(path): path for path in sorted(files)}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = modules()


def imports(name: str, path: Path) -> Iterator[tuple[int, str]]:
    """Each import of a watched module, with its line."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for imported in imported_names(node, package):
            if imported.partition(".")[0] in WATCHED:
                yield node.lineno, imported


def imported_names(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    base = ".".join([*parents, *([node.module] if node.module else [])])
    full = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in MODULES else base for name in full]


def is_under(name: str, prefix: str) -> bool:
    return f"{name}.".startswith(f"{prefix}.")


def row_of(name: str) -> str | None:
    rows = [row for row in MAY_IMPORT if is_under(name, row)]
    row = max(rows, key=len, default=None)
    return None if row == "autograph" != name else row


def allowed(name: str, imported: str) -> bool:
    row = row_of(name)
    return row is not None and any(is_under(imported, word) for word in MAY_IMPORT[row].split())


@pytest.mark.parametrize("name", MODULES)
def test_has_a_layer(name: str) -> None:
    assert row_of(name), f"say in MAY_IMPORT what {name} may import"


@pytest.mark.parametrize("name", MODULES)
def test_imports_only_what_its_layer_allows(name: str) -> None:
    path = MODULES[name]
    wrong = {
        f"{path.relative_to(ROOT)}:{line}: {name} imports {imported}"
        for line, imported in imports(name, path)
        if not allowed(name, imported)
    }
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(
    ("name", "imported"),
    [
        ("autograph.converters.loops", "autograph.operators"),
        ("autograph.converters.loops", "autograph.converters.calls"),
        ("autograph.operators.control", "gast"),
        ("autograph.api", "runtime"),
        ("autograph.api", "numpy"),
        ("runtime.ops.math", "autograph"),
        ("runtime.graph.ir", "runtime.polymorphic_function"),
    ],
)
def test_the_table_refuses(name: str, imported: str) -> None:
    assert not allowed(name, imported)


def test_every_row_governs_something() -> None:
    unused = set(MAY_IMPORT) - {row_of(name) for name in MODULES}
    assert not unused


def test_importing_autograph_loads_no_converter() -> None:
    """What only a conversion needs is loaded by the first one."""
    code = "import sys, autograph; print(*{'gast', 'astor', 'numpy', 'runtime'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
