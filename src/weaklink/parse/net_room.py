"""Reads the kernel's small files on what a network namespace has room for."""

from __future__ import annotations


def parse_port_range(raw: bytes) -> tuple[int, int] | None:
    """`32768\\t60999`: the lowest and the highest local port; None for anything else."""
    words = raw.split()
    if len(words) != 2 or not all(word.isdigit() and len(word) <= 5 for word in words):
        return None
    low, high = int(words[0]), int(words[1])
    return (low, high) if 0 < low <= high <= 65_535 else None


def parse_count(raw: bytes) -> int | None:
    """One number."""
    word = raw.strip()
    return int(word) if word.isdigit() and len(word) < 20 else None


def parse_conntrack_stat(raw: bytes) -> int | None:
    """Packets dropped for want of room (`drop` and `early_drop`), over all CPUs.

    /proc/net/stat/nf_conntrack: a line of names, then one of hexadecimal numbers for each CPU.
    """
    lines = raw.split(b"\n")
    names = lines[0].split()
    wanted = [n for n, name in enumerate(names) if name in (b"drop", b"early_drop")]
    rows = [line.split() for line in lines[1:] if line.strip()]
    if not wanted or not rows:
        return None
    try:
        return sum(int(row[n], 16) for row in rows for n in wanted if n < len(row))
    except ValueError:
        return None
