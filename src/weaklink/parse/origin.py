"""Tells which package a source file belongs to: guilt is told by a frame's origin, not its name."""

from __future__ import annotations

from functools import lru_cache

STDLIB = "stdlib"
APP = "app"
_INSTALLED = ("/site-packages/", "/dist-packages/")
_LIBRARY = ("/lib/python", "/lib64/python", "\\lib\\python")


@lru_cache(maxsize=8192)
def origin_of(path: str) -> str:
    """`stdlib`, the name of an installed package (`av`, `redis`), or `app` for anything else."""
    for folder in _INSTALLED:
        at = path.rfind(folder)
        if at >= 0:
            first = path[at + len(folder) :].partition("/")[0]
            return first.removesuffix(".py").partition(".")[0][:64] or APP
    if path.startswith("<frozen "):
        return STDLIB
    if any(folder in path for folder in _LIBRARY):
        return STDLIB
    if path.endswith((".pyx", ".pxd")) and not path.startswith("/"):
        # Cython keeps the path inside its package: `av/container/input.pyx`.
        return path.partition("/")[0][:64]
    return APP
