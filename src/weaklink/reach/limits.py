"""Puts a process of ours under limits, so that hostile input costs memory and time it may cost."""

from __future__ import annotations

import contextlib


def limit_self(memory_bytes: int, cpu_seconds: int) -> None:
    """Cap this process's address space and CPU time, and forbid core dumps and new files.

    What goes beyond ends this process alone: MemoryError or SIGXCPU. A limit that the system
    does not know, or that is lower already, is passed over.
    """
    import resource

    wanted = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
    }
    for kind, value in wanted.items():
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.getrlimit(kind)
            if hard == resource.RLIM_INFINITY or hard > value:
                resource.setrlimit(kind, (value, value))
