"""What `import autograph, runtime` loads, and names that are imported when they are asked for."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import runtime
import runtime.ops
from runtime.core.primitive import Primitive

ROOT = Path(__file__).parent.parent.parent.parent
# Slow to import, and not needed before a program traces, differentiates, prints ...
HEAVY = {
    *("argparse", "array", "asyncio", "difflib", "email", "gettext"),
    *("heapq", "json", "logging", "multiprocessing", "pprint", "queue", "random", "shutil"),
    *("socket", "string", "subprocess", "tempfile", "traceback", "unittest", "uuid"),
    *("astor", "gast", "runtime.autodiff", "runtime.staging.explicit_control_flow"),
    *("runtime.debugging", "runtime.graph", "runtime.math", "runtime.nn"),
    "runtime.functions.polymorphic_function",
    *("runtime.ops.convolution", "runtime.ops.decompositions", "runtime.ops.diagonals"),
    *("runtime.ops.casting", "runtime.ops.division", "runtime.ops.partitioning"),
    *("runtime.ops.image", "runtime.ops.norms", "runtime.ops.ordering", "runtime.ops.sequences"),
    *("runtime.ops.pooling", "runtime.ops.random", "runtime.ops.segments", "runtime.ops.solving"),
    *("runtime.ops.special", "runtime.ops.strings", "runtime.staging.backend"),
}
TABLES = {runtime: runtime._LATER, runtime.ops: runtime.ops.LATER}
LISTED = [
    pytest.param(package, module, names.split(), id=f"{package.__name__}-{module}")
    for package, table in TABLES.items()
    for module, names in table.items()
]


def printed(code: str) -> list[str]:
    """The words that a fresh process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_nothing_heavy_is_imported() -> None:
    loaded = printed(
        "import sys, numpy; before = set(sys.modules); import autograph, runtime; "
        "print(*set(sys.modules) - before)"
    )
    assert "runtime.core.tensor" in loaded
    assert not HEAVY & set(loaded)


def test_a_function_that_draws_nothing_needs_no_generators() -> None:
    loaded = printed(
        "import sys, runtime as rt; f = rt.function(lambda x: x + 1); f(rt.constant([1, 2])); "
        "print(*sys.modules)"
    )
    assert "runtime.staging.backend" in loaded
    assert "numpy.random" not in loaded


def source(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def defined(module: str) -> set[str]:
    """The public functions and rows that a module defines; classes are no ops."""
    found = set()
    for node in source(module).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (item for target in targets for item in ast.walk(target))
            found |= {item.id for item in names if isinstance(item, ast.Name)}
    return {name for name in found if name[0].islower()}


def checked_imports(package: ModuleType) -> dict[str, list[str]]:
    """What a package imports for type checkers: module -> names."""
    blocks = [node for node in source(package.__name__).body if isinstance(node, ast.If)]
    return {
        str(node.module): [alias.name for alias in node.names]
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    }


@pytest.mark.parametrize(("package", "module", "names"), LISTED)
def test_a_listed_name_is_the_modules(package: ModuleType, module: str, names: list[str]) -> None:
    supplied = __import__(module, fromlist=names)
    for name in names:
        assert getattr(package, name) is getattr(supplied, name)
        assert name in dir(package)


@pytest.mark.parametrize("module", runtime.ops.LATER)
def test_the_table_of_ops_is_complete(module: str) -> None:
    assert set(runtime.ops.LATER[module].split()) == defined(module)


def test_type_checkers_see_the_same_names() -> None:
    public = checked_imports(runtime)
    modules = set(public.pop("runtime"))
    assert public == {module: names.split() for module, names in runtime._LATER.items()}
    assert modules <= set(f"{runtime._MODULES} {runtime._WITH_EXTRAS}".split())
    assert checked_imports(runtime.ops) == {module: ["*"] for module in runtime.ops.LATER}


@pytest.mark.parametrize("package", TABLES, ids=lambda package: package.__name__)
def test_no_listed_name_is_hidden(package: ModuleType) -> None:
    """A submodule's import binds its name in the package, which would hide what the table gives."""
    folder = Path(str(package.__file__)).parent
    names = " ".join(TABLES[package].values()).split()
    assert len(names) == len(set(names))
    assert not set(names) & {path.stem for path in folder.iterdir()}
    eager = printed(f"import {package.__name__} as package; print(*vars(package))")
    assert not set(names) & set(eager)


def test_every_family_can_be_loaded() -> None:
    loaded = printed("import sys, runtime.ops; runtime.ops.load_all(); print(*sys.modules)")
    paths = Path(str(runtime.ops.__file__)).parent.rglob("[a-z]*.py")
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths}
    assert modules <= set(loaded)


