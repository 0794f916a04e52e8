"""A gradient for all rows of a jacobian at once: the nodes that lead back for one row, each with
one axis more in front.

For a row:
    mul: float32[3] = mul(grad, x)
    sum: float32[] = sum(mul, axis=(0,), keepdims=False)
For the four rows:
    mul: float32[4,3] = mul(grads, x)
    sum: float32[4] = sum(mul, axis=(1,), keepdims=False)

What depends on the row does so linearly, and only a few ops are linear. Where another stands in the
way, or a shape is not known, there is no such gradient.
"""
