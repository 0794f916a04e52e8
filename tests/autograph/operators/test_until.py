"""The stop condition of a `for` in the stages before the operator."""

from collections.abc import Iterator

import pytest

from autograph.operators import until


@pytest.mark.parametrize("stop", range(6))
def test_stops_before_it_fetches_another(stop: int) -> None:
    items = iter(range(5))
    seen: list[int] = []
    for x in until(items, lambda: seen[-1] == stop):
        seen.append(x)
    assert seen == list(range(min(stop + 1, 5)))
    assert next(items, None) == (stop + 1 if stop < 4 else None)


def test_errors_of_the_items_pass_without_our_frame() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("items")

    with pytest.raises(KeyError) as raised:
        list(until(items(), lambda: False))
    assert [entry.name for entry in raised.traceback][-1] == "items"
    assert "until" not in [entry.name for entry in raised.traceback]
