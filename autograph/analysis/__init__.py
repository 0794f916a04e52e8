"""Pure functions from a tree to a table: they write nothing on nodes."""
