"""A small HTTP service of another team that takes its time for each answer."""

import asyncio
import sys
from functools import partial


async def serve(seconds: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request, late."""
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(seconds)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n")
    await writer.drain()
    writer.close()


async def main(host: str, port: int, seconds: float) -> None:
    """Serve for ever."""
    server = await asyncio.start_server(partial(serve, seconds), host, port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
