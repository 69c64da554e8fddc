"""Reads Redis SLOWLOG GET: which commands blocked everybody, their arguments redacted."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.model.fact import SlowCommand
from weaklink.parse.redact import redact_key
from weaklink.parse.resp import Reply

MAX_SHOWN = 3
"""Arguments shown of a command: its key and what follows; the rest is counted."""
_SCRIPTS = ("EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO", "FUNCTION")
_SECRETS = ("AUTH", "HELLO", "ACL", "CONFIG", "MIGRATE")


def read_slowlog(reply: Reply, cache: str) -> list[SlowCommand]:
    """Entries, newest first as the server gives them; malformed ones are passed over."""
    if not isinstance(reply, list):
        return []
    found = []
    for entry in reply:
        if not isinstance(entry, list) or len(entry) < 4:
            continue
        number, at, micros, args = entry[:4]
        if not (
            isinstance(number, int)
            and isinstance(at, int)
            and isinstance(micros, int)
            and isinstance(args, list)
        ):
            continue
        client = entry[4] if len(entry) > 4 and isinstance(entry[4], str) else ""
        found.append(
            SlowCommand(
                cache=cache,
                at=float(at),
                duration=max(0, micros) / 1e6,
                command=redact_command([str(arg) for arg in args]),
                client=client[:128],
                number=number,
            )
        )
    return found


def redact_command(args: Sequence[str]) -> str:
    """A command that may be shown: its name, its key's structure, how many arguments follow."""
    if not args:
        return ""
    name = args[0].upper()[:32]
    if not name.replace("_", "").replace(".", "").replace("|", "").isalnum():
        return "(unreadable)"
    rest = args[1:]
    if name in _SECRETS:
        return f"{name} …" if rest else name
    if name in _SCRIPTS:
        return f"{name} (script, {len(rest)} arguments)"
    shown = [name]
    for arg in rest[:1]:
        shown.append(_glob_or_key(arg))
    for arg in rest[1:MAX_SHOWN]:
        # Numbers bound a range and say how much was asked for; anything else may be a value.
        plain = arg.lstrip("-").isascii() and arg.lstrip("-").isdigit() and len(arg) <= 12
        shown.append(arg if plain else "…")
    if len(rest) > MAX_SHOWN:
        shown.append(f"… ({len(rest)} arguments)")
    return " ".join(shown)


def _glob_or_key(arg: str) -> str:
    """The key, or a pattern of KEYS and SCAN with its stars kept."""
    if "*" not in arg:
        return redact_key(arg)
    return "*".join(redact_key(part) if part else "" for part in arg[:256].split("*"))
