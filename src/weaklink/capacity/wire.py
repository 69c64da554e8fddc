"""A client's end of HTTP/1.1 on plain asyncio streams: kept-alive connections, nothing more."""

import asyncio
from dataclasses import dataclass

MAX_HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """The status of an answer, the bytes of its body, and whether the connection may be kept."""

    status: int
    bytes: int
    keep: bool


class StaleConnectionError(ConnectionError):
    """The kept connection was closed by the server before it answered: ask again on a new one."""


@dataclass(slots=True)
class Connection:
    """One connection to the service, and whether it has already carried a request."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    used: bool = False

    def close(self) -> None:
        """Close at once, dropping what is still to be read."""
        self.writer.transport.abort()


async def connect(host: str, port: int) -> Connection:
    """Open a connection; raises OSError where nobody listens."""
    reader, writer = await asyncio.open_connection(host, port, limit=MAX_HEAD)
    return Connection(reader, writer)


async def ask(connection: Connection, head: bytes, body: bytes = b"") -> Answer:
    """Send one request and read its whole answer, counting the body without keeping it."""
    reader, used = connection.reader, connection.used
    connection.used = True
    try:
        connection.writer.write(head + body)
        await connection.writer.drain()
        raw = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        partial = getattr(error, "partial", b"")
        if used and not partial:
            raise StaleConnectionError("closed while kept") from error
        raise ConnectionError("closed before the answer's head was complete") from error
    except asyncio.LimitOverrunError as error:
        raise ConnectionError("the answer's head is too long") from error
    status, headers = _head(raw)
    keep = headers.get(b"connection", b"").lower() != b"close"
    if status in (204, 304) or head.startswith(b"HEAD "):
        return Answer(status, 0, keep)
    if b"chunked" in headers.get(b"transfer-encoding", b"").lower():
        return Answer(status, await _chunks(reader), keep)
    if (length := headers.get(b"content-length")) is not None:
        return Answer(status, await _drop(reader, int(length)), keep)
    return Answer(status, await _rest(reader), keep=False)


def _head(raw: bytes) -> tuple[int, dict[bytes, bytes]]:
    lines = raw.split(b"\r\n")
    words = lines[0].split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise ConnectionError(f"not an HTTP/1.1 answer: {lines[0][:40]!r}")
    headers: dict[bytes, bytes] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    if words[0] == b"HTTP/1.0":
        headers.setdefault(b"connection", b"close")
    return int(words[1]), headers


async def _drop(reader: asyncio.StreamReader, length: int) -> int:
    left = length
    while left:
        piece = await reader.read(min(left, 1 << 16))
        if not piece:
            raise ConnectionError(f"closed {left} bytes before the end of the body")
        left -= len(piece)
    return length


async def _chunks(reader: asyncio.StreamReader) -> int:
    total = 0
    while True:
        try:
            line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise ConnectionError("a chunk of the body is broken") from error
        total += await _drop(reader, size)
        if size:
            await _drop(reader, 2)
            continue
        while (await reader.readline()).strip():
            pass
        return total


async def _rest(reader: asyncio.StreamReader) -> int:
    total = 0
    while piece := await reader.read(1 << 16):
        total += len(piece)
    return total
