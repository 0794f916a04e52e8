"""Names that a graph gives its values and operations, each once."""

from __future__ import annotations

from collections import Counter


class Names:
    """Names that were given."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._counts: Counter[str] = Counter()

    def of(self, hint: str) -> str:
        """The name like this hint that is free."""
        name = hint
        while name in self.taken:
            self._counts[hint] += 1
            name = f"{hint}_{self._counts[hint]}"
        self.taken.add(name)
        return name
