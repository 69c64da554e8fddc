"""Write down what users had, in one of the ways that operators can choose while it runs."""

import asyncio
import http.client
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import redis

log = logging.getLogger("uvicorn.error")
THREADS = 24


class Usage:
    """Notes each request, as the settings say: by a call, through a pool, under locks, in a log."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="usage")
        self._pool: redis.BlockingConnectionPool | None = None
        self._videos = threading.Lock()
        self._users = threading.Lock()

    async def note(self, video: str, way: dict[str, Any]) -> None:
        """Note that somebody had this video."""
        match way.get("way"):
            case "call":
                await _call(way["host"], way["port"], video)
            case "inline":
                _call_and_wait(way["host"], way["port"], video)
            case "pool":
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._threads, self._count, video, way)
            case "log":
                for number in range(way["lines"]):
                    log.info("usage of %s: unit %d of %d accounted", video, number, way["lines"])

    def keeping(self, work: Callable[[], Any], way: dict[str, Any], *, videos: bool) -> Any:
        """Do a piece of work while the books are held, where settings ask for that."""
        if way.get("way") != "locks":
            return work()
        first, second = (self._videos, self._users) if videos else (self._users, self._videos)
        with first:
            time.sleep(way["pause"])
            with second:
                return work()

    def _count(self, video: str, way: dict[str, Any]) -> None:
        if self._pool is None:
            self._pool = redis.BlockingConnectionPool(
                host=self._config["cache_host"],
                port=self._config["cache_port"],
                max_connections=way["connections"],
                timeout=30,
            )
        books = redis.Redis(connection_pool=self._pool)
        with books.pipeline() as pipe:
            # The connection is held until the books are closed: that is what empties the pool.
            pipe.watch("usage")
            time.sleep(way["hold"])
            pipe.multi()
            pipe.incr("usage")
            pipe.execute()
        log.debug("%s noted", video)


async def _call(host: str, port: int, video: str) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET /{video} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    await reader.read()
    writer.close()


def _call_and_wait(host: str, port: int, video: str) -> None:
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("GET", f"/{video}")
    connection.getresponse().read()
    connection.close()
