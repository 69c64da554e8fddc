"""Groups a sample of cache keys by what they are for: `preview:8f14:1080` belongs to `preview`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from weaklink.parse.mask import is_identifier
from weaklink.parse.redact import redact, redact_key

_SEPARATORS = re.compile(r"[:/|.#]+")
_BEFORE_NUMBER = re.compile(r"[A-Za-z][A-Za-z_-]*")
OTHER = "(other)"
MANY = 20
"""In a larger sample a prefix of one key alone tells nothing, and may be a person's name."""
EXAMPLES = 3
MAX_PREFIXES = 40


class KeyGroup(NamedTuple):
    """Keys of one prefix; `ttls` in seconds of those that expire; `examples` redacted."""

    prefix: str
    sampled: int
    ttls: list[float]
    examples: list[str]


def group_keys(keys: Sequence[tuple[str, float | None]]) -> list[KeyGroup]:
    """Groups of (key, seconds to live or None where it stays), the largest first."""
    prefixes: dict[str, list[str]] = {}
    for key, _ in keys:
        prefixes.setdefault(prefix_of(key), []).append(key)
    final: dict[str, str] = {}
    for prefix, members in prefixes.items():
        shorter = _SEPARATORS.split(prefix, maxsplit=1)[0]
        lonely = len(members) == 1 and len(keys) > MANY
        final[prefix] = (shorter if shorter != prefix else OTHER) if lonely else prefix
    groups: dict[str, list[tuple[str, float | None]]] = {}
    for key, ttl in keys:
        groups.setdefault(final[prefix_of(key)], []).append((key, ttl))
    lone = [p for p, members in groups.items() if len(members) == 1 and len(keys) > MANY]
    for prefix in lone:
        if prefix != OTHER:
            groups.setdefault(OTHER, []).extend(groups.pop(prefix))
    found = [
        KeyGroup(
            prefix,
            len(members),
            sorted(ttl for _, ttl in members if ttl is not None),
            [] if prefix == OTHER else [redact_key(key) for key, _ in members[:EXAMPLES]],
        )
        for prefix, members in groups.items()
    ]
    return sorted(found, key=lambda group: (-group.sampled, group.prefix))[:MAX_PREFIXES]


def prefix_of(key: str) -> str:
    """The words that a key begins with, its last part left out; `{}` where it begins with none."""
    key = redact(key[:512])
    parts = _SEPARATORS.split(key)
    words: list[str] = []
    at = 0
    for part in parts[:-1]:
        if not part or is_identifier(part):
            break
        at = key.index(part, at) + len(part)
        words.append(part)
    if words:
        return key[:at]
    if len(parts) == 1 and not is_identifier(key) and not key[-1:].isdigit():
        return key
    found = _BEFORE_NUMBER.match(key)
    return found[0].rstrip("_-") if found and len(found[0]) <= 24 else "{}"
