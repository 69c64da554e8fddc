"""The consumer: takes jobs from the queue, looks at the video, puts the result in the store."""

import asyncio
import json
import sys
import time
from functools import partial

import redis.asyncio as redis

from weaklink_lab.service import render
from weaklink_lab.service.settings import fixed
from weaklink_lab.service.upstream import Upstream


async def work() -> None:
    """Take one job after the other, for ever."""
    config = fixed()
    cache = redis.Redis(host=config["cache_host"], port=config["cache_port"])
    where = [(host, port) for host, port in config["store"]]
    store = Upstream(where) if where else None
    sys.stdout.write("waiting for jobs\n")
    while True:
        taken = await cache.brpop([config["queue"]], timeout=5)
        if taken is None:
            continue
        number = int(taken[1])
        key = f"{config['queue']}:{number}"
        await cache.hset(key, mapping={"state": "running", "progress": 0})
        look = partial(render.scenes, config["materials"]["sd"], config["frames"], 1)
        changes = await asyncio.get_running_loop().run_in_executor(None, look)
        if store is not None:
            body = json.dumps(changes).encode()
            await store.ask("PUT", f"/{config['bucket']}/result-{number % 512}", key, body)
        await cache.hset(key, mapping={"state": "done", "progress": 100, "done": time.time()})
        sys.stdout.write(f"job {number} done, {len(changes)} scenes\n")


if __name__ == "__main__":
    asyncio.run(work())
