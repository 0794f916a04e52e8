"""Version 1's way: a graph that is built op by op, and sessions that run parts of it.

open_graph            the graph, into which ops put nodes while it is the default
graph_collections     lists of what is to be found again, by names
session               feeds, fetches, and the state of variables
default_session       the session that a thread uses where none is named
variables             variables of such a graph, and their initializers
variable_scopes       `get_variable`, and the scopes in which names are shared
initializers          initial values, by shape and dtype
optimizers            gradients, and operations that change variables by them
adaptive_optimizers   those that keep squares of gradients, or draw variables towards 0
decays                learning rates that fall
losses                losses, weighed and noted in the graph
saver                 variables of a session in files
"""
