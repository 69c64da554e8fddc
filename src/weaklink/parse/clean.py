"""Makes any bytes into text that can be kept, compared and written as JSON."""

from __future__ import annotations


def clean_text(raw: bytes | str) -> str:
    """The text with bytes that are no UTF-8, lone surrogates and NULs shown as escapes."""
    if isinstance(raw, str):
        if raw.isascii() and "\x00" not in raw:
            return raw
        raw = _bytes(raw)
    text = raw.decode("utf-8", "backslashreplace")
    return text.replace("\x00", "\\x00") if "\x00" in text else text


def _bytes(text: str) -> bytes:
    """The bytes that the system gave as text (surrogateescape), or escapes for other surrogates."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")
