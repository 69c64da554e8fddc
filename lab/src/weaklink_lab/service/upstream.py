"""The gateway's way to the members behind it: kept-alive connections, taken in turn."""

import asyncio
import itertools
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a member, whole."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Backend:
    """One address, and the connections to it that wait to be used again."""

    host: str
    port: int
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)


class Upstream:
    """Asks one backend after the other; never asks twice, a render is too dear for that."""

    def __init__(self, addresses: list[tuple[str, int]]) -> None:
        self._turn = itertools.cycle([Backend(host, port) for host, port in addresses])

    async def get(self, path: str, request_id: str) -> Reply:
        """Pass a GET on; raises OSError where the backend cannot be reached or breaks off."""
        return await self.ask("GET", path, request_id)

    async def ask(self, method: str, path: str, request_id: str, body: bytes = b"") -> Reply:
        """Pass a request on; raises OSError where the backend cannot be reached or breaks off."""
        backend = next(self._turn)
        length = f"Content-Length: {len(body)}\r\n" if method != "GET" else ""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {backend.host}:{backend.port}\r\n{length}"
            f"X-Request-Id: {request_id}\r\n\r\n"
        ).encode() + body
        while True:
            kept = backend.idle.pop() if backend.idle else None
            reader, writer = kept or await asyncio.open_connection(backend.host, backend.port)
            try:
                writer.write(head)
                raw = await reader.readuntil(b"\r\n\r\n")
                reply = await _reply(raw, reader)
            except asyncio.IncompleteReadError as error:
                writer.transport.abort()
                if kept and not error.partial:
                    continue
                raise ConnectionError("the backend broke off") from error
            except BaseException:
                writer.transport.abort()
                raise
            if reply.headers.get("connection", "").lower() == "close":
                writer.close()
            else:
                backend.idle.append((reader, writer))
            return reply


async def _reply(raw: bytes, reader: asyncio.StreamReader) -> Reply:
    first, *lines = raw.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.lower()] = value.strip()
    if "chunked" in headers.get("transfer-encoding", ""):
        body = await _chunks(reader)
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Reply(int(first.split()[1]), headers, body)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(parts)
