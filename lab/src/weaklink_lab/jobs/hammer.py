"""A program that reads one key again and again over many connections, answers unread or not."""

import asyncio
import sys

import redis


async def read(host: str, port: int, command: bytes, ahead: int) -> None:
    """Ask so many times ahead, read what comes, ask again."""
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 22)
    size = 0
    while True:
        writer.write(command * ahead)
        await writer.drain()
        if not size:
            head = await reader.readuntil(b"\r\n")
            size = len(head) + int(head[1:]) + 2
            await reader.readexactly(size - len(head) + size * (ahead - 1))
        else:
            await reader.readexactly(size * ahead)


async def main(host: str, port: int, key: str, connections: int, ahead: int) -> None:
    """Keep so many connections busy with one key."""
    command = f"*2\r\n$3\r\nGET\r\n${len(key)}\r\n{key}\r\n".encode()
    await asyncio.gather(*(read(host, port, command, ahead) for _ in range(connections)))


if __name__ == "__main__":
    host, port, key, kilobytes, connections, ahead = sys.argv[1:]
    redis.Redis(host=host, port=int(port)).set(key, b"\0" * (int(kilobytes) << 10))
    asyncio.run(main(host, int(port), key, int(connections), int(ahead)))
