"""The orchestrator: takes videos in, keeps their material, queues jobs, answers questions."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import redis.asyncio as redis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from weaklink_lab.service import rag
from weaklink_lab.service.settings import fixed
from weaklink_lab.service.upstream import Upstream

MATERIALS = 64


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    """Open the ways to the queue, the store, and what answers questions."""
    config = fixed()
    async with AsyncExitStack() as stack:
        cache = redis.Redis(host=config["cache_host"], port=config["cache_port"])
        stack.push_async_callback(cache.aclose)
        where = [(host, port) for host, port in config["store"]]
        yield {
            "cache": cache,
            "store": Upstream(where) if where else None,
            "answerer": await stack.enter_async_context(rag.answerer(config)),
        }


async def submit(request: Request) -> Response:
    """Take a video in: keep its material, queue a job; refuse where the queue is too long."""
    config, cache = fixed(), request.state.cache
    if await cache.llen(config["queue"]) >= config["queue_cap"]:
        return JSONResponse({"error": "too many jobs wait"}, 503, {"Retry-After": "30"})
    number = await cache.incr(f"{config['queue']}:last")
    if request.state.store is not None:
        path = f"/{config['bucket']}/material-{number % MATERIALS}"
        kept = await request.state.store.ask("PUT", path, str(number), await request.body())
        if kept.status >= 300:
            return JSONResponse({"error": "the store keeps nothing"}, status_code=502)
    await cache.hset(f"{config['queue']}:{number}", mapping={"state": "queued", "at": time.time()})
    await cache.expire(f"{config['queue']}:{number}", 600)
    await cache.lpush(config["queue"], number)
    return JSONResponse({"job": number, "state": "queued"}, status_code=202)


async def job(request: Request) -> Response:
    """Say how far a job is."""
    kept = await request.state.cache.hgetall(f"{fixed()['queue']}:{request.path_params['number']}")
    fields = {name.decode(): value.decode() for name, value in kept.items()}
    return JSONResponse(fields or {"state": "unknown"})


async def material(request: Request) -> Response:
    """Give a video's material from the store."""
    if request.state.store is None:
        return JSONResponse({"state": "unknown"})
    path = f"/{fixed()['bucket']}/material-{request.path_params['number'] % MATERIALS}"
    try:
        reply = await request.state.store.ask("GET", path, str(request.path_params["number"]))
    except OSError as error:
        return JSONResponse({"error": "store", "detail": str(error)}, status_code=502)
    return Response(reply.body, reply.status, media_type="video/mp4")


async def ask(request: Request) -> Response:
    """Answer a question from what was written about the videos."""
    question = (await request.json()).get("question", "")
    try:
        answer = await request.state.answerer.answer(question)
    except (OSError, RuntimeError) as error:
        return JSONResponse({"error": "answer", "detail": str(error)[:200]}, status_code=502)
    return JSONResponse(answer)


async def healthz(_request: Request) -> Response:
    """Say that the process answers."""
    return PlainTextResponse("ok\n")


def build() -> Starlette:
    """Give the application with the routes that its settings name."""
    config = fixed()
    return Starlette(
        routes=[
            Route(config["videos"], submit, methods=["POST"]),
            Route(config["videos"] + "/{number:int}", material),
            Route(config["jobs"] + "/{number:int}", job),
            Route(config["ask"], ask, methods=["POST"]),
            Route("/healthz", healthz),
        ],
        lifespan=lifespan,
    )
