"""Locks that a forked process begins with afresh."""

from autograph.locks import in_child as in_child
from autograph.locks import process_lock as process_lock
from autograph.locks import process_rlock as process_rlock
