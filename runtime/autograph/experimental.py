"""The names that TensorFlow keeps under `autograph.experimental`."""

from autograph import do_not_convert as do_not_convert
from autograph import set_loop_options as set_loop_options
