"""`Module`: names, scopes, and what is found in attributes."""

import copy
from collections import namedtuple
from typing import Any

import pytest

import runtime as tf

Pair = namedtuple("Pair", "left right")


class Dense(tf.Module):
    def __init__(self, inputs: int, outputs: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x: Any) -> Any:
        return tf.matmul(x, self.w) + self.b


class Network(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.second = Dense(3, 1, "second")
        self.first = Dense(2, 3, "first")
        self.steps = tf.Variable(0, trainable=False, name="steps")

    def __call__(self, x: Any) -> Any:
        return self.second(self.first(x))


def names(variables: Any) -> list[str]:
    return [v.name for v in variables]


def test_variables_come_in_the_order_of_attribute_names() -> None:
    network = Network()
    assert names(network.variables) == ["steps:0", "b:0", "w:0", "b:0", "w:0"]
    assert [v.shape[0] for v in network.trainable_variables] == [3, 2, 1, 3]
    assert names(network.non_trainable_variables) == ["steps:0"]
    assert [m.name for m in network.submodules] == ["first", "second"]
    assert network(tf.ones([1, 2])).numpy().tolist() == [[6.0]]


def test_variables_in_containers() -> None:
    a, b, c, d, e, f = (tf.Variable(float(i), name=n) for i, n in enumerate("abcdef"))
    module = tf.Module()
    module.z_list = [a, [b, a]]
    module.y_dict = {"k2": c, "k1": (d,)}
    module.x_pair = Pair(e, "text")
    module.w_none = None
    module.layers = [Dense(1, 1), {"inner": Dense(1, 1)}]
    module.layers.append(f)
    # attributes by name; of a dict, keys by name; modules last; nothing twice
    expected = ["f:0", "e:0", "d:0", "c:0", "a:0", "b:0", "b:0", "w:0", "b:0", "w:0"]
    assert names(module.variables) == expected
    assert len(module.submodules) == 2
    assert isinstance(module.layers, list)
    assert list(module.y_dict) == ["k2", "k1"]
    module.layers.clear()
    assert module.submodules == ()


def test_modules_that_contain_each_other() -> None:
    a, b = tf.Module("a"), tf.Module("b")
    a.other, b.other = b, a
    a.v, b.v = tf.Variable(1.0, name="in_a"), tf.Variable(2.0, name="in_b")
    assert names(a.variables) == ["in_a:0", "in_b:0"]
    assert names(b.variables) == ["in_b:0", "in_a:0"]
    assert [m.name for m in a.submodules] == ["b"]


def test_a_shared_module_is_found_once() -> None:
    shared, outer = Dense(1, 1), tf.Module()
    outer.first, outer.second = shared, [shared]
    assert len(outer.variables) == 2
    assert outer.submodules == (shared,)


def test_names() -> None:
    class HTTPNetwork2D(tf.Module):
        pass

    assert tf.Module().name == "module"
    assert Network().name == "network"
    assert HTTPNetwork2D().name == "http_network2_d"
    assert tf.Module(name="given").name == "given"
    for bad in ("a b", "1st", "x/y"):
        with pytest.raises(ValueError, match="identifier"):
            tf.Module(name=bad)


def test_name_scopes() -> None:
    class Layer(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self, x: Any) -> Any:
            if not hasattr(self, "w"):
                self.w = tf.Variable(1.0, name="w")
            return self.w * x

    layer = Layer(name="layer")
    layer(2.0)
    assert layer.w.name == "layer/w:0"
    with tf.name_scope("outer"):
        inner = Layer(name="inner")
    inner(2.0)
    assert inner.w.name == "outer/inner/w:0"
    with layer.name_scope as prefix:
        assert prefix == "layer/"
        assert tf.Variable(1, name="v").name == "layer/v:0"
    assert Layer.__call__.__name__ == "__call__"


def test_names_of_scopes_that_graphs_cannot_have() -> None:
    with tf.name_scope("cross entropy"):
        assert tf.Variable(1, name="v").name == "cross entropy/v:0"

    @tf.function
    def f() -> Any:
        with tf.name_scope("cross entropy"):
            return tf.constant(1)

    with pytest.raises(ValueError, match="'cross entropy' is not a valid scope name"):
        f()


def test_training() -> None:
    network = Network()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(network(tf.ones([4, 2])))
    gradients = tape.gradient(loss, network.trainable_variables)
    assert [g.shape for g in gradients] == [v.shape for v in network.trainable_variables]
    for variable, gradient in zip(network.trainable_variables, gradients, strict=True):
        variable.assign_sub(0.1 * gradient)
    assert float(tf.reduce_sum(network(tf.ones([4, 2])))) < float(loss)


def test_deep_copies() -> None:
    network = Network()
    clone = copy.deepcopy(network)
    clone.first.w.assign(tf.zeros([2, 3]))
    assert network.first.w.numpy().sum() == 6.0
    assert len(clone.variables) == 5


def test_an_attribute_that_cannot_be_searched() -> None:
    module = tf.Module()
    module.table = {1: tf.Variable(1.0), "a": tf.Variable(2.0)}
    with pytest.raises(ValueError, match="'table'"):
        _ = module.variables


def test_paths() -> None:
    network = Network()
    found = network._flatten(predicate=lambda x: isinstance(x, tf.Variable), with_path=True)
    assert [path for path, _ in found] == [
        ("steps",), ("first", "b"), ("first", "w"), ("second", "b"), ("second", "w"),
    ]  # fmt: skip
    shallow = network._flatten(recursive=False, predicate=lambda x: isinstance(x, tf.Variable))
    assert names(shallow) == ["steps:0"]


class Scaled(tf.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = tf.Variable(factor)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x: Any, more: float = 1.0) -> Any:
        return x * self.factor + more


@pytest.mark.parametrize("given", [(), (tf.TensorSpec([2], tf.float32),)])
def test_a_method_with_a_signature_asked_for_through_its_class(given: Any) -> None:
    for factor in (2.0, 3.0):
        scaled, x = Scaled(factor), tf.constant([1.0, 2.0])
        concrete = Scaled.__call__.get_concrete_function(scaled, *given)
        assert concrete(x).numpy().tolist() == scaled(x).numpy().tolist()
        assert Scaled.__call__(scaled, x).numpy().tolist() == [factor + 1.0, 2.0 * factor + 1.0]
        assert scaled.__call__.get_concrete_function() is concrete


def test_attributes_that_are_passed_over() -> None:
    class Holder(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = (
            frozenset({"cache"}) | tf.Module._TF_MODULE_IGNORED_PROPERTIES
        )

    holder = Holder()
    holder.cache, holder.kept = [tf.Module(), tf.Variable(1.0)], tf.Variable(2.0)
    assert [v.numpy() for v in holder.variables] == [2.0]
    assert holder.submodules == ()


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ValueError, match="not a valid module name"):
        tf.Module(name="")
