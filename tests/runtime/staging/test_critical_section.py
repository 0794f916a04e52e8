"""Functions of which one runs at a time."""

import threading
import time

import pytest

import runtime as rt


def test_threads_wait_for_each_other() -> None:
    section, inside, most = rt.CriticalSection(), [0], [0]

    def work() -> int:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.002)
        inside[0] -= 1
        return 1

    threads = [threading.Thread(target=section.execute, args=(work,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_it_is_the_function_in_a_graph() -> None:
    section, counter = rt.CriticalSection(), rt.Variable(0)

    @rt.function
    def count(n: rt.Tensor) -> rt.Tensor:
        def up() -> rt.Tensor:
            if n > 2:
                counter.assign_add(n)
            return counter + 0

        return section.execute(up)

    assert [int(count(rt.constant(n))) for n in (1, 3, 4)] == [0, 3, 7]


def test_bad_use() -> None:
    section = rt.CriticalSection(name="own")
    with pytest.raises(ValueError, match="'own' runs already in this thread"):
        section.execute(lambda: section.execute(lambda: 1))
    with pytest.raises(TypeError, match=r"CriticalSection.execute: fn must be callable, not 3"):
        section.execute(3)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 // 0)
    assert section.execute(lambda: 2) == 2
