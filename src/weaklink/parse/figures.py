"""Numbers as people's tools print them: decimal commas, thousands, units, N/A."""

from __future__ import annotations

import re

_DECIMAL = re.compile(r"[+-]?\d{1,18}(?:[.,]\d{1,18})?$")
_GROUPED = re.compile(r"\d{1,3}(?:[,.'\u202f\u2019 ]\d{3}){1,6}$")
_UNIT = re.compile(r"([+-]?\d{1,18}(?:[.,]\d{1,9})?)\s{0,2}([A-Za-z%]{0,6})")
BYTES = {
    "": 1.0,
    "b": 1.0,
    "bytes": 1.0,
    "k": 1024.0,
    "kb": 1024.0,
    "kib": 1024.0,
    "m": 1024.0**2,
    "mb": 1024.0**2,
    "mib": 1024.0**2,
    "g": 1024.0**3,
    "gb": 1024.0**3,
    "gib": 1024.0**3,
    "t": 1024.0**4,
    "tb": 1024.0**4,
    "tib": 1024.0**4,
}
"""Tools that print K, M, G mean powers of 1024 nearly always; who knows better converts himself."""


def decimal(token: str) -> float | None:
    """A number with a decimal point or comma (`0.41`, `0,41`); None for anything else."""
    token = token.strip()
    if len(token) > 40 or not _DECIMAL.match(token):
        return None
    return float(token.replace(",", "."))


def whole(token: str) -> int | None:
    """A whole number without signs or groups; None for anything else."""
    token = token.strip()
    return int(token) if token.isascii() and token.isdigit() and len(token) <= 20 else None


def grouped(token: str) -> int | None:
    """A whole number, its thousands perhaps grouped (`1,234,567`); None for anything else."""
    token = token.strip()
    if len(token) > 40:
        return None
    if _GROUPED.match(token):
        return int(re.sub(r"\D", "", token))
    return whole(token)


def with_unit(token: str) -> tuple[float, str] | None:
    """A number and the unit after it (`629W`, `19818 MiB`); None where there is no number."""
    found = _UNIT.match(token.strip()[:60])
    if found is None:
        return None
    return float(found.group(1).replace(",", ".")), found.group(2)


def as_bytes(token: str) -> float | None:
    """A size with its unit, in bytes, powers of 1024; None where it is none."""
    found = with_unit(token)
    if found is None or found[1].lower() not in BYTES:
        return None
    return found[0] * BYTES[found[1].lower()]


def percent(token: str) -> float | None:
    """`67 %`, `67%` as 0.67; None for anything else, `N/A` included."""
    found = with_unit(token)
    return found[0] / 100 if found is not None and found[1] in {"%", ""} else None
