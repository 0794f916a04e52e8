"""The command line: what it prints, its exit codes, and how it refuses."""

import ast
import io
import os
import pty
import re
import shlex
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import autograph
import runtime
from autograph import __main__ as main_module
from autograph import pipeline
from autograph.__main__ import main
from tests.support import harness
from tests.support.versions import has

ROOT = Path(__file__).parent.parent

FIXTURES = [case.path for case in harness.bank()]

SOURCE = '''\
"""A module that must not run."""
raise SystemExit("it ran")


@decorated
def clip(x, limit):
    # the smaller one
    if x > limit:
        y = limit
    else:
        y = x
    return y


class Net:
    def forward(self, x):
        return x if x > 0 else -x

    @property
    def size(self):
        return 1


def outer(x):
    def inner(y):
        while y > 0:
            y = y - 1
        return y

    return inner(x)


LIMIT = 3  # kept
'''

CLIP = """\
@decorated
def clip(x, limit):

    # the smaller one
    def if_body():
        y = limit
        return y

    def else_body():
        y = x
        return y
    y = ag.cond(x > limit, if_body, else_body, defines='y')
    return y
"""

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("model.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path / "model.py"


@pytest.fixture
def cli(model: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as stopped:  # argparse
            code = int(str(stopped.code))
        return code, *capsys.readouterr()

    return run


# What it prints


def test_prints_a_function(cli: Cli) -> None:
    assert cli("model.py:clip") == (0, CLIP, "")


@pytest.mark.parametrize(
    ("path", "first", "word"),
    [
        ("Net.forward", "def forward(self, x):", "ag.cond("),
        ("Net.size", "@property", "return 1"),
        ("outer", "def outer(x):", "ag.while_loop("),
        ("outer.inner", "def inner(y):", "ag.while_loop("),
    ],
)
def test_finds_functions_by_path(cli: Cli, path: str, first: str, word: str) -> None:
    code, out, _ = cli(f"model.py:{path}")
    assert code == 0
    assert out.splitlines()[0] == first
    assert word in out


def test_converts_a_whole_file_where_functions_stand(cli: Cli) -> None:
    code, out, _ = cli("model.py")
    assert code == 0
    assert CLIP in out
    assert out.startswith('"""A module that must not run."""\nraise SystemExit("it ran")\n\n\n@dec')
    assert out.endswith("LIMIT = 3  # kept\n")
    assert "class Net:\n    def forward(self, x):\n" in out
    assert [node.name for node in ast.parse(out).body if hasattr(node, "name")] == [
        "clip",
        "Net",
        "outer",
    ]


def test_a_class_is_converted_where_its_methods_stand(cli: Cli) -> None:
    code, out, _ = cli("model.py:Net")
    assert code == 0
    assert out.startswith(
        "class Net:\n    def forward(self, x):\n        return ag.cond(x > 0, lam"
    )
    assert out.endswith("    @property\n    def size(self):\n        return 1\n")
    assert cli("model.py:Net", "--lines")[1].splitlines()[0] == "15 | class Net:"
    assert "# Net.forward: as written" in cli("model.py:Net", "--list")[1]
    assert cli("model.py:Net", "--diff")[0] == 0


def test_several_targets_stand_under_their_names(cli: Cli) -> None:
    code, out, _ = cli("model.py:clip", "model.py:Net")
    assert code == 0
    assert out == f"# model.py:clip\n{CLIP}\n\n# model.py:Net\n{cli('model.py:Net')[1]}"
    assert cli("model.py:clip", "model.py:Net", "-o", "both.py")[0] == 0
    assert cli("model.py:clip", "model.py:Net", "--check", "both.py") == (0, "", "")


def test_an_empty_file_stays_empty(cli: Cli) -> None:
    Path("empty.py").write_text("")
    assert cli("empty.py") == (0, "", "")


def test_strings_in_methods_keep_what_they_hold(cli: Cli) -> None:
    source = 'class A:\n    def f(self):\n        """One.\n\n          two  \n        """\n'
    Path("strings.py").write_text(source)
    assert cli("strings.py") == (0, source, "")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_whole_files_keep_what_is_no_function(cli: Cli, path: Path) -> None:
    code, out, err = cli(str(path))
    if code == 2:
        assert re.match(rf"{re.escape(str(path))}:\d+:\d+: ", err)
        return
    before, after = (ast.parse(text).body for text in (path.read_text("utf-8"), out))
    for old, new in zip(before, after, strict=True):
        same = isinstance(old, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        assert same or ast.dump(old) == ast.dump(new)
    assert cli(str(path), "--lines", "--diff")[0] == 0


def test_lines_are_the_users(cli: Cli) -> None:
    code, out, _ = cli("model.py:clip", "--lines")
    assert code == 0
    numbers = dict(line.split(" | ") for line in out.splitlines() if not line.endswith(" |"))
    assert [number.strip() for number in numbers][:2] == ["5", "6"]
    assert numbers["12"] == "    return y"
    assert " 9 |         y = limit\n" in out
    assert "11 |         y = x\n" in out


def test_lines_of_a_whole_file_number_what_is_kept(cli: Cli) -> None:
    *_, last = cli("model.py", "--lines")[1].splitlines()
    assert last == f"{SOURCE.count(chr(10))} | LIMIT = 3  # kept"


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("options", [[], ["--lines"]])
@pytest.mark.parametrize("target", ["model.py:clip", "model.py"])
def test_diff_fits_and_loses_nothing(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, width: int, options: list[str], target: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = cli(target, "--diff", *options)
    assert code == 0
    assert max(map(len, out.splitlines())) <= width
    half = (width - 3) // 2
    left, right = (
        "".join(side.replace("|", "").split())
        for side in (
            "".join(row[:half] for row in out.splitlines()),
            "".join(row[half + 3 :] for row in out.splitlines()),
        )
    )
    original = SOURCE if target == "model.py" else SOURCE[SOURCE.index("@") :].split("\n\n\n")[0]
    if not options:
        assert left == "".join(original.split())
        assert right == "".join(cli(target)[1].split())


def test_diff_marks_what_differs(cli: Cli) -> None:
    rows = cli("model.py:clip", "--diff")[1].splitlines()
    same = [row for row in rows if row[48:51] == "   "]
    assert [row[:48].strip() for row in same] == [
        "@decorated",
        "def clip(x, limit):",
        "# the smaller one",
        "y = limit",
        "y = x",
        "return y",
    ]


def test_diff_counts_wide_characters(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    Path("wide.py").write_text("def f():\n    return '漢字漢字漢字漢字漢字'\n", encoding="utf-8")
    rows = cli("wide.py:f", "--diff")[1].splitlines()
    wide = [len(row) + sum(c in "漢字" for c in row) for row in rows]
    assert max(wide) <= 40
    assert "".join(row[:18] for row in rows).count("漢") >= 5


@pytest.mark.parametrize("stage", [converter.name for converter in pipeline.CONVERTERS])
def test_stages_are_python_and_the_last_is_the_result(cli: Cli, stage: str) -> None:
    code, out, _ = cli("model.py:outer", "--stage", stage)
    assert code == 0
    ast.parse(out)
    if stage == pipeline.CONVERTERS[-1].name:
        assert out == cli("model.py:outer")[1]


def test_an_early_stage_is_not_the_result(cli: Cli) -> None:
    first = cli("model.py:clip", "--stage", pipeline.CONVERTERS[0].name)[1]
    assert "if x > limit:" in first
    assert "ag." not in first


def test_list_shows_every_stage(cli: Cli) -> None:
    code, out, _ = cli("model.py:clip", "--list")
    assert code == 0
    names = [converter.name for converter in pipeline.CONVERTERS]
    headings = [line for line in out.splitlines() if line.startswith("# clip: ")]
    assert headings[0] == "# clip: as written"
    assert [next(n for n in names if n in line.split()) for line in headings[1:]] == names
    assert "# clip: after if_statements\n" + CLIP in out
    ast.parse(out)


def test_list_without_a_file_names_the_stages(cli: Cli) -> None:
    names = [f"{converter.name}\n" for converter in pipeline.CONVERTERS]
    assert cli("--list") == (0, "".join(names), "")


# Comments


COMMENTS = """\
def f(x, n):
    # above a statement
    count = 0  # beside it
    # above a loop
    while count < n:  # at a header
        if x > 1:
            x = x / 2  # beside, in a branch
            # at the end of a branch
        else:  # of an else
            continue  # of what is no more
        # after a branch
        count = (count  # in the middle
                 + 1)
        # at the end of a loop
    # at the end
    return "# no comment"  # last
"""


def test_comments_stay_at_their_statements(cli: Cli) -> None:
    Path("comments.py").write_text(COMMENTS)
    code, out, _ = cli("comments.py:f")
    assert code == 0
    rows = out.splitlines()
    comments = re.findall(r"# [a-z ,]*$", COMMENTS, flags=re.MULTILINE)
    assert sorted(re.findall(r"# [a-z ,]*$", out, flags=re.MULTILINE)) == sorted(comments)
    assert rows[1:3] == ["    # above a statement", "    count = 0  # beside it"]
    for comment, after in {
        "# above a loop": "# at a header",
        "# at a header": "def while_test(",
        "# of an else": "# of what is no more",
        "# of what is no more": "# after a branch",
        "# after a branch": "# in the middle",
        "# in the middle": "count = count + 1",
        "# at the end of a branch": "# of an else",
        "# at the end of a loop": "return ",
        "# at the end": "return '# no comment'  # last",
    }.items():
        at = next(n for n, row in enumerate(rows) if row.strip() == comment)
        assert rows[at + 1].strip().startswith(after)
        assert rows[at].index("#") == len(rows[at + 1]) - len(rows[at + 1].lstrip())


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_comment_is_lost_and_none_changes_the_code(cli: Cli, path: Path) -> None:
    if cli(str(path))[0] == 2:
        return
    lines = path.read_text("utf-8").splitlines()
    Path("noted.py").write_text("\n".join([noted(line, n) for n, line in enumerate(lines)]) + "\n")
    code, out, _ = cli("noted.py")
    found = {token.string for token in tokenize.generate_tokens(io.StringIO(out).readline)}
    assert code == 0
    assert ast.dump(ast.parse(out)) == ast.dump(ast.parse(cli(str(path))[1]))
    text = Path("noted.py").read_text()
    notes = {token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)}
    assert {note for note in notes if note.startswith("# note")} <= found


def noted(line: str, number: int) -> str:
    """A line with a comment at its end, where it is not inside of a string."""
    return f"{line}  # note {number}" if line.endswith((":", ")")) and '"' not in line else line


# Standard input


def test_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def given(content: bytes) -> None:
        main_module._standard_input.cache_clear()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    given(SOURCE.encode())
    assert cli("-:clip") == (0, CLIP, "")
    assert cli("-:clip", "-o", "clip.py")[0] == 0
    given("# coding: latin-1\ndef größe(x):\n    return 'ü'\n".encode("latin-1"))
    assert cli("-:größe")[1] == "def größe(x):\n    return 'ü'\n"
    given(b"def f(:\n")
    assert cli("-")[2].startswith("<stdin>:1:7: not valid Python")
    given(SOURCE.encode())
    assert cli("-:nope")[2].startswith("<stdin>: no function or class nope\n  there are: clip, Net")


# Versions and shells


def test_version(cli: Cli) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert cli("--version") == (0, f"autograph {declared}\n", "")
    assert runtime.__version__ == autograph.__version__ == declared


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_has_all_options_and_stages(cli: Cli, shell: str) -> None:
    code, out, _ = cli("--completion", shell)
    assert code == 0
    for name in ("check", "diff", "completion", "version"):
        assert f"-l {name}\n" in out or f"--{name}" in out or f"-l {name} " in out
    assert all(converter.name in out for converter in pipeline.CONVERTERS)


def test_completion_in_bash(model: Path) -> None:
    Path("script").write_text(run_process("--completion", "bash").stdout)
    for typed, completed in (("--di", "--diff"), ("mod", "model.py")):
        command = f"source ./script; COMP_WORDS=(autograph {typed}); COMP_CWORD=1; _autograph; "
        done = subprocess.run(
            ["bash", "-c", command + 'echo "${COMPREPLY[@]}"'], capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == (f"{completed}\n", "")


# Where it goes


def test_output_then_check(cli: Cli) -> None:
    assert cli("model.py:clip", "-o", "clip.golden.py") == (0, "", "")
    assert Path("clip.golden.py").read_text() == CLIP
    assert cli("model.py:clip", "--check", "clip.golden.py") == (0, "", "")


def test_check_prints_what_differs(cli: Cli) -> None:
    Path("clip.golden.py").write_text(CLIP.replace("y = x", "y = -x"))
    code, out, err = cli("model.py:clip", "--check", "clip.golden.py")
    assert (code, err) == (1, "")
    assert out.startswith("--- clip.golden.py\n+++ model.py:clip now\n@@ ")
    assert "\n-        y = -x\n+        y = x\n" in out


def test_check_reads_any_line_ends(cli: Cli) -> None:
    Path("clip.golden.py").write_bytes(CLIP.replace("\n", "\r\n").encode())
    assert cli("model.py:clip", "--check", "clip.golden.py")[0] == 0


def test_check_refuses_what_is_no_text(cli: Cli) -> None:
    Path("golden.py").write_bytes(b"\xff\xfe")
    code, out, err = cli("model.py:clip", "--check", "golden.py")
    assert (code, out) == (2, "")
    assert err.startswith("golden.py: cannot be decoded: ")


@pytest.mark.parametrize("view", [["--lines"], ["--diff"], ["--list"], ["--stage", "calls"], []])
def test_every_view_can_be_written_and_checked(cli: Cli, view: list[str]) -> None:
    shown = cli("model.py:clip", *view)[1]
    assert cli("model.py:clip", *view, "-o", "view.txt")[0] == 0
    assert Path("view.txt").read_text(encoding="utf-8") == shown
    assert cli("model.py:clip", *view, "--check", "view.txt")[0] == 0


# Refusals: exit code 2, one message, no traceback


BAD_FILES = {
    "syntax.py": (b"def f(x):\n    return (x\n", "syntax.py:2:12: not valid Python: '(' was never"),
    "null.py": (b"x = 1\0\n", "null.py: not valid Python"),
    "latin.py": (b"x = '\xff'\n", "latin.py: cannot be decoded"),
    "late_latin.py": (
        b"# a comment\n" * 2000 + b"x = '\xff'\n",
        "late_latin.py:2001: cannot be decoded",
    ),
    "image.py": (b"\x89PNG\r\n\x1a\n\0\0", "image.py: cannot be decoded"),
    "coding.py": (b"# coding: no-such\n", "coding.py: cannot be decoded: unknown encoding"),
    "break.py": (b"def f(x):\n    break\n", "break.py:2:5: not valid Python: 'break' outside"),
    "late.py": (b"def f(x):\n    x = 1\n    global x\n", "late.py:3:5: not valid Python: name 'x'"),
    "return.py": (b"return 1\n", "return.py:1:1: not valid Python: 'return' outside"),
    "deep.py": (b"def f(x):\n    return " + b"-" * 100_000 + b"x\n", "deep.py: nested too deeply"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("suffix", ["", ":f"])
def test_refuses_a_bad_file(cli: Cli, name: str, suffix: str) -> None:
    content, message = BAD_FILES[name]
    Path(name).write_bytes(content)
    code, out, err = cli(name + suffix)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.py:f"], "absent.py: No such file or directory"),
        (["absent.py"], "absent.py: No such file or directory"),
        (["."], ".: Is a directory"),
        (["model.py:clap"], "model.py: no function or class clap\n  did you mean clip?\n  there"),
        (["model.py:Net.zzz"], "model.py: no function or class Net.zzz\n  did you mean Net"),
        (["model.py:zzzzz"], "model.py: no function or class zzzzz\n  there are: clip, Net, Net.f"),
        ([""], "autograph: name a FILE or a FILE:NAME"),
        (["model.py", ""], "autograph: name a FILE or a FILE:NAME"),
        (["model.py:clip", "absent.py"], "absent.py: No such file or directory"),
        (["model.py:clip", "model.py:outer", "--graph"], "autograph: --graph takes one FILE:FUN"),
        (["-:clip", "--graph"], "autograph: --graph takes one FILE:FUNCTION, of a file that"),
        (["--completion", "csh"], "usage: autograph"),
        (["model.py:clip.x y"], "model.py:clip.x y: No such file"),
        ([], "autograph: name a FILE or a FILE:NAME"),
        (["model.py:clip", "--stage", "none"], "autograph: no stage none; the stages are"),
        (["model.py:clip", "--stage", "calls", "--list"], "autograph: --stage goes with neither"),
        (["model.py:clip", "--args", "int32[]"], "autograph: --args goes with --graph and --llvm"),
        (["model.py:clip", "--graph", "--lines"], "autograph: --lines does not go with"),
        (["model.py", "--graph"], "autograph: --graph needs FILE:FUNCTION"),
        (["model.py", "--llvm"], "autograph: --llvm needs FILE:FUNCTION"),
        (["-:clip", "--llvm"], "autograph: --llvm takes one FILE:FUNCTION, of a file that"),
        (["model.py:clip", "--llvm", "--lines"], "autograph: --lines does not go with --llvm"),
        (["model.py:clip", "--llvm", "--stage", "x"], "autograph: --stage goes with neither"),
        (["model.py:clip", "--graph", "--args", "int32"], "autograph: --args: 'int32' is not"),
        (["model.py:clip", "--graph", "--args", "int32[-1]"], "autograph: --args: 'int32[-1]' is"),
        (["model.py:clip", "--check", "absent"], "absent: No such file or directory; -o absent"),
        (["model.py:clip", "-o", "model.py"], "model.py: would overwrite the source"),
        (["model.py:clip", "-o", "no/folder"], "no/folder: No such file or directory"),
        (["model.py:clip", "--diff", "--list"], "usage: autograph"),
        (["model.py:clip", "--no-such-option"], "usage: autograph"),
    ],
)
def test_refuses_bad_use(cli: Cli, arguments: list[str], message: str) -> None:
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert "Traceback" not in err
    assert Path("model.py").read_text() == SOURCE


def test_help_is_no_error(cli: Cli) -> None:
    code, out, _ = cli("--help")
    assert code == 0
    assert "exit codes: 0 fine, 1 differs" in out


# Graphs: these import the file


class Hook:
    """An entry point of `autograph.graph`, which shows what it was given."""

    def __init__(self, name: str) -> None:
        self.name = self.module = name

    def load(self) -> Callable[[Callable[..., object], list[object]], str]:
        return lambda function, specs: f"{self.name}: {function.__qualname__}{specs}"


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> list[Hook]:
    found = [Hook("never_imported"), Hook("tensors")]
    monkeypatch.setattr("autograph.command_line.graph_view.entry_points", lambda group: found)
    monkeypatch.setitem(sys.modules, "tensors", sys)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return found


@pytest.mark.parametrize(
    ("words", "specs"),
    [
        ("", []),
        ("float32[2,3] int32[]", [("float32", (2, 3)), ("int32", ())]),
        ("float32[?, 3]  bool[*]", [("float32", (None, 3)), ("bool", None)]),
    ],
)
def test_graph_hands_function_and_specs_to_the_library_that_the_file_imports(
    cli: Cli, hooks: list[Hook], words: str, specs: list[object]
) -> None:
    Path("fine.py").write_text("class Net:\n    def run(self): pass\n")
    text = f"tensors: Net.run{specs}\n"
    assert cli("fine.py:Net.run", "--graph", "--args", words) == (0, text, "")
    assert cli("fine.py:Net.run", "--graph", "--args", words, "-o", "run.graph")[0] == 0
    assert Path("run.graph").read_text() == text


def test_graph_imports_a_module_of_a_package_by_its_name(cli: Cli, hooks: list[Hook]) -> None:
    Path("box").mkdir()
    Path("box/__init__.py").write_text("SIDE = 2\n")
    Path("box/part.py").write_text("from . import SIDE\ndef f(): pass\nf.__qualname__ = __name__\n")
    assert cli("box/part.py:f", "--graph") == (0, "tensors: box.part[]\n", "")


def test_graph_of_a_file_named_like_a_known_module(cli: Cli, hooks: list[Hook]) -> None:
    Path("types.py").write_text("def f(): pass\n")
    assert cli("types.py:f", "--graph")[:2] == (0, "tensors: f[]\n")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(): pass\nx = 1\n1 / 0\n", "bad.py:3:1: ZeroDivisionError: division by zero"),
        ("def f(): pass\nraise SystemExit(3)\n", "bad.py:2:1: SystemExit: 3"),
        ("def g(): pass\n", "bad.py: after its import the module has no f"),
        ("import no_such_module\n", "bad.py:1:1: ModuleNotFoundError: No module named"),
        ("def f(:\n", "bad.py:1:7: not valid Python"),
    ],
)
def test_graph_refuses(cli: Cli, hooks: list[Hook], source: str, message: str) -> None:
    Path("bad.py").write_text(source)
    code, out, err = cli("bad.py:f", "--graph")
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert "Traceback" not in err


def test_graph_without_a_library_says_what_to_install(cli: Cli, hooks: list[Hook]) -> None:
    hooks.clear()
    Path("fine.py").write_text("def f(): pass\n")
    code, _, err = cli("fine.py:f", "--graph")
    assert code == 2
    assert err.endswith("needs an installed tensor library: pip install autograph-runtime\n")


STAGED = """\
import operator; import runtime as rt


@rt.function
def double(x, n):
    while n > 0:
        x = x * 2.0
        n = n - 1
    return x


def choose(x):
    return x if x > 0 else rt.ones([2])


first = operator.itemgetter(0)
"""


@pytest.fixture
def runtime_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point as `pyproject.toml` declares it, installed or not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    hooks = {
        group: [EntryPoint(name, value, group) for name, value in declared.items()]
        for group, declared in project["entry-points"].items()
    }
    monkeypatch.setattr(
        "autograph.command_line.graph_view.entry_points", lambda group: hooks[group]
    )
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.usefixtures("runtime_hook")
def test_graph_of_the_runtime(cli: Cli) -> None:
    Path("staged.py").write_text(STAGED)
    code, out, err = cli("staged.py:double", "--graph", "--args", "float32[?,3] int32[]")
    assert (code, err) == (0, "")
    assert out.startswith("graph double(x: float32[?,3], n: int32[]) -> (float32[?,3]):\n")
    assert " while " in out


@pytest.mark.usefixtures("runtime_hook")
def test_llvm_of_the_runtime(cli: Cli) -> None:
    Path("staged.py").write_text(STAGED)
    code, out, err = cli("staged.py:double", "--llvm", "--args", "float32[2,3] int32[]")
    assert (code, err) == (0, "")
    assert "target triple = " in out
    assert "define " in out


NOT_NATIVE = """\
import runtime as rt

def shout(x):
    return rt.strings.join([x, x])
"""


@pytest.mark.usefixtures("runtime_hook")
def test_llvm_of_what_is_no_machine_code(cli: Cli) -> None:
    Path("texts.py").write_text(NOT_NATIVE)
    code, out, err = cli("texts.py:shout", "--llvm", "--args", "string[]")
    assert (code, out) == (2, "")
    assert "shout is not machine code as a whole:" in err
    assert "texts.py:4:12: " in err


@pytest.mark.usefixtures("runtime_hook")
def test_graph_does_not_mix_with_what_the_file_prints(cli: Cli) -> None:
    Path("staged.py").write_text(f"print('imported')\n{STAGED}")
    code, out, err = cli("staged.py:double", "--graph", "--args", "float32[] int32[]")
    assert (code, err) == (0, "imported\n")
    assert out.startswith("graph double(")


@pytest.mark.usefixtures("runtime_hook")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["staged.py:double", "--args", "float32[]"], "autograph: --args: double(): missing"),
        (["staged.py:double", "--args", "no[] int32[]"], "autograph: --args: Cannot convert"),
        (["staged.py:choose", "--args", "int32[]"], "{folder}/staged.py:13:12: "),
        (
            ["staged.py:first", "--args", "int32[2]"],
            "staged.py: operator.itemgetter(0) is not written in Python"
            if has(3, 13)
            else "autograph: --args: function() takes a callable",
        ),
    ],
)
def test_graph_refused_by_the_runtime(
    cli: Cli, tmp_path: Path, arguments: list[str], message: str
) -> None:
    Path("staged.py").write_text(STAGED)
    code, out, err = cli(*arguments, "--graph")
    assert (code, out) == (2, "")
    assert err.startswith(message.format(folder=tmp_path))
    assert "Traceback" not in err


