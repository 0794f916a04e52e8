"""Checkpoints: what is restored is what was saved, and a file that is not whole is refused."""

import gc
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors

safetensors = pytest.importorskip("safetensors.numpy")

VALUES: dict[str, Any] = {
    **{
        name: np.array([[0, 1, 100]]).astype(name)
        for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    },
    "float16": np.array([1.5, np.inf, -0.0], "float16"),
    "float32": np.array([[1.5], [np.nan]], "float32"),
    "float64": np.float64(np.pi),
    "complex64": np.array([1 + 2j], "complex64"),
    "complex128": np.array([[1 + 2j, -3j]]),
    "complex128 scalar": np.complex128(2 - 1j),
    "bool": np.array([True, False]),
    "string": np.array([b"\x00\xff", "ü".encode()], object),
    "string scalar": np.array(b"text", object),
    "empty": np.zeros((2, 0, 3), "float32"),
    "empty text": np.zeros((0, 2), object),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
}


def variable(value: Any) -> rt.Variable:
    return rt.Variable(rt.constant(value))


def blank(value: Any) -> rt.Variable:
    return rt.Variable(rt.zeros_like(rt.constant(value)))


@pytest.mark.parametrize("name", VALUES)
def test_values_return_bit_for_bit(name: str, tmp_path: Path) -> None:
    saved, found = variable(VALUES[name]), blank(VALUES[name])
    path = rt.train.Checkpoint(v=saved).write(tmp_path / "one")
    rt.train.Checkpoint(v=found).read(path).assert_consumed()
    expected, actual = np.asarray(saved.numpy()), np.asarray(found.numpy())
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if expected.dtype == object:
        assert actual.tolist() == expected.tolist()
    else:
        assert actual.tobytes() == expected.tobytes()


