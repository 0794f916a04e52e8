"""Hashes of strings, the same on every machine: Austin Appleby's MurmurHash64A, and the keyed
SipHash-2-4 of Jean-Philippe Aumasson and Daniel J. Bernstein ("SipHash: a fast short-input PRF",
2012).
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_FACTOR = 0xC6A4A7935BD1E995
_SEED = 0xDECAFCAFFE
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def murmur(s: bytes) -> int:
    """MurmurHash64A of a string, with the seed that TensorFlow uses; below 2**64."""
    h = _SEED ^ len(s) * _FACTOR & _MASK
    whole = len(s) // 8 * 8
    for at in range(0, whole, 8):
        k = int.from_bytes(s[at : at + 8], "little") * _FACTOR & _MASK
        h = (h ^ (k ^ k >> 47) * _FACTOR & _MASK) * _FACTOR & _MASK
    if whole < len(s):
        h = (h ^ int.from_bytes(s[whole:], "little")) * _FACTOR & _MASK
    h = (h ^ h >> 47) * _FACTOR & _MASK
    return h ^ h >> 47


def siphash(s: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 of a string under a key of two 64-bit words; below 2**64."""
    state = [word ^ key[place % 2] for place, word in enumerate(_START)]
    whole = len(s) // 8 * 8
    words = [int.from_bytes(s[at : at + 8], "little") for at in range(0, whole, 8)]
    words.append(int.from_bytes(s[whole:], "little") | (len(s) & 0xFF) << 56)
    for word in words:
        state[3] ^= word
        _rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a, c = a + b & _MASK, c + d & _MASK
        b, d = _rotate(b, 13) ^ a, _rotate(d, 16) ^ c
        a, c = _rotate(a, 32) + d & _MASK, c + b & _MASK
        b, d = _rotate(b, 17) ^ c, _rotate(d, 21) ^ a
        c = _rotate(c, 32)
    state[:] = a, b, c, d


def _rotate(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & _MASK
