"""Tells a word from an identifier, and puts a short stable mark in place of what must not show.

A path segment or a part of a cache key that names one user, session or object is masked; a word
that names a kind of thing (`videos`, `preview`) stays. Two different values get different marks,
so that one resource can still be told from another; the mark is keyed with a secret of this
process, so that nobody can guess the value by trying.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from hashlib import blake2s
from secrets import token_bytes

_KEY = token_bytes(16)
MAX_WORD = 32
"""Segments longer than this are identifiers or documents, not words."""
MAX_NUMBER = 9
"""Numbers up to this many digits name an object and no secret: they stay where objects may show."""

_HEX = re.compile(r"[0-9a-fA-F]{8,}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_PARTS = re.compile(r"[-_.~+]+")
_VERSION = re.compile(r"v\d{1,3}(?:\.\d{1,3}){0,2}|v\d{1,3}(?:alpha|beta)\d{0,2}")


@lru_cache(maxsize=16384)
def mark(value: str) -> str:
    """Six hexadecimal digits that stand for a value, the same throughout this process."""
    return blake2s(value.encode("utf-8", "surrogatepass"), key=_KEY, digest_size=3).hexdigest()


@lru_cache(maxsize=16384)
def is_identifier(segment: str) -> bool:
    """Whether a path or key segment names one object: a number, UUID, hash, token, date."""
    if not segment:
        return False
    if len(segment) > MAX_WORD or not segment.isascii():
        return True
    if segment.isdigit() or _VERSION.fullmatch(segment):
        return segment.isdigit()
    parts = [part for part in _PARTS.split(segment) if part]
    if not parts:
        return False
    return any(_is_identifying(part) for part in parts)


def _is_identifying(part: str) -> bool:
    if part.isdigit():
        return True
    if _HEX.fullmatch(part) and any(c.isdigit() for c in part):
        return True
    if not _WORD.fullmatch(part):
        return True
    digits = sum(c.isdigit() for c in part)
    if digits == 0:
        # Letters alone: a word, unless its cases alternate as they do in base64.
        return len(part) >= 12 and _changes(part) > 0.45 * len(part)
    # `h264`, `v1`, `s3`, `mp4`, `sha256` are words; `a8f3k2`, `video12` and `user12345` are not.
    letters = part.rstrip("0123456789")
    if not letters.isalpha():
        return True
    return digits > (3 if len(letters) <= 4 else 1)


def _changes(text: str) -> int:
    return sum(1 for a, b in itertools.pairwise(text) if a.isupper() != b.isupper())


def is_short_number(segment: str) -> bool:
    """Whether it is a plain number that may be shown."""
    return segment.isascii() and segment.isdigit() and len(segment) <= MAX_NUMBER
