"""Guards: what a trace read from outside, and whether it is still the same.

watching, code_paths                  finding what code reads
reading, lookup, class_facts          finding what that reads of objects
file_questions                        whether a file is there
numpy_state                           what NumPy does where a number fails, and its texts
findings                              what was found, until the trace is made
guards, containers, weak_paths        comparing it at each call, and keeping it collectable
settings                              comparing what a library tells changes of
"""
