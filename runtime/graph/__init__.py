"""Graphs: the IR, what tracing makes of Python values and control flow, passes and executors.

The graph:
    ir, nodes, numbers, arrays          values, nodes, regions; the primitives of structure
    list_nodes                          the primitives of lists that grow
    data, templates                     plain data, of which parameters are made, with slots for
                                        the values of the run
    verification, groups                the rules that every graph keeps; groups of fused ops
    printing, notation, pictures        text; SVG and Graphviz
    views, graph_def, unique_names      TensorFlow's operations, its GraphDef
Tracing:
    tracing, scopes                     the active trace, and the regions being built
    symbolic_tensor, symbolic_number    what Python handles while tracing
    known_values                        tensors of which the trace knows the elements
    structures                          containers of tensors: taken apart, and built again
    recursion                           calls of what is being traced
    frames, refusals, error_notes       the user's frame; errors, and what they are about
    staging                             control flow and objects of Python's: branches, loops, joins
The cache of traces:
    parameters, signatures              the arguments of a call, and the key that they make
    turns                               which thread traces
    guarding                            what a trace read from outside, compared at each call
Then:
    passes                              each makes a better graph of a graph
    executors, running                  run it
    storage                             files
"""
