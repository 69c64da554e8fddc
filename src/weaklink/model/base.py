"""The base of every noun: frozen, compact in JSON (defaults are left out), strict when read."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Frozen data; a field that has its default is left out of the JSON."""


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """Frozen data of which every field is written, for what other programs read."""
