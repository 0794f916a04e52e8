"""Ways to run a graph. Each gives a callable from raw arrays and numbers to a tuple of them."""
