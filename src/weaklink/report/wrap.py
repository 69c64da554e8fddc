"""Breaks text at 80 columns, wide characters counted as two, figures and words kept whole."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Columns that a terminal gives the text: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, columns: int, hang: str = "") -> list[str]:
    """Lines of at most `columns`; all but the first begin with `hang`. Never an empty list.

    Breaks at ordinary spaces and beside wide characters; what is longer than a line is cut.
    """
    columns = max(columns, len(hang) + 4)
    lines: list[str] = []
    line = ""
    used = 0
    for piece in _pieces(text):
        size = width(piece)
        stripped = piece.rstrip(" ")
        while used + width(stripped) > columns:
            if line.strip(" "):
                lines.append(line.rstrip(" "))
            elif size > columns - used:
                head = _head(piece, columns - used)
                lines.append(line + head)
                piece = piece[len(head) :]  # noqa: PLW2901 - the rest of a piece cut in two
            line = hang
            used = len(hang)
            size = width(piece)
            stripped = piece.rstrip(" ")
        line += piece
        used += size
    if line.strip(" ") or not lines:
        lines.append(line.rstrip(" "))
    return lines


def _pieces(text: str) -> list[str]:
    """The text in pieces that must not be torn; each carries the spaces that follow it."""
    pieces: list[str] = []
    word = ""
    for char in text:
        if char == " ":
            word += char
        elif word.endswith(" ") or (word and 2 in {_columns(char), _columns(word[-1])}):
            pieces.append(word)
            word = char
        else:
            word += char
    if word:
        pieces.append(word)
    return pieces


def _head(piece: str, columns: int) -> str:
    used = 0
    for index, char in enumerate(piece):
        used += _columns(char)
        if used > columns:
            return piece[: max(index, 1)]
    return piece


def pad(text: str, columns: int) -> str:
    """The text with spaces after it, up to `columns`."""
    return text + " " * max(0, columns - width(text))
