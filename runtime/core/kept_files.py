"""Files that are kept between processes, in a directory of the user's own."""

from autograph.kept_files import Shelf as Shelf
from autograph.kept_files import sources as sources
