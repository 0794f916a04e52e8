"""What guards cost in each call: of a staged function that reads Python values from outside."""

import runtime as rt
from benchmarks.timing import median, row, title


class Layer:
    def __init__(self, rate):
        self.rate = rate


def reading(layers):
    def forward(x):
        for layer in layers:
            x = x * layer.rate
        return x

    return rt.function(forward)


def main() -> None:
    one = rt.constant(1.0)
    title("calls of functions with guards")
    for count in (0, 1, 10, 100):
        staged = reading([Layer(1.0 + at / 8) for at in range(count)])
        product = rt.function(lambda x, count=count: x * rt.constant(float(count)))
        row(f"reads {count} attributes", median(lambda staged=staged: staged(one)), "us")
        row("  one product, no guards", median(lambda product=product: product(one)), "us")


if __name__ == "__main__":
    main()
