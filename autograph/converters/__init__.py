"""One construct per file; each converter changes the tree of a `Context` in place."""
