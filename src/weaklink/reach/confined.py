"""Reads strangers' files in a child of its own, with caps on memory, CPU time and waiting.

The child only recognises and parses (`parse.recognize`); what it returns is decoded strictly and
judged here. A child that dies takes its answer with it, never ours.
"""

from __future__ import annotations

import sys
from typing import IO

import msgspec

from weaklink.model.text_reading import TextReading

MEMORY_BYTES = 1536 << 20
"""A 50 MB log needs about 500 MB as lines and facts; a bomb stops here."""
CPU_SECONDS = 60
WAIT_SECONDS = 90.0
MAX_ANSWER = 256 << 20

_BOOT = (
    "import json,sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from weaklink.reach.confined import child; sys.exit(child(sys.argv[2:]))"
)


def read_confined(
    paths: list[str],
    stdin: IO[bytes] | None = None,
    *,
    memory_bytes: int = MEMORY_BYTES,
    cpu_seconds: int = CPU_SECONDS,
    wait_seconds: float = WAIT_SECONDS,
) -> list[TextReading]:
    """One TextReading for each text under the paths (`-` is `stdin`).

    Never raises for what is in the files: a text that could not be read has `failed` set, and so
    has the only reading of all when the child was stopped by its limits.
    """
    import json
    import subprocess

    python = sys.executable
    argv = [python, "-I", "-c", _BOOT, json.dumps(sys.path)]
    argv += [str(memory_bytes), str(cpu_seconds), *paths]
    try:
        done = subprocess.run(
            argv,
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=wait_seconds,
            check=False,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
    except subprocess.TimeoutExpired:
        return [_failed(paths, f"no answer within {wait_seconds:.0f} s")]
    except OSError as error:
        return [_failed(paths, error.strerror or str(error))]
    if done.returncode != 0 or len(done.stdout) > MAX_ANSWER:
        return [_failed(paths, "too large or too odd: stopped at its limit of memory or time")]
    try:
        return msgspec.msgpack.decode(done.stdout, type=list[TextReading])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        return [_failed(paths, f"the answer of the child is broken: {error}")]


def child(argv: list[str]) -> int:
    """The child's part: limits first, then read, then the answer on standard output."""
    import gc

    from weaklink.parse.recognize import read_text
    from weaklink.reach.bundle import open_paths
    from weaklink.reach.limits import limit_self

    limit_self(int(argv[0]), int(argv[1]))
    # Millions of lines make no cycles; looking for some took a sixth of the time.
    gc.disable()
    several = len(argv) > 3
    readings = []
    try:
        for piece in open_paths(argv[2:], sys.stdin.buffer):
            if piece.failed:
                readings.append(TextReading(source=piece.name, failed=piece.failed))
                continue
            reading = read_text(piece.data, piece.name if several or ":" in piece.name else "")
            readings.append(msgspec.structs.replace(reading, source=piece.name, cut=piece.cut))
        sys.stdout.buffer.write(msgspec.msgpack.encode(readings))
        sys.stdout.buffer.flush()
    except MemoryError:
        return 3
    return 0


def _failed(paths: list[str], why: str) -> TextReading:
    return TextReading(source=", ".join(paths)[:200], failed=why)
