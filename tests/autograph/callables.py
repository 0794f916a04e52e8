"""Functions and classes that tests convert and call."""

import functools
from typing import Any


def sign(x: Any) -> Any:
    if x > 0:
        return 1
    return -1


class Point:
    scale = 2

    def __init__(self, x: Any) -> None:
        self.x = x if x > -100 else -100
        self.__hidden = 3

    def method(self, y: Any) -> Any:
        if y > 0:
            return self.x + y
        return self.x + self.__hidden

    @classmethod
    def make(cls, x: Any) -> "Point":
        return cls(x + 1 if x > 0 else x)

    @staticmethod
    def static(x: Any) -> Any:
        return sign(x) if x > 0 else 0

    @property
    def positive(self) -> Any:
        return 1 if self.x > 0 else 0

    @functools.cached_property
    def cached(self) -> Any:
        return [1] if self.x > 0 else [0]

    def __add__(self, other: Any) -> Any:
        return self.x + other if other > 0 else self.x

    def __call__(self, y: Any) -> Any:
        return y if y > 0 else self.x

    def __len__(self) -> int:
        return 5 if self.x > 0 else 1


class Derived(Point):
    def method(self, y: Any) -> Any:
        if y > 1:
            return super().method(y) + 10
        return Point.method(self, y)


POINT = Point(3)


def helper(x: Any) -> Any:
    return 1 if x > 0 else 2


def outer(x: Any) -> Any:
    return helper(x)
