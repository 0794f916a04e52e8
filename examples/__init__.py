"""Examples on real data; `make demo` runs `examples.kmeans`."""
