"""Reads the Prometheus text format (0.0.4 and OpenMetrics), line by line.

Source: prometheus.io/docs/instrumenting/exposition_formats. A line that is no sample is passed
over; NaN values give nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MAX_LINE = 8000
_SAMPLE = re.compile(
    r"([a-zA-Z_:][\w:]{1,200})(?:\{(.{0,4000})\})? "
    r"{0,3}([+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?|[+-]?Inf|NaN)"
    r"(?: -?\d{1,20}(?:\.\d{1,9})?)?(?: #.{0,400})?\s*$"
)
_LABEL = re.compile(r'([a-zA-Z_]\w{0,100})="((?:[^"\\]|\\.){0,1000})"')


class Sample(NamedTuple):
    """One sample of one series."""

    name: str
    labels: dict[str, str]
    value: float
    line: str


def is_sample(line: str) -> bool:
    """Whether a line is one sample."""
    return len(line) <= MAX_LINE and _SAMPLE.match(line.strip()) is not None


def samples(lines: Iterable[str]) -> Iterator[Sample]:
    """All samples of a text, in order."""
    for line in lines:
        bare = line.strip()
        if not bare or bare[0] == "#" or len(bare) > MAX_LINE:
            continue
        found = _SAMPLE.match(bare)
        if found is None:
            continue
        value = float(found[3].replace("Inf", "inf"))
        if not math.isnan(value):
            yield Sample(found[1], dict(_LABEL.findall(found[2] or "")), value, bare)
