"""Graphs: the IR, its passes and its executors.

ir, data               values, nodes, regions; what their parameters are made of
nodes, numbers         primitives: control flow, Python's numbers
lists, list_rows       lists; the rows of lists of vectors
facade                 how a graph shows itself: operations, texts, pictures, files
verification           the rules that every graph keeps
known_values           what a trace knows of small tensors
structures, templates  containers, and those that the run fills
text_ops               texts of values of the run
library_functions      functions of NumPy and cmath, by name
draws                  draws of Python's `random`
probes                 how an op would fail, before a `try`
format                 text, GraphDef, pictures
storage, running       files; running a graph without the tracer
dataflow               analyses, forwards and backwards through regions
passes                 each makes a better graph of a graph
executors              run it
"""
