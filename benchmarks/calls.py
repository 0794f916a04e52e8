"""What a call costs: of a converted function, and of a staged one whose trace exists already."""

import autograph
import runtime as rt
from benchmarks.timing import median, row, title


def successor(x):
    return x + 1


def magnitude(x):
    return x if x > 0 else -x


def main() -> None:
    converted = autograph.convert(magnitude)
    staged, staged_if = rt.function(successor), rt.function(magnitude)
    one = rt.constant(1.0)
    title("calls")
    row("python: abs by `if`, int", median(lambda: magnitude(-3)), "us")
    row("converted: abs by `if`, int", median(lambda: converted(-3)), "us")
    row("eager: x + 1", median(lambda: successor(one)), "us")
    row("staged: x + 1", median(lambda: staged(one)), "us")
    row("staged: abs by `if`", median(lambda: staged_if(one)), "us")


if __name__ == "__main__":
    main()
