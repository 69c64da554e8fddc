"""One plain GET, as little as it takes to learn whether a service answers, and how fast."""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import weaklink
from weaklink.model.message import say
from weaklink.reach.connect import connect
from weaklink.reach.host import NotAllowed, NotHere, TooLate
from weaklink.words import texts

texts({"http.bad-url": "only http and https addresses are asked: {url}"})

MAX_BODY = 64 << 10
MAX_HEAD = 32 << 10
DEFAULT_PORTS = {"http": 80, "https": 443}


class Answer(NamedTuple):
    """What a GET got. `status` 0: no answer came. Times in seconds from the connect on.

    `error` is '' or one word: refused, timeout, reset, closed, unreachable, unresolved, tls,
    denied, broken (no HTTP), failed. With a status it tells how the body ended. `whole` is False
    where the body was longer than the cap.
    """

    status: int
    first_byte: float | None
    total: float
    error: str = ""
    headers: dict[str, str] = {}
    body: bytes = b""
    whole: bool = True


def get(
    url: str,
    *,
    deadline: float,
    pid: int | None = None,
    address: str | None = None,
    headers: Mapping[str, str] | None = None,
    limit: int = MAX_BODY,
) -> Answer:
    """GET a URL inside the network namespace of process `pid`, until `deadline` (monotonic).

    `address` (`ip:port`, `unix:/path`) says where to connect, else the URL does. No redirect is
    followed, no proxy used, no cookie kept; a certificate that does not hold is the error `tls`.
    Raises NotAllowed for other schemes, link-local addresses and namespaces that are not ours,
    NotHere where the process is gone; everything that the network does is in the Answer.
    """
    scheme, where, target, name = _parts(url, address)
    started = time.monotonic()

    def left() -> float:
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    try:
        with contextlib.ExitStack() as stack:
            link = stack.enter_context(connect(where, pid=pid, timeout=left()))
            if scheme == "https":
                link = stack.enter_context(_secured(link, name, left()))
            link.settimeout(left())
            link.sendall(_request(target, name, url, headers or {}))
            return _answer(link, started, left, limit)
    except (NotAllowed, NotHere):
        raise
    except Exception as error:
        return Answer(0, None, time.monotonic() - started, error_word(error))


def _parts(url: str, address: str | None) -> tuple[str, str, str, str]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotAllowed(say("http.bad-url", url=url)) from None
    name = parts.hostname or ""
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    plain = all(" " < char < "\x7f" for char in target + name)
    if parts.scheme not in DEFAULT_PORTS or not name or not plain:
        raise NotAllowed(say("http.bad-url", url=url))
    port = port or DEFAULT_PORTS[parts.scheme]
    shown = f"[{name}]" if ":" in name else name
    return parts.scheme, address or f"{shown}:{port}", target, name


def _request(target: str, name: str, url: str, headers: Mapping[str, str]) -> bytes:
    fields = {
        "Host": urlsplit(url).netloc.rpartition("@")[2] or name,
        "User-Agent": f"weaklink/{weaklink.__version__}",
        "Accept": "*/*",
        "Connection": "close",
    } | dict(headers)
    lines = [f"GET {target} HTTP/1.1"]
    for field, value in fields.items():
        if "\r" in field + value or "\n" in field + value:
            raise NotAllowed(say("http.bad-url", url=url))
        lines.append(f"{field}: {value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def _secured(link: socket.socket, name: str, seconds: float) -> socket.socket:
    import ssl

    link.settimeout(seconds)
    return ssl.create_default_context().wrap_socket(link, server_hostname=name)


def _answer(link: socket.socket, started: float, left: Callable[[], float], limit: int) -> Answer:
    data = b""
    first: float | None = None
    while b"\r\n\r\n" not in data:
        link.settimeout(left())
        piece = link.recv(1 << 14)
        if first is None and piece:
            first = time.monotonic() - started
        data += piece
        if not piece or len(data) > MAX_HEAD:
            word = "broken" if data else "closed"
            return Answer(0, first, time.monotonic() - started, word)
    head, _, rest = data.partition(b"\r\n\r\n")
    status, fields = parse_head(head)
    if not status:
        return Answer(0, first, time.monotonic() - started, "broken")
    try:
        body, whole, error = _body(link, rest, fields, status, left, limit)
    except (OSError, TooLate) as problem:
        body, whole, error = rest[:limit], False, error_word(problem)
    return Answer(status, first, time.monotonic() - started, error, fields, body, whole)


def parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    """Status and header fields (names in lower case); status 0 where it is no HTTP/1 answer."""
    lines = head.split(b"\r\n")
    words = lines[0].split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        return 0, {}
    fields = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            fields[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
    status = int(words[1][:4])
    return (status if 100 <= status <= 599 else 0), fields


def _body(
    link: socket.socket,
    data: bytes,
    fields: dict[str, str],
    status: int,
    left: Callable[[], float],
    limit: int,
) -> tuple[bytes, bool, str]:
    """The body (chunks not taken apart), whether all of it came, and why it ended early."""
    length = fields.get("content-length", "")
    wanted = int(length) if length.isdigit() and len(length) < 16 else None
    chunked = "chunked" in fields.get("transfer-encoding", "").lower()
    if status in (204, 304):
        return b"", True, ""
    while True:
        if wanted is not None and not chunked and len(data) >= wanted:
            return data[: min(wanted, limit)], wanted <= limit, ""
        if chunked and data.endswith(b"0\r\n\r\n"):
            return data[:limit], len(data) <= limit, ""
        if len(data) >= limit:
            return data[:limit], False, ""
        link.settimeout(left())
        piece = link.recv(1 << 14)
        if not piece:
            early = chunked or wanted is not None
            return data, not early, "closed" if early else ""
        data += piece


def unchunked(fields: Mapping[str, str], body: bytes) -> bytes:
    """The body with its chunks put together, as far as they are well formed."""
    if "chunked" not in fields.get("transfer-encoding", "").lower():
        return body
    whole, at = [], 0
    while True:
        end = body.find(b"\r\n", at)
        size = body[at:end].partition(b";")[0].strip() if end >= 0 else b""
        if not size or len(size) > 8 or any(char not in b"0123456789abcdefABCDEF" for char in size):
            break
        length = int(size, 16)
        if length == 0:
            break
        whole.append(body[end + 2 : end + 2 + length])
        at = end + 2 + length + 2
    return b"".join(whole)


def error_word(error: BaseException) -> str:
    """One word for what the network did; see Answer."""
    name = type(error).__name__
    if name.startswith(("SSL", "Certificate")):
        return "timeout" if "timed out" in str(error) else "tls"
    kinds: list[tuple[type[BaseException], str]] = [
        (ConnectionRefusedError, "refused"),
        (TimeoutError, "timeout"),
        (TooLate, "timeout"),
        (ConnectionResetError, "reset"),
        (BrokenPipeError, "reset"),
        (socket.gaierror, "unresolved"),
        (PermissionError, "denied"),
        (FileNotFoundError, "refused"),
    ]
    for kind, word in kinds:
        if isinstance(error, kind):
            return word
    if isinstance(error, OSError) and error.errno in (
        errno.EHOSTUNREACH,
        errno.ENETUNREACH,
        errno.EADDRNOTAVAIL,
    ):
        return "unreachable"
    return "failed"
