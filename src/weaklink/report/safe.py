"""Makes text harmless for a terminal, and plain: names come from files that anybody may write.

Control characters, escapes, direction marks and half surrogates are shown as `\\x1b`, `\\u202e`,
so that a name can neither move the cursor nor read as something else.
"""

from __future__ import annotations

import unicodedata

from weaklink.report.human import NBSP

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
MAX_TEXT = 2000
"""Of one piece of foreign text; a name or a log line that is longer is cut, and says so."""


def visible(text: str, limit: int = MAX_TEXT) -> str:
    """The text with everything that is not meant to be seen written out; at most `limit` long."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char == NBSP or unicodedata.category(char) not in _HIDDEN:
        return char
    code = ord(char)
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def plain(text: str) -> str:
    """Ordinary spaces instead of the no-break ones that held figures together."""
    return text.replace(NBSP, " ")


def markdown(text: str) -> str:
    """The text with what Markdown and HTML would act on made harmless."""
    out = visible(text).replace("&", "&amp;").replace("<", "&lt;")
    for char in "\\`*_[]|~#!@":
        out = out.replace(char, f"\\{char}")
    return plain(out)
