"""The worker: serves previews from the cache, and decodes the video when they are not there."""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import redis.asyncio as redis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from weaklink_lab.service import render
from weaklink_lab.service.settings import Live, fixed
from weaklink_lab.service.usage import Usage

log = logging.getLogger("uvicorn.error")
MOST_FRAMES = 900


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    """Open the cache's connections and the bounded pool for decoding."""
    config = fixed()
    pool = ThreadPoolExecutor(config["slots"], thread_name_prefix="decode")
    cache = redis.Redis(host=config["cache_host"], port=config["cache_port"])
    yield {
        "pool": pool,
        # Work that no user waits in line for with the previews.
        "second": ThreadPoolExecutor(config["slots"], thread_name_prefix="analyze"),
        "cache": cache,
        "live": Live(Path(config["live"])),
        "usage": Usage(config),
    }
    pool.shutdown(wait=False, cancel_futures=True)
    await cache.aclose()


async def preview(request: Request) -> Response:
    """Serve the preview of a video; a miss decodes the clip and keeps the result."""
    config, live = fixed(), request.state.live.get()
    video = request.path_params["video"]
    key = f"{config['key_prefix']}:{video}"
    cache, way = request.state.cache, live.get("usage", {})
    await request.state.usage.note(video, way)
    if (kept := await cache.get(key)) is not None:
        return Response(kept, media_type="image/jpeg", headers={"X-Cache": "hit"})
    own = live.get("videos", {}).get(video, {})
    material = config["materials"][own.get("material", live.get("material", "hd"))]
    work = partial(
        render.preview,
        material,
        own.get("frames", config["frames"]),
        config["threads"],
        config["accelerator_seconds"],
    )
    kept_work = partial(request.state.usage.keeping, work, way, videos=True)
    body = await asyncio.get_running_loop().run_in_executor(request.state.pool, kept_work)
    await cache.setex(key, own.get("ttl", config["ttl"]), body)
    log.info("rendered %s, %d bytes", video, len(body))
    return Response(body, media_type="image/jpeg", headers={"X-Cache": "miss"})


async def analyze(request: Request) -> Response:
    """Find the scenes of a video; each answer is for one user, so it is not cached."""
    config, live = fixed(), request.state.live.get()
    material = config["materials"][live.get("analyze_material", "sd")]
    wish = request.query_params.get("frames", "")
    frames = min(int(wish), MOST_FRAMES) if wish.isdecimal() else config["analyze_frames"]
    way = live.get("usage", {})
    work = partial(render.scenes, material, frames, config["threads"])
    kept_work = partial(request.state.usage.keeping, work, way, videos=False)
    pool = request.state.second if way.get("way") == "locks" else request.state.pool
    changes = await asyncio.get_running_loop().run_in_executor(pool, kept_work)
    return JSONResponse({"video": request.path_params["video"], "changes": changes})


async def healthz(_request: Request) -> Response:
    """Say that the process answers; no more than that."""
    return PlainTextResponse("ok\n")


def build() -> Starlette:
    """Give the application with the routes that its settings name."""
    config = fixed()
    return Starlette(
        routes=[
            Route(config["preview"] + "/{video}", preview),
            Route(config["analyze"] + "/{video}", analyze),
            Route("/healthz", healthz),
        ],
        lifespan=lifespan,
    )
