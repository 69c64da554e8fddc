"""A made-up mixed log of any size: seven formats whose lines come in turns, ids and all."""

from __future__ import annotations

import random
from collections.abc import Iterator


def mixed_log(size: int, seed: int = 7) -> bytes:
    """About `size` bytes: nginx, uvicorn, vLLM, JSON, kernel, Python and syslog lines."""
    rng = random.Random(seed)
    rows = _rows(rng)
    parts: list[str] = []
    length = 0
    while length < size:
        line = next(rows)
        parts.append(line)
        length += len(line)
    return "".join(parts).encode()


def _rows(rng: random.Random) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        clock = f"{number // 3600000 % 24:02d}:{number // 60000 % 60:02d}:{number // 1000 % 60:02d}"
        kind = rng.random()
        if kind < 0.5:
            status = rng.choice([200] * 40 + [502, 504])
            yield (
                f"10.1.{rng.randrange(9)}.{rng.randrange(255)} - - [30/Nov/2026:{clock} +0000] "
                f'"GET /v1/preview/{rng.getrandbits(40):x} HTTP/1.1" {status} '
                f'{rng.randrange(99999)} "-" "okhttp/4.9" {rng.random():.3f}\n'
            )
        elif kind < 0.65:
            yield (
                f"INFO:     10.2.0.{rng.randrange(255)}:{rng.randrange(65000)} - "
                '"POST /v1/chat/completions HTTP/1.1" 200 OK\n'
            )
        elif kind < 0.75:
            yield (
                f"INFO 11-30 {clock} metrics.py:455] Avg prompt throughput: "
                f"{rng.random() * 900:.1f} tokens/s, Avg generation throughput: "
                f"{rng.random() * 300:.1f} tokens/s, Running: {rng.randrange(40)} reqs, "
                f"Swapped: 0 reqs, Pending: {rng.randrange(9)} reqs, GPU KV cache usage: "
                f"{rng.random() * 90:.1f}%, CPU KV cache usage: 0.0%.\n"
            )
        elif kind < 0.85:
            yield (
                f'{{"time":"2026-11-30 {clock}","level":"info","msg":"job done",'
                f'"job":"{rng.getrandbits(64):x}","took_ms":{rng.randrange(9000)}}}\n'
            )
        elif kind < 0.9:
            yield f"[{number / 100:12.6f}] eth0: something usual {rng.getrandbits(32):x}\n"
        elif kind < 0.95:
            yield (
                f"2026-11-30 {clock},{rng.randrange(999):03d} WARNING worker.py:"
                f"{rng.randrange(400)} frame {rng.randrange(99999)} took {rng.random():.3f}s\n"
            )
        else:
            yield (
                f"Nov 30 {clock} box app[{rng.randrange(9999)}]: cache miss for session "
                f"{rng.getrandbits(64):x}, {rng.randrange(99)} left\n"
            )
