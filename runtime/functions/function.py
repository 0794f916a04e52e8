"""`@function`, the decorator, and the description of its graphs.

`runtime.functions.polymorphic_function`, which does the work, is imported when the first one is
made.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from runtime import nest
from runtime.core.collector import paused
from runtime.core.shapes import TensorSpec

if TYPE_CHECKING:
    from runtime.functions.polymorphic_function import Function

P = ParamSpec("P")
R = TypeVar("R")


@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    executor: str | None = None,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Function[P, R]: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    executor: str | None = None,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    executor: str | None = None,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Make a graph of a Python function.

    It is traced once for each signature, and a call runs the graph.

    Usable as a decorator, with and without arguments. Tensors and arrays are symbols while tracing;
    Python values are part of the signature. Numbers that the function returns become tensors
    (int32, float32, bool).

    Args:
        func: the function; without it, the result is a decorator.
        input_signature: a TensorSpec (or a structure of them) for each parameter: one trace for all
            calls that fit, and others are refused.
        autograph: whether `if`, `for`, `while` ... may depend on tensors.
        reduce_retracing: make one trace for several shapes instead of one for each;
            `experimental_relax_shapes` is its older name.
        executor: "numpy" or "native", the executor of its graphs; without it, that of the process
            (`config.set_executor`).
        jit_compile: run machine code from the first call on. A call whose graph has an op without
            any raises InvalidArgumentError; `experimental_compile` is its older name.
        experimental_implements, experimental_autograph_options, experimental_attributes,
        experimental_follow_type_hints: accepted, and without effect.

    Raises:
        ValueError: there is no such executor, or `jit_compile` is asked for on NumPy's.
        ImportError: the native executor or `jit_compile` is asked for, and not installed.
        TypeError: `func` cannot be called, or `input_signature` is no sequence of (structures of)
            TensorSpecs.

    >>> @rt.function
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> int(collatz(rt.constant(27)))
    111
    """
    if input_signature is not None and not isinstance(input_signature, list | tuple):
        raise TypeError(f"input_signature must be a list or tuple, not {input_signature!r}")
    for leaf in nest.flatten(input_signature) if input_signature else ():
        if leaf is None or isinstance(leaf, int | float | complex | str | bytes):
            raise TypeError(f"input_signature has {leaf!r}, which is not a TensorSpec")
    made = _class()

    options: dict[str, Any] = {
        "input_signature": input_signature,
        "autograph": autograph,
        "jit_compile": experimental_compile if jit_compile is None else jit_compile,
        "reduce_retracing": bool(reduce_retracing or experimental_relax_shapes),
        "executor": executor,
    }
    if func is None:
        return functools.partial(made, **options)
    return made(func, **options)


@functools.cache
def _class() -> Any:
    """The class of functions. Tracing takes long to import, and programs without graphs never need
    it.
    """
    with paused():
        from runtime.functions.polymorphic_function import Function
    return Function


def describe(target: Any, specs: Sequence[tuple[str, tuple[int | None, ...] | None]]) -> str:
    """The traced graph of a function for arguments of these dtypes and shapes, as text."""
    from runtime.graph.format.printing import format_graph

    return format_graph(_traced(target, specs).graph)


def describe_native(target: Any, specs: Sequence[tuple[str, tuple[int | None, ...] | None]]) -> str:
    """The LLVM IR of a function for arguments of these dtypes and shapes; where there is none, an
    ImportError or ValueError that says why.
    """
    text: str = _traced(target, specs).native_ir()
    return text


def _traced(target: Any, specs: Sequence[tuple[str, tuple[int | None, ...] | None]]) -> Any:
    from runtime.functions.polymorphic_function import Function

    made = target if isinstance(target, Function) else Function(target)
    arguments = [TensorSpec(shape, dtype) for dtype, shape in specs]
    return made.get_concrete_function(*arguments)