@pytest.mark.usefixtures("runtime_hook")
def test_graph_of_a_method_says_what_its_first_argument_is(cli: Cli) -> None:
    Path("staged.py").write_text("class A:\n    def f(self, x):\n        return x\n")
    code, _, err = cli("staged.py:A.f", "--args", "float32[]", "--graph")
    assert code == 2
    assert err.splitlines() == [
        "autograph: --args: f(): missing a required argument: 'x' (parameters: self, x)",
        "  a method is given its object first: name a function that makes and calls it",
    ]


# As a process


def run_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "autograph", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_runs_as_a_module(model: Path) -> None:
    done = run_process(f"{model}:clip")
    assert (done.returncode, done.stdout, done.stderr) == (0, CLIP, "")
    assert run_process(f"{model}:nothing").returncode == 2


def test_same_text_under_any_hash_seed(model: Path) -> None:
    texts = {run_process(str(model), PYTHONHASHSEED=seed).stdout for seed in "012"}
    assert len(texts) == 1


def test_output_of_a_terminal_that_knows_little(model: Path) -> None:
    Path("accents.py").write_text("def f():\n    return 'é'\n", encoding="utf-8")
    done = run_process("accents.py:f", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "def f():\n    return '\\xe9'\n"


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8"},
        {"PYTHONUTF8": "1"},
    ],
)
@pytest.mark.parametrize("name", ["größe", "gro\u0308ße"])  # composed, and as some systems type it
def test_names_under_any_locale(model: Path, locale: dict[str, str], name: str) -> None:
    text = "def größe(x):\n    return x\n"
    Path("maße.py").write_text(text, encoding="utf-8")
    done = run_process(f"maße.py:{name}", **locale)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.encode().decode("unicode_escape", "ignore").endswith("return x\n")
    assert run_process("maße.py", "-o", "written.py", **locale).returncode == 0
    assert Path("written.py").read_text("utf-8") == text
    assert run_process(f"{name}.py:f", **locale).stderr.endswith("No such file or directory\n")


