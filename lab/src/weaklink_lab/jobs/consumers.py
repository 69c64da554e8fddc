"""Consumers that wait for work in the cache with blocking reads, as job queues do."""

import asyncio
import sys

import redis.asyncio as redis


async def consume(host: str, port: int, queue: str) -> None:
    """Wait for items of one queue for ever."""
    cache = redis.Redis(host=host, port=port)
    while True:
        await cache.blpop([queue], timeout=30)


async def main(host: str, port: int, consumers: int) -> None:
    """Keep so many blocking reads open."""
    await asyncio.gather(*(consume(host, port, f"queue:{n}") for n in range(consumers)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
