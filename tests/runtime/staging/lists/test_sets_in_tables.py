"""Sets as the values of dicts, and the items of lists, of which only the run knows the entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import attempt, same_outcome

EDGES = [[0, 1], [0, 2], [1, 2], [2, 3], [0, 1]]


def neighbours(edges):
    graph = defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
        graph[b].add(a)
    return graph


def by_setdefault(edges):
    graph: Any = {}
    for a, b in edges:
        graph.setdefault(a, set()).add(b)
        graph.setdefault(b, set()).add(a)
    return graph


def made_where_there_is_none(edges):
    graph = {}
    for a, b in edges:
        if a not in graph:
            graph[a] = {b}
        else:
            graph[a].add(b)
    return graph, [len(graph[a]) for a, _ in edges]


def of_all_nodes(edges):
    graph = {i: set() for i in range(len(edges))}
    for a, b in edges:
        graph[a].add(b)
    return graph, [len(graph[i]) for i in range(4)]


def operators(edges):
    graph = neighbours(edges)
    other = graph[1]
    return (
        (sorted(graph[0] & other), sorted(graph[0] | {9}), sorted(graph[2] - {0})),
        (3 in graph[2], 3 in graph[0], sum(graph[2]), max(graph[0])),
        (graph[0] == {1, 2}, graph[0] == other, graph[3] <= graph[0], other.isdisjoint(graph[3])),
    )


def losing_items(edges):
    graph = neighbours(edges)
    graph[0].discard(1)
    graph[0].discard(77)
    graph[2].remove(3)
    return graph


def remove_what_is_not_there(edges):
    graph = neighbours(edges)
    graph[0].remove(77)
    return graph


def of_pairs(edges):
    graph = defaultdict(set)
    for a, b in edges:
        graph[a].add((b, a + b))
    mine = graph[0]
    mine.add((7, 7))
    return graph, len(mine), (7, 7) in graph[0]


def copies_are_apart(edges):
    graph = neighbours(edges)
    copied, made, joined = graph[0].copy(), set(graph[0]), graph[0] | {50}
    copied.add(100)
    made.add(5)
    joined.add(51)
    return graph, copied, made, joined


def assigned_and_joined(edges):
    graph = defaultdict(set)
    for a, b in edges:
        graph[a] |= {b}
    for a, b in edges:
        graph[b] = {a}
    graph[1].update([4, 5])
    graph[1].update(graph[0])
    return graph


def in_a_list(edges):
    rows = [set() for _ in range(len(edges))]
    for i, (a, b) in enumerate(edges):
        rows[a].add(b)
        rows[i].add(a)
    return rows, [len(row) for row in rows]


def appended(edges):
    rows = []
    for a, b in edges:
        if a < b - a:
            rows.append({a, b})
    rows.append(set())
    rows[0].add(9)
    return rows, {0, 2} in rows, rows == [{0, 1, 9}, set()], max(rows, key=len)


def over_items_and_values(edges):
    graph, total = neighbours(edges), 0
    for _, others in graph.items():
        for other in sorted(others):
            total = total * 10 + other
        others.add(99)
    for others in graph.values():
        total += len(others)
    return total, graph


def taken_out(edges):
    graph = neighbours(edges)
    mine = graph.pop(0) if edges[0][1] == 1 else graph.get(1, set())
    return sorted(mine), len(graph), graph


def by_layers(edges):
    waits: Any = {}
    for a, b in edges:
        waits.setdefault(a, set())
        waits.setdefault(b, set()).add(a)
    order = []
    while waits:
        ready = sorted(node for node, others in waits.items() if not others)
        if not ready:
            raise ValueError("cycle")
        for node in ready:
            del waits[node]
        for others in waits.values():
            others -= set(ready)
        order += ready
    return order


def of_texts(edges):
    words = defaultdict(set)
    for a, b in edges:
        words[a].add("odd" if b % 2 else "even")
    return words


def in_order_of_python(edges):
    graph = defaultdict(set)
    for a, b in edges:
        graph[a].add(b * 7 % 5)
    return [other for other in graph[0]]


class Graph:
    def __init__(self):
        self.near = defaultdict(set)
        self.names = defaultdict(str)
        self.visits = defaultdict(lambda: 1)
        self.met = defaultdict(bool)

    def edge(self, a, b):
        self.near[a].add(b)
        self.names[a] += "x"
        self.visits[b] += 1
        self.met[b] = True


def of_an_object(edges):
    graph = Graph()
    for a, b in edges:
        graph.edge(a, b)
    sizes = len(graph.near), len(graph.near[edges[0][0]]), len(graph.met)
    return sizes, graph.names[0], graph.visits[2], graph.visits[99]


PROGRAMS = (
    neighbours, by_setdefault, made_where_there_is_none, of_all_nodes, operators, losing_items,
    remove_what_is_not_there, of_pairs, copies_are_apart, assigned_and_joined, in_a_list, appended,
    over_items_and_values, taken_out, by_layers, of_texts, in_order_of_python, of_an_object,
)  # fmt: skip
WAYS: dict[str, Callable[[list[list[int]]], Any]] = {
    "list": lambda edges: [[rt.constant(node, rt.int64) for node in edge] for edge in edges],
    "tensor": lambda edges: rt.constant(edges, rt.int64),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_graphs_do_as_python_does(program: Callable[..., Any], way: str) -> None:
    staged = rt.function(program)
    for edges in (EDGES, [[0, 2], [2, 0], [0, 3], [3, 4]]):
        expected = attempt(lambda e=edges: program([list(edge) for edge in e]))
        got = attempt(lambda e=edges: staged(WAYS[way](e)))
        assert same_outcome(expected, got), (expected, got)


def shared_by_a_copy(edges):
    graph = neighbours(edges)
    mine = graph[0]
    other = graph.copy()
    mine.add(1000)
    return other


def one_object(edges):
    graph = neighbours(edges)
    return graph[0] is graph[1]


def sorted_by_inclusion(edges):
    return sorted([{a, b} for a, b in edges if a < b])


REFUSED: dict[Callable[..., Any], str] = {
    shared_by_a_copy: "in two places",
    one_object: "one object is not known",
    sorted_by_inclusion: "no numbers",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(autograph.StagingError, match=REFUSED[program]) as caught:
        rt.function(program)(WAYS["tensor"](EDGES))
    assert caught.value.filename == __file__
    assert caught.value.hint
