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
    "autograph.lowering autograph.exits autograph.forms"
)
DISPATCH = (
    "autograph.backend autograph.undefined autograph.errors autograph.frames autograph.users_words"
)
CORE = "numpy runtime.dtypes runtime.errors runtime.core"
OPS = f"{CORE} runtime.ops"
GRAPH = f"{OPS} runtime.graph"
STAGING = f"{GRAPH} runtime.nest runtime.staging autograph.users_words"

# The longest prefix of a module's name finds its row. Each word of a row allows a module and all
# below it. What a row does not name is not imported, not even inside a function. In `autograph`
# every module has a row; in `runtime` every folder, and what is built on them, the last row, is
# imported by none of them.
MAY_IMPORT = {
    "autograph.cells": "",
    "autograph.users_words": "",
    "autograph.versions": "",
    "autograph.locks": "",
    "autograph.compiler": "autograph.locks",
    "autograph.observers": "",
    "autograph.kept_files": "",
    "autograph.forms": "",
    "autograph.kept_conversions": (
        "autograph.kept_files autograph.codes autograph.forms autograph.observers"
    ),
    "autograph.errors": "autograph.cells autograph.users_words",
    "autograph.frames": "autograph.errors",
    "autograph.trees": "gast",
    "autograph.names": "gast autograph.trees",
    "autograph.quoting": f"{TREES} autograph.compiler autograph.quoting",
    "autograph.analysis": f"{TREES} autograph.analysis",
    "autograph.context": SHARED,
    "autograph.rewriting": SHARED,
    "autograph.lowering": SHARED,
    "autograph.exits": SHARED,
    "autograph.converters": SHARED,
    "autograph.pipeline": f"{SHARED} autograph.compiler autograph.converters autograph.printing",
    "autograph.string_literals": "",
    "autograph.line_wrapping": "",
    "autograph.printing": (
        f"{TREES} autograph.string_literals autograph.line_wrapping autograph.locks astor"
    ),
    "autograph.load": (
        f"{TREES} autograph.attributes autograph.cells autograph.codes autograph.compiler "
        "autograph.quoting"
    ),
    "autograph.magics": "autograph.compiler",
    "autograph.code_comparison": "autograph.instructions autograph.codes autograph.load",
    "autograph.source": (
        f"{TREES} autograph.codes autograph.compiler autograph.load autograph.locks "
        "autograph.magics autograph.code_comparison"
    ),
    "autograph.operator_methods": "",
    "autograph.undefined": "autograph.errors autograph.operator_methods",
    "autograph.handlers": (
        "autograph.errors autograph.frames autograph.instructions autograph.policy autograph.source"
    ),
    "autograph.backend": DISPATCH,
    "autograph.operators": (
        f"{DISPATCH} autograph.observers autograph.operators autograph.objects autograph.policy "
        "autograph.instructions autograph.compiler"
    ),
    "autograph.attributes": "",
    "autograph.instructions": "",
    "autograph.codes": "autograph.instructions",
    "autograph.objects": "autograph.codes",
    "autograph.policy": "autograph.codes autograph.frames autograph.errors",
    "autograph.mutation": (
        "autograph.mutation autograph.codes autograph.frames autograph.errors autograph.backend "
        "autograph.objects autograph.policy autograph.compiler autograph.instructions "
        "autograph.users_words"
    ),
    "autograph.command_line": (
        "autograph.command_line autograph.compiler autograph.errors autograph.pipeline "
        "autograph.printing autograph.source autograph.trees"
    ),
    "autograph.branch_marks": SHARED,
    "autograph.conversion": "autograph",
    "autograph.line_profiles": "autograph",
    "autograph.twins": (
        "autograph.policy autograph.codes autograph.errors autograph.conversion autograph.locks "
        "autograph.kept_conversions autograph.forms"
    ),
    "autograph.calls": (
        f"{DISPATCH} autograph.observers autograph.operators autograph.codes autograph.locks "
        "autograph.operator_methods autograph.mutation.users_code autograph.objects "
        "autograph.policy autograph.twins autograph.generator_managers autograph.forms "
        "autograph.optional_parameters"
    ),
    "autograph.optional_parameters": "autograph.policy autograph.mutation.foreign",
    "autograph.yields": "gast autograph.analysis autograph.quoting",
    "autograph.generator_managers": (
        "autograph.policy autograph.attributes autograph.codes autograph.load "
        "autograph.twins autograph.conversion autograph.yields"
    ),
    "autograph.class_members": (
        f"{DISPATCH} autograph.policy autograph.calls autograph.locks autograph.objects "
        "autograph.mutation.users_code autograph.operators autograph.twins "
        "autograph.operator_methods"
    ),
    "autograph.api": "autograph",
    "autograph.library_code": "autograph.api",
    "autograph.user_attributes": "autograph",
    "autograph.user_iterators": "autograph",
    "autograph.__main__": "autograph",
    "autograph": "autograph",
    "runtime.dtypes": "numpy runtime.core.lazy",
    "runtime.errors": "runtime.core.lazy runtime.core.cells",
    "runtime.core": CORE,
    "runtime.core.cells": "autograph.cells",
    "runtime.core.kept_files": "autograph.kept_files",
    "runtime.core.locks": "autograph.locks",
    "runtime.core.tracebacks": f"{CORE} autograph.errors autograph.frames",
    "runtime.core.convert": OPS,  # values of other libraries become tensors by ops
    "runtime.ops": OPS,
    "runtime.ops.print_op": f"{OPS} runtime.nest runtime.variables.variable runtime.graph.data",
    "runtime.graph": f"{OPS} runtime.graph",
    "runtime.graph.data": CORE,
    "runtime.graph.nodes": CORE,
    "runtime.graph.ir": (f"{CORE} runtime.graph.data runtime.graph.nodes runtime.graph.facade"),
    "runtime.graph.facade": (
        "runtime.core.settings runtime.graph.ir runtime.graph.format runtime.graph.storage"
    ),
    "runtime.graph.verification": (
        f"{CORE} runtime.graph.data runtime.graph.nodes runtime.graph.ir"
    ),
    "runtime.graph.storage": f"{OPS} runtime.graph runtime.variables runtime.autodiff.custom",
    "runtime.staging": f"{STAGING} runtime.variables autograph",
    "runtime.staging.guarding": (
        f"{STAGING} autograph.codes autograph.instructions autograph.objects autograph.mutation"
    ),
    "runtime.staging.control": (
        f"{STAGING} autograph.objects autograph.mutation autograph.undefined autograph.handlers "
        "autograph.policy "
        "autograph.operators.truths autograph.operators.early_exits autograph.operators.texts "
        "autograph.operators.items autograph.operators.logical autograph.operators.comprehensions "
        "autograph.operators.shared autograph.operator_methods autograph.user_iterators"
    ),
    "runtime.staging.aliasing": STAGING,
    "runtime.staging.arrays": f"{STAGING} autograph",
    "runtime.staging.aliasing.eager_assignments": f"{STAGING} runtime.autodiff.tape autograph",
    "runtime.autodiff": f"{STAGING} runtime.autodiff autograph.codes",
    "runtime.variables": f"{OPS} runtime.nest runtime.variables runtime.autodiff.records",
    "runtime.functions": (
        f"{STAGING} runtime.autodiff runtime.variables runtime.functions autograph"
    ),
    "runtime.data": f"{STAGING} runtime.functions runtime.debugging runtime.data",
    "runtime.data.examples": f"{STAGING} runtime.autodiff.python_calls",  # records read by Python
    "runtime.autograph": "runtime.core.lazy runtime.autograph autograph",
    "runtime.keras": "runtime numpy autograph",  # on the public names, and places of theirs
    "runtime": "runtime numpy",  # the public names, and what is built on them
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
        ("runtime.graph.ir", "runtime.functions.polymorphic_function"),
        ("runtime.graph.passes.inlining", "runtime.staging.tracing"),
        ("runtime.staging.control.joins", "autograph.errors"),
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


# Who imports what inside of a function. Of two modules that need each other, one does so later.
MUTUAL = {
    "autograph.operators.comprehensions": "autograph.operators.for_loop",
    "runtime.autodiff.custom": "runtime.autodiff.calls",
    "runtime.core.convert": "runtime.ops",
    "runtime.core.primitive": "runtime.core.widening",
    "runtime.data.dataset": "runtime.data.files",
    "runtime.data.layouts": "runtime.data.dataset",
    "runtime.graph.executors.native.numbers": "runtime.graph.executors.native.control",
    "runtime.graph.format.views": "runtime.graph.format.graph_def",
    "runtime.sessions.open_graph": "runtime.sessions.variables",
    "runtime.staging.backend": "runtime.staging.lists.shown_items",
    "runtime.staging.bytecode": "runtime.staging.type_tests",
    "runtime.staging.control.blocks": "runtime.staging.control.caught",
    "runtime.staging.control.branches": "runtime.staging.control.caught",
    "runtime.staging.control.choices": (
        "runtime.staging.chosen_values runtime.staging.lists.sequences"
    ),
    "runtime.staging.control.iteration": (
        "runtime.staging.lists.sequences runtime.staging.lists.walks"
    ),
    "runtime.staging.control.joins": (
        "runtime.staging.control.iteration runtime.staging.lists.growing_tuple "
        "runtime.staging.texts"
    ),
    "runtime.staging.control.optional_values": (
        "runtime.staging.control.item_comparisons runtime.staging.type_tests"
    ),
    "runtime.staging.control.stand_ins": "runtime.staging.type_tests",
    "runtime.staging.control.tagged_unions": "runtime.staging.chosen_values",
    "runtime.staging.lists.repetition": (
        "runtime.staging.lists.growing_list runtime.staging.lists.growing_tuple "
        "runtime.staging.texts"
    ),
    "runtime.staging.lists.sequences": (
        "runtime.staging.lists.chosen_containers runtime.staging.lists.chosen_lists"
    ),
    "runtime.staging.lists.walks": "runtime.staging.lists.shown_items",
    "runtime.staging.images": (
        "runtime.staging.control.failures runtime.staging.control.iteration "
        "runtime.staging.lists.arenas runtime.staging.lists.shown_items"
    ),
    "runtime.staging.lists.growing_list": "runtime.staging.lists.list_places",
    "runtime.staging.texts": "runtime.staging.lists.list_builtins",
    "runtime.variables.handle": "runtime.variables.variable",
}
# What nothing needs until it is asked for is not imported with what may ask: a conversion, a trace,
# the gradient of one, a variable, an error, machine code, a picture, a file.
ASKED_FOR = {
    "autograph.api": "autograph.conversion",
    "autograph.calls": "autograph.generator_managers",
    "autograph.conversion": "autograph.printing",
    "autograph.handlers": "autograph.source",
    "autograph.generator_managers": "autograph.conversion autograph.yields",
    "autograph.pipeline": "autograph.printing",
    "autograph.twins": "autograph.conversion",
    "runtime.autodiff.jacobians": "runtime.autodiff.staged_jacobians",
    "runtime.autodiff.requests": (
        "runtime.staging.control.joined_variables runtime.staging.control.optional_values"
    ),
    "runtime.autodiff.tape": (
        "runtime.autodiff.activity runtime.autodiff.staged runtime.autodiff.tape_scopes"
    ),
    "runtime.compat.v1": "runtime",
    "runtime.core.cells": "autograph.cells",
    "runtime.core.lazy": "runtime.core.absent",
    "runtime.core.tensor": "runtime.core.displays",
    "runtime.functions.concrete_function": (
        "runtime.autodiff.calls runtime.graph.executors.profiling runtime.graph.executors.reference"
    ),
    "runtime.functions.function": (
        "runtime.functions.polymorphic_function runtime.graph.format.printing"
    ),
    "runtime.functions.function_tracing": "runtime.functions.initial_values",
    "runtime.functions.polymorphic_function": "runtime.core.displays",
    "runtime.functions.traced": "runtime.functions.initial_values",
    "runtime.graph.executors.hot_loops": "runtime.graph.executors.native.resuming",
    "runtime.graph.executors.native.code": "runtime.graph.executors.native.machine",
    "runtime.graph.executors.native.compilation_cache": "runtime.graph.executors.native.machine",
    "runtime.graph.executors.native.kept_graphs": "runtime.graph.executors.native.executor",
    "runtime.graph.executors.native.support": "runtime.graph.executors.lowering",
    "runtime.graph.executors.program": (
        "runtime.graph.executors.failures runtime.graph.executors.module"
    ),
    "runtime.graph.executors.profiling": "runtime.graph.executors.native.executor",
    "runtime.graph.executors.specialization": "runtime.graph.executors.native.executor",
    "runtime.graph.executors.tiers": (
        "runtime.graph.executors.native.calling runtime.graph.executors.native.kept_graphs"
    ),
    "runtime.graph.facade": (
        "runtime.graph.format.views runtime.graph.format.graph_def runtime.graph.format.printing "
        "runtime.graph.format.pictures.dot runtime.graph.format.pictures.svg runtime.graph.storage"
    ),
    "runtime.graph.probes": "runtime.graph.executors.failures",
    "runtime.graph.storage.decoding": "runtime.autodiff.custom",
    "runtime.staging.registration": (
        "runtime.staging.aliasing.eager_assignments runtime.staging.backend runtime.staging.frames"
    ),
    "runtime.staging.tracing": "runtime.graph.format.views runtime.staging.control.caught",
    "runtime.variables.module": "runtime.core.displays",
    "runtime.variables.variable": "runtime.core.displays",
}
OURS = ("autograph", "runtime")


def is_for_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def ours(name: str, path: Path, later: bool) -> set[str]:
    """The modules of the project that a module imports: inside of functions, or else outside."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while pending:
        node, inside = pending.pop()
        if inside is later:
            found.update(imported_names(node, package))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        within = [] if is_for_checkers(node) else ast.iter_child_nodes(node)
        pending += [(inner, inside) for inner in within]
    return {each for each in found if each.partition(".")[0] in OURS} - {name}


def test_imports_inside_of_functions_have_a_reason() -> None:
    found = {name: at for name, path in MODULES.items() if (at := ours(name, path, later=True))}
    tables = [*MUTUAL.items(), *ASKED_FOR.items()]
    assert found == {name: set(words.split()) for name, words in tables}


def reached(name: str, graph: dict[str, set[str]]) -> set[str]:
    """The modules that a module imports, and those that these do."""
    found: set[str] = set()
    pending = [name]
    while pending:
        fresh = graph[pending.pop()] - found
        found |= fresh
        pending += fresh
    return found


def test_only_ops_import_each_other() -> None:
    graph = {name: ours(name, path, later=False) & set(MODULES) for name, path in MODULES.items()}
    circles = {name for name in graph if name in reached(name, graph)}
    assert {name for name in circles if not is_under(name, "runtime.ops")} == set()
