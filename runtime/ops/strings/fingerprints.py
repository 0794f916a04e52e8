"""64-bit fingerprints of strings: FarmHash's `Fingerprint64`, the same on every machine.

After Geoff Pike's FarmHash (2014, MIT licence), the function `farmhashna::Hash64` that its
`Fingerprint64` is fixed to. Unsigned 64-bit arithmetic, little-endian words.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F

Pair = tuple[int, int]


def _word(s: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(s[at : at + size], "little")


def _rotate(x: int, by: int) -> int:
    x &= _MASK
    return (x >> by | x << 64 - by) & _MASK


def _mix(x: int) -> int:
    return x ^ x >> 47


def _hash_pair(u: int, v: int, factor: int) -> int:
    a = _mix((u ^ v) * factor & _MASK)
    return _mix((v ^ a) * factor & _MASK) * factor & _MASK


def _up_to_16(s: bytes) -> int:
    size = len(s)
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(s, 0) + _K2, _word(s, size - 8)
        c = _rotate(b, 37) * factor + a
        d = (_rotate(a, 25) + b) * factor
        return _hash_pair(c & _MASK, d & _MASK, factor)
    if size >= 4:
        return _hash_pair(size + (_word(s, 0, 4) << 3), _word(s, size - 4, 4), factor)
    if size == 0:
        return _K2
    y = s[0] + (s[size >> 1] << 8)
    z = size + (s[-1] << 2)
    return _mix((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK


def _up_to_32(s: bytes) -> int:
    size = len(s)
    factor = _K2 + size * 2
    a, b = _word(s, 0) * _K1, _word(s, 8)
    c, d = _word(s, size - 8) * factor, _word(s, size - 16) * _K2
    first = _rotate(a + b, 43) + _rotate(c, 30) + d
    return _hash_pair(first & _MASK, (a + _rotate(b + _K2, 18) + c) & _MASK, factor)


def _up_to_64(s: bytes) -> int:
    size = len(s)
    factor = _K2 + size * 2
    a, b = _word(s, 0) * _K2, _word(s, 8)
    c, d = _word(s, size - 8) * factor, _word(s, size - 16) * _K2
    y = (_rotate(a + b, 43) + _rotate(c, 30) + d) & _MASK
    z = _hash_pair(y, (a + _rotate(b + _K2, 18) + c) & _MASK, factor)
    e, f = _word(s, 16) * factor, _word(s, 24)
    g, h = (y + _word(s, size - 32)) * factor, (z + _word(s, size - 24)) * factor
    first = _rotate(e + f, 43) + _rotate(g, 30) + h
    return _hash_pair(first & _MASK, (e + _rotate(f + a, 18) + g) & _MASK, factor)


def _weak(s: bytes, at: int, a: int, b: int) -> Pair:
    w, x, y, z = (_word(s, at + offset) for offset in (0, 8, 16, 24))
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    b += _rotate(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _longer(s: bytes) -> int:
    seed = 81
    x, y = seed, (seed * _K1 + 113) & _MASK
    z = _mix((y * _K2 + 113) & _MASK) * _K2 & _MASK
    v: Pair = (0, 0)
    w: Pair = (0, 0)
    x = (x * _K2 + _word(s, 0)) & _MASK
    end = (len(s) - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _block(s, at, x, y, z, v, w, _K1, 1)
    factor = _K1 + ((z & 0xFF) << 1)
    w = (w[0] + (len(s) - 1 & 63)) & _MASK, w[1]
    v = (v[0] + w[0]) & _MASK, v[1]
    w = (w[0] + v[0]) & _MASK, w[1]
    x, y, z, v, w = _block(s, len(s) - 64, x, y, z, v, w, factor, 9)
    first = _hash_pair(v[0], w[0], factor) + _mix(y) * _K0 + z
    return _hash_pair(first & _MASK, (_hash_pair(v[1], w[1], factor) + x) & _MASK, factor)


def _block(
    s: bytes, at: int, x: int, y: int, z: int, v: Pair, w: Pair, factor: int, weight: int
) -> tuple[int, int, int, Pair, Pair]:
    """The state after 64 more bytes; z and x change places."""
    x = _rotate(x + y + v[0] + _word(s, at + 8), 37) * factor
    y = _rotate(y + v[1] + _word(s, at + 48), 42) * factor
    x ^= w[1] * weight
    y += v[0] * weight + _word(s, at + 40)
    z = _rotate(z + w[0], 33) * factor & _MASK
    v = _weak(s, at, v[1] * factor, x + w[0])
    w = _weak(s, at + 32, z + w[1], y + _word(s, at + 16))
    return z, y & _MASK, x & _MASK, v, w


def fingerprint(s: bytes) -> int:
    """The FarmHash `Fingerprint64` of a string, below 2**64."""
    for limit, function in ((16, _up_to_16), (32, _up_to_32), (64, _up_to_64)):
        if len(s) <= limit:
            return function(s)
    return _longer(s)
