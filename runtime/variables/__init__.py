"""Variables, modules that own them, and what ops see of them.

variable, operators     `Variable`, and its operators
handle, primitives      the handle in a graph; the ops that read and assign it
creation, initializers  who creates variables, and with which arguments; their first values
module                  `Module`
"""
