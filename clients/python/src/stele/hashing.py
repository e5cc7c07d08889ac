"""xxHash64 with seed 0, and the shard of a distribution key."""

from __future__ import annotations

import struct

_MASK = 0xFFFFFFFFFFFFFFFF
_P1 = 0x9E3779B185EBCA87
_P2 = 0xC2B2AE3D27D4EB4F
_P3 = 0x165667B19E3779F9
_P4 = 0x85EBCA77C2B2AE63
_P5 = 0x27D4EB2F165667C5
_STRIPE = struct.Struct("<QQQQ")
_LONG = struct.Struct("<Q")
_INT = struct.Struct("<I")


def _round(lane: int, word: int) -> int:
    lane = (lane + word * _P2) & _MASK
    return (((lane << 31) | (lane >> 33)) * _P1) & _MASK


def xxhash64(data: bytes) -> int:
    """The unsigned hash of bytes."""
    length = len(data)
    at = 0
    if length >= 32:
        lane1 = (_P1 + _P2) & _MASK
        lane2 = _P2
        lane3 = 0
        lane4 = -_P1 & _MASK
        while at <= length - 32:
            word1, word2, word3, word4 = _STRIPE.unpack_from(data, at)
            lane1 = _round(lane1, word1)
            lane2 = _round(lane2, word2)
            lane3 = _round(lane3, word3)
            lane4 = _round(lane4, word4)
            at += 32
        value = (
            ((lane1 << 1) | (lane1 >> 63))
            + ((lane2 << 7) | (lane2 >> 57))
            + ((lane3 << 12) | (lane3 >> 52))
            + ((lane4 << 18) | (lane4 >> 46))
        ) & _MASK
        for lane in (lane1, lane2, lane3, lane4):
            value = ((value ^ _round(0, lane)) * _P1 + _P4) & _MASK
    else:
        value = _P5
    value = (value + length) & _MASK
    while at <= length - 8:
        value ^= _round(0, _LONG.unpack_from(data, at)[0])
        value = ((((value << 27) | (value >> 37)) & _MASK) * _P1 + _P4) & _MASK
        at += 8
    if at <= length - 4:
        value ^= (_INT.unpack_from(data, at)[0] * _P1) & _MASK
        value = ((((value << 23) | (value >> 41)) & _MASK) * _P2 + _P3) & _MASK
        at += 4
    while at < length:
        value ^= (data[at] * _P5) & _MASK
        value = ((((value << 11) | (value >> 53)) & _MASK) * _P1) & _MASK
        at += 1
    value = ((value ^ (value >> 33)) * _P2) & _MASK
    value = ((value ^ (value >> 29)) * _P3) & _MASK
    return value ^ (value >> 32)


def shard_of(distribution_key: bytes, shard_count: int) -> int:
    """``floorMod(xxHash64(key), shard count)``, the hash as a signed number."""
    value = xxhash64(distribution_key)
    return (value - (1 << 64) if value >> 63 else value) % shard_count
