"""Cells do what scripts do, print where they stand, and show errors in their own lines.

Each notebook is one test: a kernel takes seconds to start.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import notebook
from tests.support.notebooks import ROOT, Shown, cells_of, run_cells

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytestmark = pytest.mark.filterwarnings("ignore")  # of those who run the notebooks

Check = Callable[[Shown], bool]
_SOMETIMES = ("Compiler", "Parser  ")


def prints(*lines: str) -> Check:
    """No error, and lines that begin so, in this order."""

    def check(cell: Shown) -> bool:
        # `%%time` says how long parsing and compiling took where it took long.
        found = [line for line in cell.printed.splitlines() if line[:8] not in _SOMETIMES]
        return (
            not cell.error
            and len(found) == len(lines)
            and all(line.startswith(start) for line, start in zip(found, lines, strict=True))
        )

    return check


def shows(*parts: str) -> Check:
    """No error, and a value whose text has these parts."""
    return lambda cell: (
        not cell.error and all(part in cell.displayed.get("text/plain", "") for part in parts)
    )


def fails(*parts: str) -> Check:
    """The cell's error has these parts in this order, in the user's frames only."""

    def check(cell: Shown) -> bool:
        places = re.findall(r"^(?:File )?(\S+)[^\n]*, line \d+|^File (\S+)", cell.error, re.M)
        inside = [place for place in places if "runtime" in str(place) or "autograph" in str(place)]
        inside += re.findall(r"File <graph.*", cell.error)
        pattern = ".*".join(map(re.escape, parts))
        return not inside and re.search(pattern, cell.error, re.S) is not None

    return check


CELLS: list[tuple[str, Check]] = [
    (
        """
import math
import os
import runtime as rt
VALUE = rt.constant(2.0)
def scale(x):
    if rt.reduce_sum(x) > 100.0:
        x = rt.math.log(x)
    return x * math.floor(2.5)
@rt.function
def f(x):
    if x > 0:
        x = scale(x)
    else:
        x = -x
    print("f", x)
    return x
f(VALUE)
""",
        prints("f tf.Tensor(4.0"),
    ),
    ("print('before'); y = f(VALUE); print('after')", prints("before", "f tf.Tensor(4.0", "after")),
    ("f(rt.constant(-3.0))", prints("f tf.Tensor(3.0")),
    ("f(VALUE)", shows("numpy=4.0")),
    # Errors, first without a traceback that IPython has displayed, then behind one.
    (
        """
@rt.function
def bad(x, y):
    if rt.reduce_sum(x) > 0.0:
        z = x + y
    return z
bad(rt.ones(2), rt.ones(3))
""",
        fails("ValueError", "Cell In[5], line 6", "Cell In[5], line 4, in bad", "(2,) and (3,)"),
    ),
    ("f(VALUE)", prints("f tf.Tensor(4.0")),
    (
        "rt.reshape(rt.ones((2,)), (3,))",
        fails("Cell In[7], line 1", "InvalidValueError: Reshape"),
    ),
    ("rt.ones(2) + rt.ones(3)", fails("Cell In[8], line 1", "AddV2")),
    ("rt.constant(1.0) + 'a'", fails("Cell In[9], line 1", "Error: ")),
    (
        """
@rt.function
def k(x):
    y = [rt.abs(x), hash(x)]
    return y
k(rt.constant(1))
""",
        fails(
            "Cell In[10], line 3, in k",
            "Cell In[10]:3:21: ",
            "    y = [rt.abs(x), hash(x)]\n                    ^",
        ),
    ),
    (
        """
@rt.function
def k(x):
    assert x > 0, "must be positive"
    return [rt.debugging.assert_positive(x - 5), x]
k(rt.constant(-1))
""",
        fails("Cell In[11], line 5", "Cell In[11], line 3, in k", "must be positive"),
    ),
    (
        "k(rt.constant(1))",
        fails("Cell In[12], line 1", "Cell In[11], line 4", "at Cell In[11]:4:13]", "     ^"),
    ),
    # Redefinition, in another cell and in the same one.
    ("def scale(x):\n    return x * math.floor(10.5)\nf(VALUE)", prints("f tf.Tensor(20.0")),
    (
        "def scale(x): return x\nf(VALUE)\ndef scale(x): return -x\nf(VALUE)",
        prints("f tf.Tensor(2.0", "f tf.Tensor(-2.0"),
    ),
    (
        """
import math
@rt.function
def f(x):
    return math.sqrt(4) if x > 0 else x
@rt.function
def f(x):
    while x < 10:
        x = x * math.floor(2.5)
        print("x", x)
    return x
f(VALUE)
""",
        prints("x tf.Tensor(4.0", "x tf.Tensor(8.0", "x tf.Tensor(16.0"),
    ),
    # Magics
    (
        """%%time
import math
@rt.function
def timed(x):
    while x < 10:
        x = x * math.floor(2.5)
        print("timed", x)
    return x
