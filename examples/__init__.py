"""Examples on real data; `make demo` runs them."""
