"""`config` and `device`: devices, threads, where results are said to be."""

from collections.abc import Iterator
from typing import Any

import pytest

import runtime as tf
from runtime.core import blas

config = tf.config
CPU0 = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture
def _two_cpus() -> Iterator[None]:
    (cpu,) = config.list_physical_devices("CPU")
    config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2)
    yield
    config.set_logical_device_configuration(cpu, [])


def test_devices() -> None:
    (cpu,) = config.list_physical_devices()
    assert (cpu.name, cpu.device_type) == ("/physical_device:CPU:0", "CPU")
    assert config.list_physical_devices("GPU") == []
    assert config.experimental.list_physical_devices("gpu") == []
    assert [d.name for d in config.list_logical_devices()] == ["/device:CPU:0"]
    assert config.list_logical_devices("GPU") == []


def test_visible_devices() -> None:
    (cpu,) = config.get_visible_devices()
    config.set_visible_devices([], "GPU")
    assert config.get_visible_devices("CPU") == [cpu]
    config.set_visible_devices([], "CPU")
    assert config.list_logical_devices() == []
    config.set_visible_devices(cpu)
    assert len(config.list_logical_devices()) == 1
    with pytest.raises(ValueError, match="Unrecognized device"):
        config.set_visible_devices(["/device:GPU:0"])
    with pytest.raises(ValueError, match="type GPU"):
        config.set_visible_devices([cpu], "GPU")


@pytest.mark.usefixtures("_two_cpus")
def test_logical_devices() -> None:
    (cpu,) = config.list_physical_devices("CPU")
    names = [d.name for d in config.list_logical_devices("CPU")]
    assert names == ["/device:CPU:0", "/device:CPU:1"]
    assert len(config.get_logical_device_configuration(cpu) or ()) == 2
    with tf.device("CPU:1"):
        results = [tf.constant([1.0]), tf.zeros([2]), tf.constant(1.0) + 2.0, tf.range(3)]
        with tf.device("/cpu:0"):
            inner = tf.ones([2])
        with tf.device(None):
            usual = tf.ones([2])
        v = tf.Variable([1.0, 2.0])
    second = CPU0.replace("CPU:0", "CPU:1")
    assert {t.device for t in results} == {second}
    assert (inner.device, usual.device, v.device) == (CPU0, CPU0, second)
    assert (tf.constant([1.0]) * results[0]).device == CPU0
    with tf.device("CPU:1"), tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="memory limit"):
        config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration(100)])


SAME = [
    "/cpu:0",
    "cpu:0",
    "CPU:0",
    "/CPU:0",
    "/device:CPU:0",
    "cpu",
    CPU0,
    "/gpu:0",
    "GPU:1",
    "/cpu:7",
]


@pytest.mark.parametrize("name", SAME)
def test_device_names(name: str) -> None:
    with tf.device(name):
        assert tf.zeros([2]).device == CPU0


@pytest.mark.parametrize("name", ["", "foo", "/cpu:x", "cpu:-1", "/device:FOO:0", "cpu 0", "/a/b"])
def test_bad_device_names(name: str) -> None:
    with pytest.raises(ValueError, match="device name"):
        tf.device(name)


def test_soft_placement() -> None:
    assert config.get_soft_device_placement()
    config.set_soft_device_placement(False)
    try:
        with tf.device("cpu:0"):
            pass
        with pytest.raises(tf.errors.InvalidArgumentError, match="/gpu:0"), tf.device("/gpu:0"):
            pass
    finally:
        config.set_soft_device_placement(True)


def test_a_device_scope_ends_on_an_error() -> None:
    with pytest.raises(KeyError), tf.device("/cpu:0"):
        raise KeyError
    assert tf.zeros([1]).device == CPU0


def test_threads() -> None:
    threading = config.threading
    before = blas.threads()
    try:
        threading.set_intra_op_parallelism_threads(1)
        assert threading.get_intra_op_parallelism_threads() == 1
        assert blas.threads() in (1, None)
        threading.set_intra_op_parallelism_threads(0)
        assert threading.get_intra_op_parallelism_threads() == 0
        assert blas.threads() == before
        threading.set_inter_op_parallelism_threads(3)
        assert threading.get_inter_op_parallelism_threads() == 3
    finally:
        threading.set_intra_op_parallelism_threads(0)
        threading.set_inter_op_parallelism_threads(0)


@pytest.mark.parametrize(
    ("count", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_bad_numbers_of_threads(count: Any, error: Any) -> None:
    for put in (
        config.threading.set_intra_op_parallelism_threads,
        config.threading.set_inter_op_parallelism_threads,
    ):
        with pytest.raises(error):
            put(count)


def test_matrix_products_are_right_with_any_number_of_threads() -> None:
    x = tf.reshape(tf.range(10000.0), (100, 100)) / 1e4
    found = []
    for count in (1, 2, 0):
        config.threading.set_intra_op_parallelism_threads(count)
        found.append(tf.matmul(x, x).numpy())
    assert abs(found[0] - found[1]).max() < 1e-3
    assert abs(found[0] - found[2]).max() < 1e-3


def test_gpu_settings_are_refused() -> None:
    (cpu,) = config.list_physical_devices()
    with pytest.raises(ValueError, match="GPU"):
        config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="Unrecognized"):
        config.experimental.set_memory_growth("gpu", True)


def test_run_functions_eagerly() -> None:
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        calls.append(1)
        return x + 1.0

    config.run_functions_eagerly(True)
    try:
        assert config.functions_run_eagerly()
        for _ in range(3):
            f(tf.constant(1.0))
        assert len(calls) == 3
    finally:
        config.run_functions_eagerly(False)
    assert not config.functions_run_eagerly()