timed(VALUE)
""",
        lambda cell: (
            prints("timed", "timed", "timed", "CPU times", "Wall time")(cell)
            and shows("numpy=16.0")(cell)
        ),
    ),
    ("timed(VALUE + 3.0)", prints("timed tf.Tensor(10.0")),
    ("%time timed(VALUE + 3.0)", prints("timed tf.Tensor(10.0", "CPU times", "Wall time")),
    (
        "%%timeit -n 1 -r 1\ndef g(x): return math.floor(2.5) * x if x > 0 else x\n"
        "print('g', rt.function(g)(VALUE))",
        prints("g tf.Tensor(4.0", ""),
    ),
    (
        "%timeit -n 1 -r 1 print(rt.function(lambda x: x * 3 if x > 0 else x)(VALUE))",
        prints("tf.Tensor(6.0", ""),
    ),
    (
        "%%capture captured\nimport os\n@rt.function\ndef g(x):\n"
        "    rt.print(os.path.join('a', 'b')) if x > 0 else None\n    return x\ng(VALUE)",
        prints(),
    ),
    ("print(captured.stderr)", prints("a/b", "")),
    ("%run -i script.py", prints("script tf.Tensor(6.0")),
    ("in_script(VALUE)", prints("script tf.Tensor(6.0")),
    (
        "files = !echo 1 2\nx = rt.function(lambda x: x * len(files) if x > 0 else x)(VALUE)\n"
        "print(x)\n!echo done",
        prints("tf.Tensor(2.0", "done"),
    ),
    # Async cells
    (
        """
import asyncio
@rt.function
def twice(x):
    rt.print("twice", output_stream="stdout") if x > 0 else None
    return x if asyncio.iscoroutine(3) else 2 * x
async def later(x):
    await asyncio.sleep(0.01)
    return twice(x)
print((await asyncio.gather(later(VALUE), later(VALUE + 1)))[1])
""",
        prints("twice", "twice", "tf.Tensor(6.0"),
    ),
    ("print(twice(await later(VALUE)))", prints("twice", "twice", "tf.Tensor(8.0")),
    # Output of other threads, and of graphs made in other cells
    (
        "import threading\ndef target(): print('thread', twice(VALUE))\n"
        "thread = threading.Thread(target=target); thread.start(); thread.join()",
        prints("twice", "thread tf.Tensor(4.0"),
    ),
    (
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as text:\n"
        "    twice(VALUE)\nprint(repr(text.getvalue()))",
        prints("'twice\\n'"),
    ),
    (
        """
import _thread
@rt.function
def forever(x):
    while x > 0:
        x = x + 1
    return x
forever(-VALUE)
threading.Timer(0.3, lambda: _thread.interrupt_main()).start()
forever(VALUE)
""",
        fails("KeyboardInterrupt", ", line 9", ", in forever"),
    ),
    ("print(forever(-VALUE))", prints("tf.Tensor(-2.0")),
    # What IPython asks of objects
    (
        "import re\nfrom IPython.core.completer import provisionalcompleter\n"
        "text = get_ipython().object_inspect_text('twice', 1)\n"
        "text = re.sub('\\x1b.*?m', '', text)\n"
        "print(all(part in text for part in ('twice(x)', 'iscoroutine(3)')))",
        prints("True"),
    ),
    (
        "with provisionalcompleter():\n"
        "  for line in ('rt.reduce_su', 'twice.why_r', 'VALUE.nu'):\n"
        "    print(*[one.text for one in get_ipython().Completer.completions(line, len(line))])",
        prints("reduce_sum", "why_retraced", "numpy"),
    ),
    # The lines of a frame are those of its function.
    (
        """
@rt.function
def halved(x):
    while x > 1:
        x = x / 2
    return x
halved("one")
""",
        fails(*2 * ("in halved(x)\n", "@rt.function\n      2 def halved", "----> 3     while")),
    ),
    (
        """
def checked(x):
    return x
def too_small(x):
    assert x > 3
    return checked(x)
rt.function(too_small)(rt.constant(1))
""",
        fails("in too_small()\n", "3 def too_small(x):\n----> 4     assert x > 3"),
    ),
    ("%xmode Minimal\nbad(rt.ones(2), rt.ones(3))", fails("ValueError", "(2,) and (3,)")),
]


def test_cells(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import math\n@rt.function\ndef in_script(x):\n    if x > 0:\n"
        "        x = x * math.floor(3.5)\n    print('script', x)\n    return x\n"
        "in_script(rt.constant(2.0))\n"
    )
    shown = run_cells([cell.strip("\n") for cell, _ in CELLS], tmp_path)
    pairs = zip(CELLS, shown, strict=True)
    assert [(cell, found) for (cell, check), found in pairs if not check(found)] == []


# Each script of the folder is run as it is, and as a notebook of the cells that it marks.
SCRIPTS = sorted((ROOT / "fixtures" / "notebooks").glob("*.py"))
BETWEEN_CELLS, BETWEEN_SCRIPTS = "\x1e", "\x1d"
RUN_SCRIPTS = f"""
import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path, run_name="__main__")
    print({BETWEEN_SCRIPTS!r}, end="")
