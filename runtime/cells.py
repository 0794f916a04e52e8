"""IPython's shell and the cells of a notebook, named in the same way as where a conversion is
refused.
"""

from autograph.cells import format_place, pointer_to, running_shell

__all__ = ["format_place", "pointer_to", "running_shell"]
