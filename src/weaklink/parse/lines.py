"""Makes the plain lines out of a pasted text: no colours, no overstrikes, prompts told apart."""

from __future__ import annotations

import re
from itertools import pairwise

from weaklink.parse.clean import clean_text

MAX_LINE = 4 << 20
"""A longer line is cut: one line of compact JSON of a large host stays below it."""
WIDTHS = (80, 100, 120, 132)
"""Widths at which terminals and chats wrap hard."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][A-Z0-9]|.)?")
_ANSI_LOST = re.compile(r"(?:\^\[)?\[(?:(?:\d{1,3}(?:;\d{1,3}){0,4})?m|K)(?![A-Za-z\]])")
_INVISIBLE = [*range(1, 9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, *range(0x200B, 0x2010)]
_INVISIBLE += [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
_UNWANTED = [chr(code) for code in _INVISIBLE]
_PROMPT = re.compile(
    r"(?:\([^()]{1,40}\) ?)?"
    r"(?:\[?[\w.-]{1,64}@[\w.-]{1,128}(?:[: ][^$#%>\u276f]{0,120})?\]?|"
    r"\[[\w.-]{1,64}@[\w.-]{1,128}[^\]]{0,120}\]|"
    r"[\w.-]{1,64}:[~/][^$#%>\u276f\s]{0,120} ?|(?:ba|z|k|da)?sh-[\d.]{1,8}|"
    r"(?:redis |valkey )?[\w.-]{1,128}:\d{1,5}(?:\[\d{1,5}\])?(?=>))?"
    r"[ ]?([$#%>\u276f]) ?(\S.*)?$"
)
_REDIS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}(?:\[\d{1,5}\])?>")
"""redis-cli's prompt before an address; nothing else that begins with a digit is a prompt."""
_WATCH = re.compile(r"Every [\d.,]{1,8}s: (.{1,400}?)(?:\s{2,}|\s+\S+: \w{3} |$)")
_PLAIN_COMMANDS = frozenset(
    """
    sudo cat dmesg journalctl kubectl docker nvidia-smi smartctl ssh watch grep zgrep tail
    head less top htop free vmstat iostat mpstat pidstat df lsblk lsof ps uptime ip ss netstat
    arp route ethtool ping ping6 curl wget redis-cli py-spy jstack jcmd jstat storcli
    storcli64 storcli2 perccli perccli64 perccli2 megacli MegaCli MegaCli64 ssacli hpacucli
    hpssacli mdadm gpustat dcgmi nvme lspci kill nginx time LC_ALL=C date uname hostname ls
    find nsenter chroot nstat tc iptables nft conntrack mount findmnt blkid cd echo
    """.split()  # noqa: SIM905 - read as a list of words
)
_VALUE = re.compile(r"[:=] {0,80}\d[\d.,]{0,30}$")
_BAD_COUNT = re.compile(
    r"err|fail|drop|retrans|overflow|predict|realloc|pending|uncorrect|defect|crc\b|discard|kill",
    re.IGNORECASE,
)
"""Counts of bad things: the beginning of such a number is still true as "at least"."""
_MARKS = "$#%>\u276f"
_NO_PROMPT = frozenset("0123456789{}\"'<|=*-.,;/&!?")
_KNOWN = re.compile(r"[\w./-]+")


def plain_lines(text: str | bytes) -> list[str]:
    """The text's lines without escapes, overstrikes and invisible characters, tabs kept."""
    text = clean_text(text)
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "[0m" in text or "[m" in text:
        text = _ANSI_LOST.sub("", text)
    if "\xa0" in text:
        text = text.replace("\xa0", " ")
    text = text.replace("\r\n", "\n")
    for character in _UNWANTED:
        if character in text:
            text = text.replace(character, "")
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.rstrip("\r").rpartition("\r")[2] for line in lines]
    if lines and not lines[-1]:
        lines.pop()
    return [line if len(line) <= MAX_LINE else line[:MAX_LINE] for line in lines]


def without_cut_number(lines: list[str]) -> list[str]:
    """The same lines, the last left empty where it is `name: number`: half of one, perhaps.

    For a text of several lines that does not end with a newline: half of a size or of a limit
    would be judged as a whole one. Counts of bad things are kept, for nothing becomes wrong by
    too few of them, and so are rows of tables: most such texts were copied whole.
    """
    last = lines[-1][-200:] if lines else ""
    if len(lines) < 2 or not _VALUE.search(last) or _BAD_COUNT.search(last):
        return lines
    return [*lines[:-1], ""]


def command_of(line: str) -> str | None:
    """The command after a shell prompt (`user@host:~$ ip r`, `# df`), '' for an empty prompt.

    None for what is no prompt line. A bare `#`, `>` or `%` counts only before a known command,
    for it also starts comments, quotes and percentages.
    """
    if len(line) > 600 or line.startswith("% time "):
        return None  # too long, or the head of strace's table
    if line.startswith("Every "):
        header = _WATCH.match(line)
        return header.group(1).strip() if header else None
    head = line.lstrip(" \t+")[:200]
    if not head or (head[0] in _NO_PROMPT and not _REDIS.match(head)):
        return None
    if head[0] not in _MARKS and not ("@" in head or ":" in head or "sh-" in head):
        return None
    if not any(mark in head for mark in _MARKS):
        return None
    found = _PROMPT.match(line.strip())
    if found is None:
        return None
    mark, command = found.group(1), (found.group(2) or "").strip()
    bare = found.start(1) == 0
    if not bare:
        return command if _looks_like_command(command) or mark in "$#" else None
    if mark in "$\u276f":
        return command if " " in line.strip() or not command else None
    return command if command and _is_known(command) else None


def _looks_like_command(command: str) -> bool:
    return not command or _KNOWN.match(command) is not None


def _is_known(command: str) -> bool:
    word = command.split(None, 1)[0]
    return word.rpartition("/")[2] in _PLAIN_COMMANDS and not command.startswith("top - ")


def unwrapped(lines: list[str], numbers: list[int]) -> tuple[list[str], list[int]] | None:
    """The lines with hard wraps undone; None where nothing hints at a wrap.

    A hint is that no line is longer than a usual width and some line is exactly that long.
    """
    longest = max(map(len, lines), default=0)
    if longest not in WIDTHS or len(lines) < 2:
        return None
    if not any(
        len(line) == longest and after and not _is_rule(line) for line, after in pairwise(lines)
    ):
        return None
    joined: list[str] = []
    kept: list[int] = []
    open_end = False
    for line, number in zip(lines, numbers, strict=True):
        # A rule drawn across a table goes on in a piece of a rule only, else it was that wide.
        if open_end and (not _is_rule(joined[-1]) or _is_rule(line)):
            joined[-1] += line
        else:
            joined.append(line)
            kept.append(number)
        open_end = len(line) == longest
    return joined, kept


def _is_rule(line: str) -> bool:
    """A line drawn across a table is as wide as it is meant to be."""
    return not line.strip("-=+|_* ")