def test_the_library_of_the_format_reads_it(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(v=variable([1.0, 2.0])).write(tmp_path / "one")
    assert safetensors.load_file(path + ".safetensors")[
        "v/.ATTRIBUTES/VARIABLE_VALUE"
    ].tolist() == [1.0, 2.0]


class Dense(rt.Module):
    """Makes its variables in its first call."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.units = units
        self.w: Any = None

    def __call__(self, x: Any) -> Any:
        if self.w is None:
            self.w = rt.Variable(rt.ones([x.shape[-1], self.units]))
            self.b = rt.Variable(rt.zeros([self.units]))
        return x @ self.w + self.b


class Net(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [Dense(3), Dense(2)]
        self.named = {"scale": rt.Variable(1.0), "not state": 3}
        self.pair = (rt.Variable(2), "text")
        self.same = self.layers[0]
        self.me = self

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x * self.named["scale"]


def made(net: Net) -> Net:
    net(rt.ones([1, 4]))
    return net


def changed(net: Net, seed: int = 0) -> Net:
    rng = np.random.default_rng(seed)
    for v in net.variables:
        v.assign(rng.integers(0, 99, v.shape.as_list()).astype(v.dtype.np_dtype))
    return net


def values(net: rt.Module) -> list[Any]:
    return [v.numpy().tolist() for v in net.variables]


def test_names_are_the_shortest_way_through_the_objects(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(net=made(Net())).save(tmp_path / "ckpt")
    assert rt.train.list_variables(path) == [
        (name + "/.ATTRIBUTES/VARIABLE_VALUE", shape)
        for name, shape in [
            ("net/layers/1/b", [2]),
            ("net/layers/1/w", [3, 2]),
            ("net/named/scale", []),
            ("net/pair/0", []),
            ("net/same/b", [3]),
            ("net/same/w", [4, 3]),
            ("save_counter", []),
        ]
    ]


def test_names_with_slashes_and_dots_stay_apart(tmp_path: Path) -> None:
    held = {"a/b": variable(1.0), "a.b": variable(2.0), "a": {"b": variable(3.0)}}
    path = rt.train.Checkpoint(held=held).write(tmp_path / "one")
    fresh = {"a/b": variable(0.0), "a.b": variable(0.0), "a": {"b": variable(0.0)}}
    rt.train.Checkpoint(held=fresh).read(path).assert_consumed()
    assert [float(v) for v in (fresh["a/b"], fresh["a.b"], fresh["a"]["b"])] == [1, 2, 3]  # type: ignore[index,arg-type]


@pytest.mark.parametrize("when", ["made before", "made after"])
def test_a_model_is_restored_into_another(when: str, tmp_path: Path) -> None:
    net = changed(made(Net()))
    path = rt.train.Checkpoint(net=net).save(tmp_path / "ckpt")
    other = Net() if when == "made after" else made(Net())
    status = rt.train.Checkpoint(net=other).restore(path)
    if when == "made after":
        with pytest.raises(AssertionError, match="net/same/b"):
            status.assert_consumed()
        made(other)
    status.assert_consumed()
    assert values(other) == values(net)


def test_what_is_made_in_a_staged_call_is_restored(tmp_path: Path) -> None:
    net = changed(made(Net()))
    path = rt.train.Checkpoint(net).write(tmp_path / "one")
    other = Net()
    status = rt.train.Checkpoint(other).read(path)
    run = rt.function(other.__call__)
    x = rt.ones([1, 4])
    assert run(x).numpy().tolist() == net(x).numpy().tolist()
    status.assert_consumed()
    assert values(other) == values(net)


def test_values_are_restored_as_attributes_come(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(a=variable(1.0), b=[variable(2.0)]).write(tmp_path / "one")
    late = rt.train.Checkpoint()
    status = late.read(path)
    late.a = variable(0.0)
    assert float(late.a) == 1.0
    late.a.assign(5.0)
    late.b = [variable(0.0)]
    assert (float(late.a), float(late.b[0])) == (5.0, 2.0)
    status.assert_consumed()


def test_modules_set_attributes_as_before_once_nothing_waits(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(a=variable(1.0)).write(tmp_path / "one")
    root = rt.train.Checkpoint()
    status = root.read(path)
    assert "__setattr__" in vars(rt.Module)
    del root, status
    gc.collect()
    assert "__setattr__" not in vars(rt.Module)


def test_random_generators_go_on_where_they_were(tmp_path: Path) -> None:
    generator = rt.random.Generator.from_seed(3)
    generator.normal([2])
    path = rt.train.Checkpoint(g=generator).write(tmp_path / "one")
    expected = generator.normal([3]).numpy().tolist()
    other = rt.random.Generator.from_seed(9)
    rt.train.Checkpoint(g=other).read(path).assert_consumed()
    assert other.normal([3]).numpy().tolist() == expected


def test_statuses(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(a=variable(1.0)).save(tmp_path / "ckpt")
    other = rt.train.Checkpoint(b=variable(2.0))
    status = other.restore(path)
    for check, said in [
        (status.assert_consumed, "a/.ATTRIBUTES"),
        (status.assert_existing_objects_matched, r"b \(Variable:0\)"),
        (status.assert_nontrivial_match, "nothing in the checkpoint"),
    ]:
        with pytest.raises(AssertionError, match=said):
            check()
    assert status.expect_partial() is status
    assert float(other.b) == 2.0
    nothing = other.restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        nothing.assert_consumed()


def test_numbering_goes_on_after_restore(tmp_path: Path) -> None:
    first = rt.train.Checkpoint(v=variable(1.0))
    first.save(tmp_path / "ckpt")
    path = first.save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-2") == rt.train.latest_checkpoint(tmp_path)
    again = rt.train.Checkpoint(v=variable(0.0))
    again.restore(path).assert_consumed()
    assert again.save(tmp_path / "ckpt") == str(tmp_path / "ckpt-3")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: rt.train.Checkpoint(x=3), "expecting x to be a trackable object"),
        (lambda: rt.train.Checkpoint(x=rt.Variable), "expecting x"),
        (lambda: rt.train.Checkpoint(object()), "expecting root"),
        (lambda: rt.train.Checkpoint(made(Net()), layers=rt.Module()), "'layers' already"),
        (lambda: rt.train.CheckpointManager(rt.train.Checkpoint(), "x", 0), "positive integer"),
        (
            lambda: rt.train.CheckpointManager(
                rt.train.Checkpoint(), "x", 1, checkpoint_interval=3
            ),
            "step_counter",
        ),
    ],
)
def test_objects_without_state_are_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def test_another_model_changes_nothing(tmp_path: Path) -> None:
    path = rt.train.Checkpoint(a=variable(1.0), b=variable([1.0, 2.0])).write(tmp_path / "one")
    shape = rt.train.Checkpoint(a=variable(7.0), b=variable([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=r"shape \(2,\).*shape \(3,\)"):
        shape.read(path)
    kind = rt.train.Checkpoint(a=variable(7.0), b=variable([1, 2]))
    with pytest.raises(errors.InvalidArgumentError, match=r"float32 values.*dtype int32"):
        kind.read(path)
    assert (float(shape.a), float(kind.a)) == (7.0, 7.0)


def test_a_staged_function_cannot_save(tmp_path: Path) -> None:
    checkpoint = rt.train.Checkpoint(v=variable(1.0))
    for method in (checkpoint.save, checkpoint.write, checkpoint.restore):
        with pytest.raises(autograph.StagingError, match="call it outside"):
            rt.function(lambda m=method: m(str(tmp_path / "x")))()
    assert os.listdir(tmp_path) == []


# Files

BAD_FILES: dict[str, tuple[bytes, type[Exception], str]] = {
    "empty": (b"", errors.DataLossError, "damaged"),
    "text": (b"just some text, not a checkpoint", errors.InvalidArgumentError, "no file of safet"),
    "zip": (b"PK\x03\x04" + bytes(60), errors.InvalidArgumentError, "no file of safetensors"),
    "other tensors": (
        safetensors.save({"x": np.zeros(3)}),
        errors.InvalidArgumentError,
        "no graph of objects",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_foreign_files_are_refused(name: str, tmp_path: Path) -> None:
    content, kind, said = BAD_FILES[name]
    (tmp_path / "ckpt-1.safetensors").write_bytes(content)
    with pytest.raises(kind, match=said):
        rt.train.Checkpoint(v=variable(1.0)).restore(tmp_path / "ckpt-1")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError, match=r"nope\.safetensors.*latest_checkpoint"):
        rt.train.Checkpoint().restore(tmp_path / "nope")
    with pytest.raises(errors.NotFoundError, match="no checkpoint in the folder"):
        rt.train.load_checkpoint(tmp_path)
    assert rt.train.latest_checkpoint(tmp_path / "not" / "there") is None


def small(folder: Path) -> tuple[Path, bytes]:
    path = folder / "one.safetensors"
    rt.train.Checkpoint(a=variable([1.0, 2.0, 3.0]), b=variable(b"text")).write(path)
    return path, path.read_bytes()


def outcome(path: Path) -> Any:
    found = rt.train.Checkpoint(a=variable([0.0, 0.0, 0.0]), b=variable(b""))
    try:
        found.read(path)
    except (errors.DataLossError, errors.InvalidArgumentError, errors.UnimplementedError):
        assert (found.a.numpy().tolist(), found.b.numpy()) == ([0, 0, 0], b"")
        return "refused"
    return found.a.numpy().tolist(), found.b.numpy()


def test_every_truncated_file_is_refused(tmp_path: Path) -> None:
    path, whole = small(tmp_path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert outcome(path) == "refused", length


def test_every_changed_byte_is_seen(tmp_path: Path) -> None:
    """Or does not matter: blanks that fill the head."""
    path, whole = small(tmp_path)
    rng = random.Random(0)
    for at in range(len(whole)):
        other = whole[at] ^ (1 << rng.randrange(8))
        path.write_bytes(whole[:at] + bytes([other]) + whole[at + 1 :])
        assert outcome(path) in ("refused", ([1.0, 2.0, 3.0], b"text")), at


def test_a_newer_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.train.checkpoint_file.VERSION", 2)
    path, _ = small(tmp_path)
    monkeypatch.undo()
    with pytest.raises(errors.UnimplementedError, match="version 2 of the format"):
        rt.train.load_checkpoint(path)


def test_a_checkpoint_of_tensorflows_says_so(tmp_path: Path) -> None:
    for name in ("ckpt-1.index", "ckpt-1.data-00000-of-00001"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(errors.NotFoundError, match=r"ckpt-1\.index is of TensorFlow's format"):
        rt.train.Checkpoint(v=variable(1.0)).restore(tmp_path / "ckpt-1")


def of_graph(path: Path, change: Callable[[Any], Any]) -> None:
    """Change the graph of objects in a file, and its checksum with it."""
    whole = path.read_bytes()
    end = 8 + int.from_bytes(whole[:8], "little")
    head = json.loads(whole[8:end])
    metadata = head["__metadata__"]
    document = json.loads(metadata["checkpoint"])
    change(document)
    text = metadata["checkpoint"] = json.dumps(document)
    metadata["checkpoint_crc32"] = str(zlib.crc32(text.encode()))
    made = json.dumps(head).encode()
    path.write_bytes(len(made).to_bytes(8, "little") + made + whole[end:])


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: graph.update(format="another"),
        lambda graph: graph.update(version="1"),
        lambda graph: graph.pop("objects"),
        lambda graph: graph.update(objects=[]),
        lambda graph: graph.update(objects={}),
        lambda graph: graph["objects"][0].update(children="a"),
        lambda graph: graph["objects"][0]["children"].update(a=99),
        lambda graph: graph["objects"][0]["children"].update(a=-1),
        lambda graph: graph["objects"][0]["children"].update(a=None),
        lambda graph: graph["objects"].append({}),
        lambda graph: graph["objects"].append({"array": "none"}),
        lambda graph: graph["objects"].append({"array": ["none"]}),
        lambda graph: graph.update(arrays=[]),
        lambda graph: graph["arrays"].update(x=None),
        lambda graph: graph["arrays"].update(x={"dtype": "string", "shape": []}),
        *(
            lambda graph, entry=entry: [each.update(entry) for each in graph["arrays"].values()]
            for entry in (
                {"dtype": "none"}, {"dtype": 3}, {"shape": 3}, {"shape": [-1]}, {"crc32": "a"},
                {"base64": ["!"]}, {"base64": 3}, {"base64": [3]}, {"base64": []},
            )
        ),
    ],
)  # fmt: skip
def test_a_graph_of_objects_that_was_changed_is_refused(change: Any, tmp_path: Path) -> None:
    path, _ = small(tmp_path)
    of_graph(path, lambda graph: None)
    assert outcome(path) == ([1.0, 2.0, 3.0], b"text")
    of_graph(path, change)
    assert outcome(path) == "refused"


@pytest.mark.parametrize(
    "content",
    [
        b"what is this", b"\xff\xfe\x00", b"model_checkpoint_path: 5",
        rb'model_checkpoint_path: "\q"',
        b'model_checkpoint_path: "a"\nall_model_checkpoint_timestamps: 1.2.3',
    ],
)  # fmt: skip
def test_a_damaged_state_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(content)
    with pytest.raises(errors.DataLossError, match="no state file"):
        rt.train.latest_checkpoint(tmp_path)


def test_folders_with_odd_names(tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" \\ ü'
    path = rt.train.Checkpoint(v=variable(1.0)).save(folder / "ck pt")
    assert rt.train.latest_checkpoint(folder) == path
    folder.rename(tmp_path / "moved")
    assert rt.train.latest_checkpoint(tmp_path / "moved") == str(tmp_path / "moved" / "ck pt-1")


FULL_DISK = """
import resource, signal, sys
import autograph
import runtime as rt
folder = sys.argv[1]
checkpoint = rt.train.Checkpoint(v=rt.Variable(rt.zeros([100_000])))
path = checkpoint.save(folder + "/ckpt")
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    checkpoint.save(folder + "/ckpt")
except OSError as error:
    print("OSError", int(checkpoint.save_counter))
assert rt.train.latest_checkpoint(folder) == path
checkpoint.restore(path).assert_consumed()
"""


def test_a_failed_save_leaves_the_one_before(tmp_path: Path) -> None:
    done = run(FULL_DISK, tmp_path)
    assert (done.stdout, done.stderr) == ("OSError 1\n", "")
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "ckpt-1.safetensors"]


def run(code: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", code, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


ROOT = Path(__file__).parents[3]

SAVING = """
import sys
import numpy as np, runtime as rt
a, b = rt.Variable(np.zeros(300_000)), rt.Variable(np.zeros(300_000))
checkpoint = rt.train.Checkpoint(a=a, b=b)
manager = rt.train.CheckpointManager(checkpoint, sys.argv[1], 3)
manager.restore_or_initialize()
manager.save()
print("saved", flush=True)
while True:
    a.assign_add(np.ones(300_000))
    b.assign_add(np.ones(300_000))
    manager.save()
"""


def killed(folder: Path, times: int) -> None:
    rng = random.Random(1)
    before = 0.0
    for _ in range(times):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVING, str(folder)], stdout=subprocess.PIPE, cwd=ROOT
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"saved\n"
        time.sleep(rng.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        a, b = variable(np.zeros(300_000)), variable(np.zeros(300_000))
        latest = rt.train.latest_checkpoint(folder)
        rt.train.Checkpoint(a=a, b=b).restore(latest).expect_partial()
        assert a.numpy().tolist() == b.numpy().tolist()
        assert float(a[0]) >= before
        before = float(a[0])
    assert before > 0


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    killed(tmp_path, 5)
    rt.train.Checkpoint(v=variable(1.0)).write(tmp_path / "one")
    assert [name for name in os.listdir(tmp_path) if name.startswith(".writing")] == []


@pytest.mark.soak
def test_two_hundred_killed_processes_lose_nothing(tmp_path: Path) -> None:
    killed(tmp_path, 200)


LARGE = """
import resource, sys
import numpy as np, runtime as rt
parts = [rt.Variable(np.full(12_500_000, float(n))) for n in range(10)]
checkpoint = rt.train.Checkpoint(parts=parts)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
before = peak()
path = checkpoint.save(sys.argv[1] + "/ckpt")
saved = peak()
checkpoint.restore(path).assert_consumed()
assert [float(part[-1]) for part in parts] == list(range(10))
print(saved - before, peak() - before)
"""


@pytest.mark.soak
def test_a_gigabyte_needs_little_more_memory(tmp_path: Path) -> None:
    done = run(LARGE, tmp_path)
    assert done.stderr == ""
    assert max(map(float, done.stdout.split())) < 0.2


def test_variables_change_in_other_threads_meanwhile(tmp_path: Path) -> None:
    """Each file holds one moment, whole."""
    v = variable(np.zeros(50_000))
    stop = threading.Event()

    def count() -> None:
        one = rt.ones([50_000], rt.float64)
        while not stop.is_set():
            v.assign_add(one)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for _ in range(20):
            path = rt.train.Checkpoint(v=v).write(tmp_path / "one")
            found = rt.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
            assert found.min() == found.max()
    finally:
        stop.set()
        thread.join()


# Managers


def names(manager: rt.train.CheckpointManager) -> list[str]:
    return [os.path.basename(path) for path in manager.checkpoints]


def test_a_manager_keeps_the_last_few(tmp_path: Path) -> None:
    checkpoint = rt.train.Checkpoint(v=variable(1.0))
    manager = rt.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    for _ in range(4):
        manager.save()
    assert names(manager) == ["ckpt-3", "ckpt-4"]
    assert sorted(os.listdir(tmp_path)) == [
        *("checkpoint", "ckpt-3.safetensors", "ckpt-4.safetensors")
    ]
    again = rt.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-4")
    again.save()
    assert names(again) == ["ckpt-4", "ckpt-5"]
    assert rt.train.latest_checkpoint(tmp_path) == again.latest_checkpoint


def test_a_manager_saves_every_few_steps(tmp_path: Path) -> None:
    step = rt.Variable(0)
    checkpoint = rt.train.Checkpoint(step=step)
    manager = rt.train.CheckpointManager(
        checkpoint, tmp_path, None, step_counter=step, checkpoint_interval=3
    )
    saved = []
    for _ in range(8):
        saved.append(manager.save(step) is not None)
        step.assign_add(1)
    assert saved == [True, False, False, True, False, False, True, False]
    assert names(manager) == ["ckpt-0", "ckpt-3", "ckpt-6"]
    assert manager.save(check_interval=False) is not None


def test_a_manager_keeps_one_in_so_many_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1e9]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    checkpoint = rt.train.Checkpoint(v=variable(1.0))
    manager = rt.train.CheckpointManager(
        checkpoint, tmp_path, 1, keep_checkpoint_every_n_hours=2, checkpoint_name="m"
    )
    for _ in range(6):
        clock[0] += 3600
        manager.save()
    assert sorted(p.name for p in tmp_path.glob("m-*")) == [f"m-{n}.safetensors" for n in (2, 4, 6)]


def test_a_manager_starts_where_nothing_is(tmp_path: Path) -> None:
    v = variable(0.0)
    manager = rt.train.CheckpointManager(
        rt.train.Checkpoint(v=v), tmp_path, 1, init_fn=lambda: v.assign(4.0)
    )
    assert manager.restore_or_initialize() is None
    assert float(v) == 4.0


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ImportError, match=r"autograph-runtime\[checkpoints\]"):
        rt.train.Checkpoint(v=variable(1.0)).write("x")


def test_the_head_is_json(tmp_path: Path) -> None:
    _, whole = small(tmp_path)
    head = json.loads(whole[8 : 8 + int.from_bytes(whole[:8], "little")])
    document = json.loads(head["__metadata__"]["checkpoint"])
    assert document["objects"][0] == {"children": {"a": 1, "b": 2}}


def test_what_is_under_other_keys_than_texts_is_not_left_out(tmp_path: Path) -> None:
    checkpoint = rt.train.Checkpoint(layers={1: rt.Variable(1.0)})
    with pytest.raises(ValueError, match="must be texts: 1 is a int, write '1'"):
        checkpoint.save(tmp_path / "ckpt")
    assert rt.train.latest_checkpoint(tmp_path) is None
    checkpoint.layers = {1: "a number is no state", "one": rt.Variable(1.0)}
    names = [name for name, _ in rt.train.list_variables(checkpoint.save(tmp_path / "ckpt"))]
    assert names[0] == "layers/one/.ATTRIBUTES/VARIABLE_VALUE"
