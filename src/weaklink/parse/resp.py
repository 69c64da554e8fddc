"""The words that Redis and its kin speak (RESP2), read with limits on everything.

A reply is a string, a number, None, a list of replies, or a ReplyError. Strings keep bytes that
are no UTF-8 as escapes. Sizes and depth are bounded: the other side is not trusted.
"""

from __future__ import annotations

from typing import TypeAlias

MAX_BULK = 8 << 20
MAX_ITEMS = 20_000
MAX_DEPTH = 6
MAX_REPLY = 16 << 20


class ReplyError(Exception):
    """What the server answered instead: `NOAUTH Authentication required.`"""

    @property
    def kind(self) -> str:
        """The first word, in capitals by convention: NOAUTH, NOPERM, LOADING, ERR …"""
        return str(self).split(" ", 1)[0]


class NotResp(ValueError):  # noqa: N818 - it says what the other side is
    """The other side does not speak this, or says more than we read."""


class NeedMore(Exception):  # noqa: N818 - an outcome: the reply is not complete yet
    """Read on."""


Reply: TypeAlias = "str | int | ReplyError | list[Reply] | None"


def command(*args: str | int) -> bytes:
    """A command as bytes to send."""
    parts = [b"*%d\r\n" % len(args)]
    for arg in args:
        data = str(arg).encode("utf-8", "surrogateescape")
        parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
    return b"".join(parts)


def read_reply(data: bytes | bytearray, at: int = 0, depth: int = 0) -> tuple[Reply, int]:
    """(reply, where the next one begins). Raises NeedMore or NotResp."""
    end = data.find(b"\r\n", at, at + 65_536)
    if end < 0:
        if len(data) - at >= 65_536:
            raise NotResp("a line without end")
        if len(data) > at and data[at : at + 1] not in b"+-:$*":
            raise NotResp("not the protocol of Redis")
        raise NeedMore
    mark, line, after = data[at : at + 1], bytes(data[at + 1 : end]), end + 2
    if mark == b"+":
        return _text(line), after
    if mark == b"-":
        return ReplyError(_text(line)[:500]), after
    if mark == b":":
        return _number(line, -(1 << 63), 1 << 63), after
    if mark == b"$":
        size = _number(line, -1, MAX_BULK)
        if size < 0:
            return None, after
        if len(data) < after + size + 2:
            raise NeedMore
        return _text(bytes(data[after : after + size])), after + size + 2
    if mark == b"*":
        count = _number(line, -1, MAX_ITEMS)
        if count < 0:
            return None, after
        if depth >= MAX_DEPTH:
            raise NotResp("nested too deep")
        items: list[Reply] = []
        for _ in range(count):
            item, after = read_reply(data, after, depth + 1)
            items.append(item)
        return items, after
    raise NotResp("not the protocol of Redis")


def _number(line: bytes, least: int, most: int) -> int:
    if not 0 < len(line) <= 20 or not line.lstrip(b"-").isdigit():
        raise NotResp("a size that is no number")
    value = int(line)
    if not least <= value <= most:
        raise NotResp("a size beyond reason")
    return value


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
