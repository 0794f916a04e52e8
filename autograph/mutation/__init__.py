"""Hidden changes: what staged code does to Python objects."""
