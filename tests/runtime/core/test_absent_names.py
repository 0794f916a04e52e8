"""A name that is not here says why, or what is nearest; it is an AttributeError all the same."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import pytest

import runtime
from runtime.core.absent import AbsentName, reason_of

REASONS = [
    ("ragged", "ragged tensors are not supported"),
    ("RaggedTensor", "ragged tensors are not supported"),
    ("sparse", "sparse tensors are not supported"),
    ("experimental.numpy", "NumPy's own names are not repeated"),
    ("lite", "export to other programs is not supported"),
    ("distribute", "there is one machine"),
    ("qint8", "types of 8 bits"),
    ("float8_e4m3fn", "types of 8 bits"),
    ("dtypes.uint4", "types of 8 bits"),
    ("load_op_library", "cannot be loaded"),
    ("raw_ops.Conv2D", "other ops are here by their public names alone"),
    ("io.decode_jpeg", "codecs are not here"),
    ("io.encode_png", "codecs are not here"),
    ("test.is_gpu_available", "config.list_physical_devices"),
    ("TypeSpec", "specs of tensors, datasets and variables only"),
    ("math.bessel_i0", "Bessel functions are not supported"),
    ("config.experimental.get_memory_info", "use tracemalloc"),
    ("config.experimental.enable_tensor_float_32_execution", "there are no accelerators"),
    ("debugging.set_log_device_placement", "there are no accelerators"),
    ("linalg.tridiagonal_solve", "linalg.diag"),
    ("image.draw_bounding_boxes", "rt.numpy_function"),
    ("math.approx_max_k", "exact.* math.top_k"),
    ("nn.approx_min_k", "exact.* math.top_k"),
    ("saved_model.ASSETS_KEY", "load.*signatures"),
    ("signal.rfftnd", "1 to 3 axes"),
    ("data.experimental.save", "method of a dataset"),
    ("version", "rt.__version__"),
    ("types", "rt.Tensor"),
    ("nn.safe_embedding_lookup_sparse", "sparse tensors are not supported"),
    ("contrib", "was taken out of TensorFlow"),
    ("compat.v1.app", "argparse"),
    ("compat.v1.distributions", "another package"),
    ("compat.v1.wrap_function", "@rt.function"),
    ("compat.v1.image.resize_images", "rt.image.resize"),
]
NEAREST = [
    ("reduce_summ", "runtime.reduce_sum"),
    ("log", "runtime.math.log"),
    ("relu", "runtime.nn.relu"),
    ("nn.relux", "runtime.nn.relu"),
    ("nn.matmul", "runtime.matmul"),
    ("linalg.cholesk", "runtime.linalg.cholesky"),
    ("errors.InvalidArgument", "runtime.errors.InvalidArgumentError"),
    ("dtypes.float_32", "runtime.dtypes.float32"),
    ("strings.joins", "runtime.strings.join"),
    ("config.experimental.set_memory_grow", "runtime.config.experimental.set_memory_growth"),
    ("placeholder", "runtime.compat.v1.placeholder"),
    ("Session", "runtime.compat.v1.Session"),
    ("logging", "runtime.compat.v1.logging"),
]


def asked(name: str) -> Any:
    holder: Any = runtime
    for part in name.split("."):
        holder = getattr(holder, part)
    return holder


@pytest.mark.parametrize(("name", "reason"), REASONS)
def test_a_name_that_stays_out_says_why(name: str, reason: str) -> None:
    with pytest.raises(AttributeError, match=rf"has no attribute.*: .*{reason}.*docs/limits.md"):
        asked(name)


@pytest.mark.parametrize(("name", "nearest"), NEAREST)
def test_a_name_that_is_not_known_says_what_is_nearest(name: str, nearest: str) -> None:
    with pytest.raises(AttributeError, match=f"; the nearest is {nearest}$"):
        asked(name)


def test_what_is_asked_for_quietly_is_quiet() -> None:
    assert not hasattr(runtime, "ragged")
    assert not hasattr(runtime.nn, "__wrapped__")
    assert getattr(runtime.math, "nothing_like_it_at_all", None) is None
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_like_it_at_all'$"):
        runtime.math.nothing_like_it_at_all  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'ragged'"):
        from runtime import ragged  # type: ignore[attr-defined]  # noqa: F401


def test_the_text_is_made_when_it_is_read() -> None:
    code = "import sys, runtime; hasattr(runtime, 'x'); print('difflib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_error_is_copied_and_pickled() -> None:
    error = AbsentName("runtime", "ragged")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(other), other.name) == (str(error), "ragged")


def test_no_reason_is_given_for_what_is_here() -> None:
    for place in ("", *runtime._MODULES.split()):
        listed = dir(getattr(runtime, place) if place else runtime)
        assert not [name for name in listed if reason_of(f"{place}.{name}".strip("."))]


def test_the_version() -> None:
    assert runtime.__version__.count(".") == 2