@pytest.mark.parametrize(
    "code",
    [
        "from runtime import argmax",
        "from runtime import nn; argmax = nn.relu",
        "import runtime; argmax = runtime.math.argmax",
        "import runtime; argmax = runtime.random.normal",
        "import runtime.ops; argmax = runtime.ops.segment_sum",
        "import runtime.functions.polymorphic_function; argmax = runtime.function",
        "import runtime.config, runtime; argmax = runtime.function",
        "import runtime; runtime.nn, runtime.linalg; argmax = runtime.einsum",
        "import runtime; runtime.ops.load_all(); argmax = runtime.complex",
    ],
)
def test_found_in_a_fresh_process(code: str) -> None:
    assert printed(f"{code}; print(type(argmax).__name__)") == ["function"]


@pytest.mark.parametrize("package", TABLES, ids=lambda package: package.__name__)
def test_an_unknown_name_is_an_attribute_error(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'no'"):
        package.no  # noqa: B018


@pytest.mark.parametrize("name", ["argmax", "cond", "Module", "GradientTape", "function"])
def test_pickled_by_name(name: str) -> None:
    value = getattr(runtime, name)
    assert pickle.loads(pickle.dumps(value)) is value


def test_items_of_eager_tensors_are_assigned_before_any_graph(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import autograph, runtime as rt, sys\n"
        "def f(x):\n"
        "    x[0] = 5\n"
        "    return x\n"
        "print(autograph.convert(f)(rt.constant([1, 2])).numpy().tolist())\n"
        "print('runtime.staging.backend' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n") == ["[5, 2]", "False", ""]


def test_rows_are_rows() -> None:
    rows = [name for names in runtime.ops.LATER.values() for name in names.split()]
    wrong = [
        name
        for name in rows
        if name.endswith("_p") is not isinstance(getattr(runtime.ops, name), Primitive)
    ]
    assert not wrong


NAMESPACES = {
    "autodiff": "GradientTape UnconnectedGradients",
    "autograph": "to_code to_graph experimental",
    "bitwise": "bitwise_and invert",
    "compat": "v1",
    "config": "run_functions_eagerly list_logical_devices experimental threading",
    "data": "Dataset Iterator Options AUTOTUNE INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
    "debugging": "Assert assert_equal assert_shapes enable_check_numerics",
    "dtypes": "float32 DType as_dtype cast",
    "errors": "OpError InvalidArgumentError",
    "experimental": "dlpack",
    "image": "resize ResizeMethod",
    "io": "read_file gfile",
    "linalg": "matmul expm",
    "lookup": "StaticHashTable experimental",
    "math": "add reduce_sum",
    "summary": "scalar create_file_writer experimental",
    "train": "Checkpoint latest_checkpoint",
    "nest": "flatten map_structure is_nested",
    "nn": "relu experimental",
    "random": "normal Generator experimental",
    "raw_ops": "AddV2 Relu",
    "saved_model": "load save",
    "signal": "fft stft hann_window",
    "strings": "join",
}


@pytest.mark.parametrize(("name", "holds"), NAMESPACES.items())
def test_a_namespace_lists_what_is_public(name: str, holds: str) -> None:
    listed = dir(getattr(runtime, name))
    assert set(holds.split()) <= set(listed)
    assert not {"annotations", "Any", "Callable", "np", "ops", "bind", "errors"} & set(listed)
    assert not [other for other in listed if other.startswith("_")]


def test_the_package_lists_its_namespaces_and_no_other_modules() -> None:
    modules = {name for name in dir(runtime) if isinstance(getattr(runtime, name), ModuleType)}
    assert modules == set(runtime._MODULES.split()) == set(NAMESPACES)
