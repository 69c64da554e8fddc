"""Values as a shell may take them: quoted, or refused where they hold control characters."""

from __future__ import annotations

import shlex
import string
from collections.abc import Mapping

from weaklink.model.message import Argument

MAX_VALUE = 1000
SAME_PROCESS = "[ \"$(sed 's/.*) //' /proc/{pid}/stat | cut -d' ' -f20)\" = {start} ] && "
"""Guards a signal: the pid must still be the process that was looked at (start time, field 22)."""
SAME_CULPRIT = SAME_PROCESS.replace("{pid}", "{culprit_pid}").replace("{start}", "{culprit_start}")
SAVE_PROXY = "cp -p {proxy_file} {proxy_copy}"
RESTORE_PROXY = "cp -p {proxy_copy} {proxy_file}"
SAVE_ENTRY = "cp -p {entry_file} {entry_copy}"
RESTORE_ENTRY = "cp -p {entry_copy} {entry_file}"
"""The copy lies apart: a folder of nginx's may be included whole, copies too."""


class Raw(str):
    """A piece of a command that we built ourselves and that is quoted already."""

    __slots__ = ()


def fill(template: str, values: Mapping[str, Argument]) -> str | None:
    """The command with its values quoted; None where one is unknown or cannot be quoted."""
    quoted: dict[str, str] = {}
    for name in _names(template):
        if name not in values:
            return None
        value = quote(values[name])
        if value is None:
            return None
        quoted[name] = value
    return template.format(**quoted)


def quote(value: Argument) -> str | None:
    """One value as a word of a shell; None for what holds control or hidden characters."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, float):
        return f"{value:.0f}" if value == int(value) else f"{value:g}"
    text = str(value)
    if len(text) > MAX_VALUE or not text.isprintable():
        return None
    return shlex.quote(text)


def _names(template: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]
