"""Pages that stay open on a stream of events and read it slowly."""

import asyncio
import sys


async def view(host: str, port: int, path: str) -> None:
    """Read one stream, a little at a time, and open it again when it ends."""
    while True:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        while await reader.read(16):
            await asyncio.sleep(0.3)
        writer.close()


async def main(host: str, port: int, path: str, viewers: int) -> None:
    """Keep so many streams open."""
    await asyncio.gather(*(view(host, port, path) for _ in range(viewers)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
