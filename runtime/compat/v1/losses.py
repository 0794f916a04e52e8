"""Losses: weighed, made one number, and noted in a collection of the graph."""

from runtime.core.lazy import facade as _facade
from runtime.sessions.losses import Reduction as Reduction
from runtime.sessions.losses import absolute_difference as absolute_difference
from runtime.sessions.losses import add_loss as add_loss
from runtime.sessions.losses import compute_weighted_loss as compute_weighted_loss
from runtime.sessions.losses import cosine_distance as cosine_distance
from runtime.sessions.losses import get_losses as get_losses
from runtime.sessions.losses import get_regularization_loss as get_regularization_loss
from runtime.sessions.losses import get_regularization_losses as get_regularization_losses
from runtime.sessions.losses import get_total_loss as get_total_loss
from runtime.sessions.losses import hinge_loss as hinge_loss
from runtime.sessions.losses import huber_loss as huber_loss
from runtime.sessions.losses import log_loss as log_loss
from runtime.sessions.losses import mean_squared_error as mean_squared_error
from runtime.sessions.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from runtime.sessions.losses import softmax_cross_entropy as softmax_cross_entropy
from runtime.sessions.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy

__dir__ = _facade(__name__)
