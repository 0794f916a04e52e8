"""Graphs as text, GraphDef and pictures.

notation, printing, unique_names    text
views, graph_def                    TensorFlow's operations, and its GraphDef
pictures                            SVG and Graphviz
"""
