"""Graphs: the IR, what tracing makes of Python values and control flow, passes and executors.

The graph:
    ir, nodes, numbers, arrays          values, nodes, regions; the primitives of structure
    verification, groups                the rules that every graph keeps; groups of fused ops
    printing, notation, pictures        text; SVG and Graphviz
    views, graph_def, unique_names      TensorFlow's operations, its GraphDef
Tracing:
    tracing, scopes                     the active trace, and the regions being built
    symbolic_tensor, symbolic_number    what Python handles while tracing
    blocks, branches, loops, logic      control flow: what blocks leave is joined
    iteration, recursion                what a `for` goes over; calls of what is being traced
    invariants                          the shapes that loops declare for their variables
    joins, missing, structures          one Python value out of two; None and unbound; containers
    places, aliases, identity           objects that blocks change; which one is which
    handlers, frames, refusals          exceptions put off to run time; the user's frame; errors
    error_notes                         which argument Python's own errors are about
The cache of traces:
    parameters, signatures              the arguments of a call, and the key that they make
    watching, code_paths, lookup        what a trace reads from outside
    guards, containers, ways            how it is compared at each call, and kept collectable
Then:
    passes                              each makes a better graph of a graph
    executors                           run it
"""
