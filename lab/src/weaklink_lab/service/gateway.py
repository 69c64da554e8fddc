"""The gateway: knows the users' routes, keeps jobs, passes what needs a worker on."""

import asyncio
import itertools
import logging
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from weaklink_lab.service.settings import Live, fixed
from weaklink_lab.service.upstream import Reply, Upstream

log = logging.getLogger("uvicorn.error")


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    """Open the way to the members behind."""
    addresses = [(host, port) for host, port in fixed()["upstreams"]]
    behind = [(host, port) for host, port in fixed()["orchestrator"]]
    yield {
        "upstream": Upstream(addresses),
        "orchestrator": Upstream(behind) if behind else None,
        "live": Live(Path(fixed()["live"])),
        "jobs": {},
        "numbers": itertools.count(1),
    }


async def forward(request: Request) -> Response:
    """Pass a request to a worker and its answer back."""
    number = uuid.uuid4().hex[:16]
    limits = request.state.live.get().get("gateway", {})
    try:
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        if request.scope["path"].startswith(tuple(fixed()["worker_routes"])):
            reply = await _patiently(request.state.upstream, path, number, limits)
        else:
            way, body = request.state.orchestrator, await request.body()
            reply = await way.ask(request.method, path, number, body)
    except OSError as error:
        return JSONResponse({"error": "upstream", "detail": str(error)}, status_code=502)
    kept = {name: reply.headers[name] for name in ("x-cache",) if name in reply.headers}
    kind = reply.headers.get("content-type")
    return Response(
        reply.body,
        reply.status,
        headers={"X-Request-Id": number, **kept, **({"content-type": kind} if kind else {})},
    )


async def _patiently(upstream: Upstream, path: str, number: str, limits: dict[str, Any]) -> Reply:
    """Ask a worker, as often and for as long as the settings say: by default once, to the end."""
    for _ in range(limits.get("tries", 1) - 1):
        try:
            return await asyncio.wait_for(upstream.get(path, number), limits["patience"])
        except TimeoutError:
            log.warning("no answer to %s within %s s, asking again", path, limits["patience"])
    return await upstream.get(path, number)


async def submit(request: Request) -> Response:
    """Take a job in."""
    number = next(request.state.numbers)
    jobs = request.state.jobs
    jobs[number] = time.time()
    if len(jobs) > 10_000:
        jobs.pop(next(iter(jobs)))
    return JSONResponse({"job": number, "state": "queued"}, status_code=202)


async def job(request: Request) -> Response:
    """Say how far a job is."""
    began = request.state.jobs.get(int(request.path_params["number"]))
    if began is None:
        return JSONResponse({"state": "unknown"})
    age = time.time() - began
    return JSONResponse({"state": "done" if age > 20 else "running", "age": round(age, 1)})


async def events(request: Request) -> Response:
    """Stream the state of the service to a page that stays open."""

    async def lines() -> AsyncIterator[bytes]:
        for number in itertools.count():
            yield f"id: {number}\ndata: {len(request.state.jobs)} jobs\n\n".encode()
            await asyncio.sleep(1.0)

    return StreamingResponse(lines(), media_type="text/event-stream")


async def healthz(_request: Request) -> Response:
    """Say that the process answers."""
    return PlainTextResponse("ok\n")


def build() -> Starlette:
    """Give the application with the routes that its settings name."""
    config = fixed()
    behind = [
        Route(config["videos"], forward, methods=["POST"]),
        Route(config["videos"] + "/{number:int}", forward),
        Route(config["jobs"] + "/{number:int}", forward),
        Route(config["ask"], forward, methods=["POST"]),
    ]
    return Starlette(
        routes=[
            Route(config["preview"] + "/{video}", forward),
            Route(config["analyze"] + "/{video}", forward),
            *(behind if config["orchestrator"] else []),
            Route(config["jobs"], submit, methods=["POST"]),
            Route(config["jobs"] + "/{number:int}", job),
            Route(config["events"], events),
            Route("/healthz", healthz),
        ],
        lifespan=lifespan,
    )
