"""Random numbers: stateful ops with TensorFlow's rules for seeds, and stateless ones that a seed
determines.
"""
