"""Figures of GPUs as a person reads them; a figure that is not known is said to be so."""

from __future__ import annotations

from weaklink.model.fact_gpu import GpuProcess

MIB = 1024.0**2


def mib(size: float | None) -> str:
    """`10140 MiB`."""
    return "size not known" if size is None else f"{size / MIB:.0f} MiB"


def of_total(used: float | None, total: float | None) -> str:
    """`9184 of 10240 MiB (90 %)`."""
    if used is None:
        return "not known"
    if not total:
        return mib(used)
    return f"{used / MIB:.0f} of {total / MIB:.0f} MiB ({100 * used / total:.0f} %)"


def percent_words(share: float | None) -> str:
    """`65 % busy`."""
    return "use not known" if share is None else f"{share * 100:.0f} % busy"


def process_words(processes: list[GpuProcess], most: int = 5) -> str:
    """Programs by the memory that they hold, the largest first."""
    ranked = sorted(processes, key=lambda process: -(process.memory or 0))
    shown = [
        f"{process.name.rpartition('/')[2] or 'pid'} (pid {process.pid}) {mib(process.memory)}"
        for process in ranked[:most]
    ]
    more = len(ranked) - most
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