"""


def test_cells_print_what_their_lines_print_in_a_script(tmp_path: Path) -> None:
    cells = [cells_of(script.read_text()) for script in SCRIPTS]
    notebook = [cell for part in cells for cell in ("%reset -sf", *part)]
    shown = iter(run_cells(notebook, tmp_path))
    found = [[next(shown) for _ in ("%reset", *part)][1:] for part in cells]
    assert [cell.error for part in found for cell in part if cell.error] == []
    printed = [[cell.printed for cell in part] for part in found]
    assert printed == printed_by_scripts(cells, tmp_path)
    assert all(map(any, printed))


def printed_by_scripts(scripts: list[list[str]], folder: Path) -> list[list[str]]:
    """What the lines of each cell print where all are a script."""
    mark = f"\nprint({BETWEEN_CELLS!r}, end='')\n"
    paths = [folder / f"script_{number}.py" for number in range(len(scripts))]
    for path, cells in zip(paths, scripts, strict=True):
        path.write_text(mark.join(cells))
    done = subprocess.run(
        [sys.executable, "-c", RUN_SCRIPTS, *map(str, paths)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [text.split(BETWEEN_CELLS) for text in done.stdout.split(BETWEEN_SCRIPTS)[:-1]]


EXAMPLES = ["line", "lengths", "mixed", "search"]


def test_examples_as_notebooks(tmp_path: Path) -> None:
    """Each in the same kernel behind the others; the pictures that they show are theirs."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    to_folder = f"from examples import common\ncommon.OUTPUT = common.Path({str(tmp_path)!r})"
    texts, parts = zip(*(notebook.cells(name) for name in EXAMPLES), strict=True)
    fewer = ["EPOCHS = 2; ACCURACY = 0.3" if "EPOCHS," in part[0] else "" for part in parts]
    made = [[part[0], few, *part[1:]] for part, few in zip(parts, fewer, strict=True)]
    shown = run_cells([to_folder, *(cell for part in made for cell in part)], tmp_path)
    assert [cell.error for cell in shown if cell.error] == []
    printed = "".join(cell.printed for cell in shown)
    assert re.findall(r"drawn in (?:\S*/)?(\w+)\.png", printed) == EXAMPLES
    assert sum("image/png" in cell.displayed for cell in shown) == len(EXAMPLES)
    assert all(texts)


MODULE = """
import math
import runtime as rt
FACTOR = 1.0
def helper(x):
    return x + math.floor(1.5)
@rt.function
def f(x):
    if x > 0:
        x = helper(x) * FACTOR
    return x
def plain(x):
    return x * 2.0 if x > 0 else x
class Net(rt.Module):
    def __init__(self):
        super().__init__()
        self.w = rt.Variable(2.0)
    @rt.function
    def call(self, x):
        if x > 0:
            x = x * self.w
        return x
@rt.function
def late(x):
    return x * 3.0 if x > 0 else x
"""

# Each edit of the module, and what the functions that were imported before give for 1.0: f, staged
# plain, the method of an object made before, and a function that was never called before.
EDITS: list[tuple[str, str, list[float]]] = [
    ("import math", "import math", [2.0, 2.0, 2.0]),
    ("import math", "# moved\n\n\nimport math", [2.0, 2.0, 2.0, 3.0]),
    ("floor(1.5)", "floor(7.5)", [8.0, 2.0, 2.0, 3.0]),
    ("x * 2.0", "x * 20.0", [8.0, 20.0, 2.0, 3.0]),
    ("helper(x) * FACTOR", "helper(x) * FACTOR * 10.0", [80.0, 20.0, 2.0, 3.0]),
    ("x * self.w", "x * self.w * 4.0", [80.0, 20.0, 8.0, 3.0]),
    ("import math", "import math  # at the end", [80.0, 20.0, 8.0, 3.0]),
]


def test_autoreload(tmp_path: Path) -> None:
    cells = [
        "%load_ext autoreload\n%autoreload 2\nimport os, sys\nsys.dont_write_bytecode = True\n"
        f"text, times = {MODULE!r}, iter(range(2_000_000_000, 2_100_000_000))\n"
        "def edit(old, new):\n    global text\n    text = text.replace(old, new)\n"
        "    open('edited.py', 'w').write(text)\n    time = next(times)\n"
        "    os.utime('edited.py', (time, time))"
    ]
    for old, new, expected in EDITS:
        cells.append(f"edit({old!r}, {new!r})")
        if len(cells) == 2:
            cells.append(
                "import runtime as rt\nfrom edited import f, plain, Net, late\n"
                "x, net, staged = rt.constant(1.0), Net(), rt.function(plain)"
            )
        cells.append(
            "called = [f, staged, net.call, late]\n"
            f"print([float(g(x)) for g in called[: {len(expected)}]])"
        )
    shown = run_cells(cells, tmp_path)
    assert [cell.error for cell in shown if cell.error] == []
    expected_lines = [str(expected) for _, _, expected in EDITS]
    assert [
        cell.printed.strip() for cell in shown if cell.printed.startswith("[")
    ] == expected_lines
