"""The output of `python -m autograph`.

views, graph_view       the source after each stage, beside the original; the graph
comments                the user's comments in the converted text
terminal, completion    colour and width; completion by the shell
"""
