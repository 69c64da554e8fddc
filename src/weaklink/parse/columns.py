"""Reads tables whose header names the columns; the last column takes the rest of a line."""

from __future__ import annotations

from collections.abc import Iterator

MAX_COLUMNS = 40


def header_of(line: str, wanted: frozenset[str], least: int) -> list[str]:
    """The columns' names, where at least `least` of the wanted ones stand in the line; else []."""
    words = line.split()[:MAX_COLUMNS]
    return words if len(wanted.intersection(words)) >= least else []


def rows(
    lines: list[str], wanted: frozenset[str], least: int
) -> Iterator[tuple[dict[str, str], str]]:
    """(column to text, the line) of each row under the header that was seen last."""
    columns: list[str] = []
    for line in lines:
        found = header_of(line, wanted, least)
        if found:
            columns = found[1:] if found[0] == "#" else found
        elif columns and line.strip():
            yield row_of(line, columns), line


def row_of(line: str, columns: list[str]) -> dict[str, str]:
    """Column to text; a line with fewer words than columns gives what it has."""
    words = line.split(None, len(columns) - 1)
    return dict(zip(columns, words, strict=False))
