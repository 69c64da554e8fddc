"""Reads what redis-cli prints for a reply on a terminal: nested lists, numbers, strings.

    1) 1) (integer) 14
       2) "KEYS"

The depth is told by where the `N)` stands. Bounded in depth; what is none of it ends the reading.
"""

from __future__ import annotations

import re

from weaklink.parse.resp import Reply

MAX_DEPTH = 8
_INDEX = re.compile(r"(\d{1,7})\) ?")


def read_reply(lines: list[str]) -> list[Reply]:
    """The outermost list; empty where the lines are none."""
    top: list[Reply] = []
    open_lists: list[tuple[int, list[Reply]]] = [(-1, top)]
    for line in lines:
        at = len(line) - len(line.lstrip(" "))
        depth = 0
        while (found := _INDEX.match(line, at)) and depth < MAX_DEPTH:
            while open_lists[-1][0] >= at and len(open_lists) > 1:
                open_lists.pop()
            rest = line[found.end() :]
            if _INDEX.match(rest) and len(open_lists) < MAX_DEPTH:
                inner: list[Reply] = []
                open_lists[-1][1].append(inner)
                open_lists.append((at, inner))
            else:
                open_lists[-1][1].append(_value(rest))
            at = found.end()
            depth += 1
    return top


def _value(text: str) -> Reply:
    bare = text.strip()
    if bare.startswith("(integer) "):
        digits = bare[10:].lstrip("-")
        return (
            int(bare[10:]) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
        )
    if bare.startswith('"'):
        end = bare.rfind('"')
        inner = bare[1:end] if end > 0 else bare[1:]
        return inner.replace('\\"', '"')
    return None if bare in {"(nil)", "(empty array)", "(empty list or set)"} else bare
