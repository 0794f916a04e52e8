"""TFRecord files: each record is its length, the checksum of the length, the bytes, and their
checksum.

The checksums are CRC-32C (Castagnoli), masked (rotated, and a constant added), as the CRC of data
that contains CRCs is weak.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

import numpy as np

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFFFFFF
_ROW = 256
"""Bytes of which many rows are checked side by side."""


class DamagedRecord(Exception):
    """A record that ends early, or whose check is wrong; the text says where."""


def packed(record: bytes) -> bytes:
    """The bytes that a record is in a file."""
    length = struct.pack("<Q", len(record))
    return b"".join((length, _check(length), record, _check(record)))


def records(file: IO[bytes]) -> Iterator[bytes]:
    """The records of a file; DamagedRecord where it ends within one, or a check is wrong."""
    at = 0
    while head := file.read(12):
        _verify(head[:8], head[8:], at, "length")
        size = int.from_bytes(head[:8], "little")
        # Two reads: a length that lies is not a reason to make room for it.
        record, check = file.read(size), file.read(4)
        if len(record) < size:
            raise DamagedRecord(f"the record at byte {at} ends behind {len(record)} of {size}")
        _verify(record, check, at, "data")
        yield record
        at += 16 + size


def _verify(data: bytes, check: bytes, at: int, part: str) -> None:
    if len(check) < 4:
        raise DamagedRecord(f"the record at byte {at} ends within its check of the {part}")
    if check != _check(data):
        foreign = "" if at else "; is it a TFRecord file, of this compression?"
        raise DamagedRecord(
            f"the record at byte {at} is corrupted: the check of its {part} fails{foreign}"
        )


def _check(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & _ONES)


def crc32c(data: bytes) -> int:
    """The CRC-32C of bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) < 4 * _ROW:
        return _stepped(_ONES, data) ^ _ONES
    # It is linear: the first four bytes take up what it begins with, then zeros before the data
    # change nothing, and rows are put together by what zeros behind them do.
    begun = bytes(byte ^ 0xFF for byte in data[:4])
    rows = np.frombuffer(bytes(-len(data) % _ROW) + begun + data[4:], np.uint8).reshape(-1, _ROW)
    states = np.zeros(len(rows), np.uint32)
    for column in np.ascontiguousarray(rows.T):
        states = _ARRAY[(states ^ column) & 0xFF] ^ (states >> 8)
    first, second, third, fourth = _BEHIND_A_ROW
    state = 0
    for row in states.tolist():
        state = row ^ (
            first[state & 0xFF] ^ second[state >> 8 & 0xFF]
            ^ third[state >> 16 & 0xFF] ^ fourth[state >> 24]
        )  # fmt: skip
    return state ^ _ONES


def _stepped(state: int, data: bytes) -> int:
    for byte in data:
        state = _TABLE[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state


def _entry(state: int) -> int:
    for _ in range(8):
        state = state >> 1 ^ (_POLYNOMIAL if state & 1 else 0)
    return state


_TABLE = [_entry(byte) for byte in range(256)]
_ARRAY = np.array(_TABLE, np.uint32)


def _moved(place: int) -> list[int]:
    """For each value of one byte of a state, the state behind a row of zeros."""
    states = np.arange(256, dtype=np.uint32) << np.uint32(8 * place)
    for _ in range(_ROW):
        states = _ARRAY[states & 0xFF] ^ (states >> 8)
    found: list[int] = states.tolist()
    return found


_BEHIND_A_ROW = [_moved(place) for place in range(4)]
