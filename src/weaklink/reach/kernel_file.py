"""The cheap way to read the kernel's own small files, some hundred times a tick."""

from __future__ import annotations

import os

from weaklink.reach.root import Root

SMALL = 64 << 10


def kernel_read(root: Root, path: str, limit: int = SMALL) -> bytes:
    """At most `limit` bytes of a file below /proc or /sys; raises OSError.

    On a live machine one open, one read and one close: files there are neither FIFOs nor links
    that somebody planted, so the checks of `Root.read` would only cost. A read may come short
    for a file of many pages (tables of sockets, maps): ask `Root.read` for those.
    """
    if root.frozen:
        return root.read(path, limit)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, limit)
    finally:
        os.close(descriptor)


def try_read(root: Root, path: str, limit: int = SMALL) -> bytes:
    """The same, or nothing where it is gone, not ours to read, or not here."""
    try:
        return kernel_read(root, path, limit)
    except OSError:
        return b""
