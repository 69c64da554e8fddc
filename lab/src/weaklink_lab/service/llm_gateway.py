"""A small gateway before inference servers, as teams write them: it balances by itself and streams.

An ASGI application without a framework, run by uvicorn or gunicorn. It takes the members in turn,
and logs what fails as an application does. `LLM_MEMBERS` holds `host:port,host:port`.

    LLM_MEMBERS=127.0.0.1:18000 uvicorn weaklink_lab.service.llm_gateway:app --port 18080
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]

MEMBERS = os.environ.get("LLM_MEMBERS", "127.0.0.1:18000").split(",")
TIMEOUT = float(os.environ.get("LLM_TIMEOUT", "30"))
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]
pools: dict[str, list[Pair]] = defaultdict(list)
turn = itertools.count()
logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("gateway")


async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Every POST goes to a member; what cannot be served is 502, too late 504."""
    if scope["type"] != "http":
        return
    body = b""
    while True:
        told = await receive()
        body += told.get("body", b"")
        if not told.get("more_body"):
            break
    if scope["method"] != "POST":
        await whole(send, 200, b"ok")
        return
    member = MEMBERS[next(turn) % len(MEMBERS)]
    started = False

    async def begin(status: int) -> None:
        nonlocal started
        started = True
        await send({"type": "http.response.start", "status": status, "headers": HEADERS})

    try:
        async with asyncio.timeout(TIMEOUT):
            for pause in (0.5, 1.0, 2.0):
                try:
                    await pass_on(member, scope["path"], body, begin, send)
                except LimitedError:
                    # As the clients of model APIs do: wait, and try again.
                    log.warning("%s answered 429 Too Many Requests, again in %s s", member, pause)
                    await asyncio.sleep(pause)
                else:
                    return
            await whole(send, 502, b"limited")
    except TimeoutError:
        log.exception("call to %s timed out after %s s", member, TIMEOUT)
        if not started:
            await whole(send, 504, b"too late")
    except OSError:
        log.exception("call to %s failed", member)
        if not started:
            await whole(send, 502, b"no member")


class LimitedError(Exception):
    """A member says that it was asked too much."""


HEADERS = [(b"content-type", b"text/event-stream")]


async def pass_on(
    member: str, path: str, body: bytes, begin: Callable[[int], Awaitable[None]], send: Send
) -> None:
    """Ask one member and stream its answer on; raises OSError."""
    reader, writer = await connected(member)
    kept = False
    try:
        head = f"POST {path} HTTP/1.1\r\nHost: {member}\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"\r\n" + body)
        status = int((await reader.readline()).split()[1])
        if status == 429:
            raise LimitedError(member)
        length, chunked = None, False
        while (line := await reader.readline()).strip():
            name, _, value = line.decode("latin-1").lower().partition(":")
            chunked = chunked or (name == "transfer-encoding" and "chunked" in value)
            length = int(value) if name == "content-length" else length
        first = True
        while True:
            size = int((await reader.readline()).strip() or b"0", 16) if chunked else length or 0
            data = await reader.readexactly(size) if size else b""
            if first:
                await begin(status)
                first = False
            if chunked:
                await reader.readline()
            more = bool(chunked and size)
            await send({"type": "http.response.body", "body": data, "more_body": more})
            if not more:
                kept = True
                return
    except (IndexError, ValueError, asyncio.IncompleteReadError) as error:
        raise ConnectionError(f"{member} broke off: {error}") from None
    finally:
        if kept:
            pools[member].append((reader, writer))
        else:
            writer.close()


async def connected(member: str) -> Pair:
    """A connection that is kept open between requests, as client libraries do."""
    while pools[member]:
        reader, writer = pools[member].pop()
        if not reader.at_eof() and not writer.is_closing():
            return reader, writer
    host, _, port = member.rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def whole(send: Send, status: int, body: bytes) -> None:
    """A short answer."""
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})
