"""Pictures of graphs: as SVG, and in the language of Graphviz.

`boxes` makes a box of each operation, and a frame with a title of each region; `layout` gives them
places; `svg` and `dot` write them down.
"""
