"""Strings: tensors whose elements are byte strings. Each module holds one family of their ops."""
