"""Another team's reports: ask the cache questions that take it long, again and again."""

import sys
import threading
import time

import redis

SPIN = "local n = 0 for i = 1, tonumber(ARGV[1]) do n = n + i % 7 end return n"


def fill(cache: "redis.Redis", kind: str, size: int) -> None:
    """Put the data there that the reports are about."""
    pipe = cache.pipeline(transaction=False)
    if kind == "keys":
        for number in range(size):
            pipe.set(f"session:{number:08d}", "1")
            if number % 20_000 == 19_999:
                pipe.execute()
    else:
        for begin in range(0, size, 5000):
            pipe.rpush(
                "history:events", *[f"{n * 7919 % size:08d}" for n in range(begin, begin + 5000)]
            )
    pipe.execute()


def ask(host: str, port: int, kind: str, size: int, pause: float) -> None:
    """Ask for ever, on a connection of its own."""
    cache = redis.Redis(host=host, port=port, socket_timeout=60)
    while True:
        if kind == "keys":
            cache.keys("session:*99*")
        elif kind == "sort":
            cache.sort("history:events", desc=True, start=0, num=10)
        elif kind == "lua":
            cache.eval(SPIN, 0, str(size))
        else:
            cache.lrange("history:events", 0, -1)
        time.sleep(pause)


def main(words: list[str]) -> None:
    """Run so many report threads: host, port, kind, size, threads, pause."""
    host, port, kind, size, threads, pause = words
    if kind != "lua":
        fill(redis.Redis(host=host, port=int(port)), kind, int(size))
    sys.stdout.write("ready\n")
    for _ in range(int(threads)):
        threading.Thread(
            target=ask, args=(host, int(port), kind, int(size), float(pause)), daemon=True
        ).start()
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
