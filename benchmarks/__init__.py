"""The project's own measurements: `python -m benchmarks [name ...]` runs them."""