def test_a_reader_that_stops_early_is_no_error(model: Path) -> None:
    long = "".join(f"def f{n}(x):\n    return x if x else -x\n\n\n" for n in range(300))
    Path("long.py").write_text(long)
    command = f"{shlex.quote(sys.executable)} -m autograph long.py | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "def f0(x):\n", "")


def on_terminal(model: Path, **environment: str) -> str:
    """What the command prints when its output is a terminal."""
    ours, theirs = pty.openpty()
    variables = {"PYTHONPATH": str(ROOT), "TERM": "xterm", **environment}
    command = [sys.executable, "-m", "autograph", f"{model}:clip"]
    child = subprocess.Popen(
        command, stdout=theirs, env={"PATH": os.environ["PATH"], **variables}, text=True
    )
    os.close(theirs)
    chunks = []
    try:
        while chunk := os.read(ours, 4096):
            chunks.append(chunk)
    except OSError:  # Linux's way to say that the other side is closed
        pass
    os.close(ours)
    assert child.wait(timeout=60) == 0
    return b"".join(chunks).decode().replace("\r\n", "\n")


def test_colour_on_a_terminal(model: Path) -> None:
    shown = on_terminal(model)
    assert "\033[34mdef\033[0m \033[1mclip\033[0m(x, limit):" in shown
    assert "ag.\033[33mcond\033[0m(" in shown


def test_colour_elsewhere_where_it_is_wanted(model: Path) -> None:
    shown = run_process(f"{model}:clip", FORCE_COLOR="1", NO_COLOR="").stdout
    assert "\033[90m# the smaller one\033[0m" in shown
    assert run_process(f"{model}:clip", FORCE_COLOR="1", NO_COLOR="1").stdout == CLIP


@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(model: Path, plain: dict[str, str]) -> None:
    assert on_terminal(model, **plain) == CLIP


def test_an_output_that_is_closed() -> None:
    command = f"{shlex.quote(sys.executable)} -m autograph autograph/names.py:names_in >&-"
    done = subprocess.run(command, shell=True, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("autograph: standard output is closed")
