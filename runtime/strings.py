"""Operations on strings."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.ops.strings.case import lower as lower, strip as strip, upper as upper
from runtime.ops.strings.conversion import (
    as_string as as_string, format as format, to_number as to_number,
)
from runtime.ops.strings.hash_buckets import (
    to_hash_bucket as to_hash_bucket, to_hash_bucket_fast as to_hash_bucket_fast,
    to_hash_bucket_strong as to_hash_bucket_strong,
)
from runtime.ops.strings.joining import (
    join as join, reduce_join as reduce_join, unsorted_segment_join as unsorted_segment_join,
)
from runtime.ops.strings.patterns import (
    regex_full_match as regex_full_match, regex_replace as regex_replace,
)
from runtime.ops.strings.splitting import (
    bytes_split as bytes_split, ngrams as ngrams, split as split,
)
from runtime.ops.strings.substrings import length as length, substr as substr
from runtime.ops.strings.unicode import (
    unicode_decode as unicode_decode,
    unicode_decode_with_offsets as unicode_decode_with_offsets, unicode_encode as unicode_encode,
    unicode_split as unicode_split, unicode_split_with_offsets as unicode_split_with_offsets,
    unicode_transcode as unicode_transcode,
)

__dir__ = _facade(__name__)
