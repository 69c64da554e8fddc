"""A small object store over HTTP: objects are files, a PUT is on disk when it is answered."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from weaklink_lab.service.settings import Live, fixed


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    """Read the settings that operators change."""
    yield {"live": Live(Path(fixed()["live"]))}


def _write(path: Path, body: bytes) -> None:
    unfinished = path.with_name(f".{path.name}-{os.urandom(4).hex()}")
    with unfinished.open("wb") as out:
        out.write(body)
        out.flush()
        os.fsync(out.fileno())
    unfinished.replace(path)


def _path(request: Request) -> Path:
    # Names are single path parts: nothing outside the folder can be reached.
    parts = (request.path_params["bucket"], request.path_params["name"])
    return Path(fixed()["folder"], *(part.lstrip(".") or "_" for part in parts))


async def put(request: Request) -> Response:
    """Keep an object."""
    await _rebuilding(request)
    path, body = _path(request), await request.body()
    path.parent.mkdir(exist_ok=True)
    await asyncio.get_running_loop().run_in_executor(None, partial(_write, path, body))
    return Response(status_code=200)


async def get(request: Request) -> Response:
    """Give an object."""
    await _rebuilding(request)
    path = _path(request)
    try:
        body = await asyncio.get_running_loop().run_in_executor(None, path.read_bytes)
    except FileNotFoundError:
        return PlainTextResponse("NoSuchKey\n", 404)
    return Response(body, media_type="application/octet-stream")


async def _rebuilding(request: Request) -> None:
    # SIMULATED: a rebuild that each request waits for.
    await asyncio.sleep(request.state.live.get().get("store", {}).get("pause", 0.0))


async def healthz(_request: Request) -> Response:
    """Say that the process answers."""
    return PlainTextResponse("ok\n")


def build() -> Starlette:
    """Give the application."""
    return Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/{bucket}/{name}", put, methods=["PUT"]),
            Route("/{bucket}/{name}", get),
        ],
        lifespan=lifespan,
    )
