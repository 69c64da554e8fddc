"""Whole numbers packed small: differences, their bytes sorted by place, then zlib.

Most quantities of a host do not move most of the time, and what moves does so by a little: the
high bytes of the differences are zeros, and lie beside each other once bytes are sorted by place.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Sequence

LEVEL = 6
"""Of zlib: 0.07 bytes a sample on an idle host; 9 costs three times the CPU for a hundredth."""
MAX_UNPACKED = 64 << 20
"""A section that unpacks to more was not written by us."""
WIDTHS = {1: "b", 2: "h", 4: "i", 8: "q"}


class Damaged(Exception):  # noqa: N818 - an outcome: this part of a recording is not to be had
    """Bytes that are not what was written."""


def shuffled(data: bytes, width: int) -> bytes:
    """The first bytes of all numbers, then their second bytes, and so on."""
    return b"".join(data[place::width] for place in range(width))


def unshuffled(data: bytes, width: int) -> bytearray:
    """The other way round; raises Damaged for a length that does not fit."""
    count, rest = divmod(len(data), width)
    if rest:
        raise Damaged("odd length")
    out = bytearray(len(data))
    for place in range(width):
        out[place::width] = data[place * count : (place + 1) * count]
    return out


def pack(numbers: array[int]) -> bytes:
    """An array as its type code, shuffled and compressed."""
    width = numbers.itemsize
    packed = zlib.compress(shuffled(numbers.tobytes(), width), LEVEL)
    return numbers.typecode.encode("ascii") + packed


def unpack(data: bytes, codes: str = "bhiqBHIQ") -> array[int]:
    """The array again; raises Damaged."""
    code = data[:1].decode("ascii", "replace")
    if len(code) != 1 or code not in codes:
        raise Damaged("not an array of numbers")
    numbers: array[int] = array(code)
    numbers.frombytes(unshuffled(inflate(data[1:]), numbers.itemsize))
    return numbers


def inflate(data: bytes) -> bytes:
    """What zlib packed, up to MAX_UNPACKED; raises Damaged."""
    machine = zlib.decompressobj()
    try:
        out = machine.decompress(data, MAX_UNPACKED)
    except zlib.error:
        raise Damaged("not what zlib wrote") from None
    if not machine.eof:
        raise Damaged("cut short, or too large")
    return out


def width_for(numbers: Sequence[int]) -> int:
    """The bytes that each of these needs, signed: 1, 2, 4 or 8."""
    if not numbers:
        return 1
    low, high = min(numbers), max(numbers)
    for width in (1, 2, 4):
        limit = 1 << (8 * width - 1)
        if -limit <= low and high < limit:
            return width
    return 8


def narrow(numbers: Iterable[int]) -> array[int]:
    """An array of the narrowest type that holds them all."""
    held = array("q", numbers)
    return array(WIDTHS[width_for(held)], held)
