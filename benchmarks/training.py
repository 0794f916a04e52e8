"""What training costs beside TensorFlow: a step of `fit`, importing Keras, an element of a dataset,
a gigabyte of checkpoint. Each side runs in processes of its own, the sides by turns. All but the
checkpoint is CPU time: other processes hardly change it, and there is one thread.
"""

import importlib
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.peers import peer
from benchmarks.timing import row, title

TURNS = 5
STEPS, BATCH = 100, 32
ELEMENTS = 20_000
PARTS, PART = 10, 12_500_000
BACKENDS = {"tensorflow": "tensorflow", "keras": "numpy"}


def fit(side: str) -> Iterator[tuple[str, float]]:
    """The CPU time of a step."""
    importlib.import_module("runtime.keras") if side == "runtime" else peer(side)
    import keras

    rng = np.random.default_rng(0)
    for name, shape, inner in models(keras.layers):
        model = keras.Sequential([keras.Input(shape), *inner, keras.layers.Dense(10)])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        x = rng.standard_normal((BATCH * STEPS, *shape)).astype("float32")
        y = rng.integers(0, 10, BATCH * STEPS)

        def epoch(model: Any = model, x: Any = x, y: Any = y) -> float:
            start = time.process_time()
            model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)
            return (time.process_time() - start) / STEPS

        yield name, statistics.median([epoch() for _ in range(6)][3:])


def models(layers: Any) -> Iterator[tuple[str, tuple[int, ...], list[Any]]]:
    yield "MLP", (64,), [layers.Dense(128, "relu"), layers.Dense(128, "relu")]
    convolutions = [layers.Conv2D(count, 3, activation="relu") for count in (16, 32)]
    pooled = [convolutions[0], layers.MaxPooling2D(), convolutions[1], layers.Flatten()]
    yield "convnet", (16, 16, 1), pooled
    yield "LSTM", (20, 16), [layers.LSTM(32)]


def elements(side: str) -> Iterator[tuple[str, float]]:
    tf = importlib.import_module("runtime") if side == "runtime" else peer(side)
    numbers = tf.data.Dataset.range(ELEMENTS)
    odd = numbers.map(lambda x: x * 2 + 1)
    for name, dataset in (
        ("range", numbers),
        ("map", odd),
        ("map, filter", odd.filter(lambda x: x % 3 == 0)),
        ("zip", tf.data.Dataset.zip((numbers, odd))),
        ("batch of 32", numbers.batch(32)),
        ("shuffle, batch of 4", numbers.shuffle(1000, seed=1).batch(4)),
    ):
        for _ in dataset.take(200):
            pass
        start = time.process_time()
        count = sum(1 for _ in dataset)
        yield name, (time.process_time() - start) / count


def importing(module: str) -> Iterator[tuple[str, float]]:
    start = time.process_time()
    importlib.import_module(module)
    yield "import", time.process_time() - start


def checkpoint(_: str) -> Iterator[tuple[str, float]]:
    """Seconds, and gigabytes of memory beyond the variables' own."""
    import runtime as rt

    variables = [rt.Variable(np.full(PART, float(n))) for n in range(PARTS)]
    saved = rt.train.Checkpoint(variables=variables)
    with tempfile.TemporaryDirectory() as folder:
        before, start = peak(), time.perf_counter()
        path = saved.save(os.path.join(folder, "ckpt"))
        yield "save, s", time.perf_counter() - start
        start = time.perf_counter()
        saved.restore(path).assert_consumed()
        yield "restore, s", time.perf_counter() - start
        yield "memory beyond the variables', GB", peak() - before
        start = time.perf_counter()
        with open(os.path.join(folder, "plain"), "wb") as file:
            for variable in variables:
                file.write(variable.numpy().data)
            file.flush()
            os.fsync(file.fileno())
        yield "the same bytes by write and fsync, s", time.perf_counter() - start


def peak() -> float:
    with open("/proc/self/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmHWM"))) / 2**20


CHILDREN: dict[str, Callable[[str], Iterator[tuple[str, float]]]] = {
    "fit": fit, "elements": elements, "importing": importing, "checkpoint": checkpoint,
}  # fmt: skip


def main() -> None:
    sides = ["runtime", "tensorflow"]
    if importlib.util.find_spec("tensorflow") is None:
        print("  tensorflow: not installed")
        sides.remove("tensorflow")
    title(f"step of fit, batches of {BATCH}, CPU time")
    compare("fit", sides, "ms")
    title("Keras, with its NumPy backend in place of this one")
    modules = ["runtime.keras", "keras"]
    if importlib.util.find_spec("jax") is None:
        print("  keras: its NumPy backend needs jax, which is not installed")
        modules.remove("keras")
    compare("importing", modules, "ms")
    title("element of a dataset, eagerly")
    compare("elements", sides, "us")
    title("checkpoint of 1 GB")
    for name, figure in rows("checkpoint", "runtime"):
        print(f"  {name:<44}{figure:>10.2f}")


def compare(child: str, sides: list[str], unit: str) -> None:
    """The medians of each side; behind the other's its ratio, the first side's time by it."""
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(TURNS):
        for side in sides:
            for name, taken in rows(child, side):
                found.setdefault((name, side), []).append(taken)
    for (name, side), times in found.items():
        taken, first = statistics.median(times), statistics.median(found[name, sides[0]])
        row(f"{name}, {side}", taken, unit, "" if side == sides[0] else f" {first / taken:.2f}")


def rows(child: str, side: str) -> list[tuple[str, float]]:
    """What a process of the side's own measures."""
    command = [sys.executable, "-m", "benchmarks.training", child, side]
    environment = {**os.environ, "KERAS_BACKEND": BACKENDS.get(side, "")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    lines = [line.rsplit(maxsplit=1) for line in done.stdout.splitlines()]
    return [(name, float(figure)) for name, figure in lines]


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        for name, figure in CHILDREN[sys.argv[1]](sys.argv[2]):
            print(name, figure)
