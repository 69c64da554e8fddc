"""Readings by name into the columns of the box: each quantity as whole numbers of its own step."""

from __future__ import annotations

import math
from collections.abc import Mapping

from weaklink.model.quantity import quantities
from weaklink.recorder.box import Box, Table, whole

MICRO, MILLI, CENTI = 1e-6, 1e-3, 1e-2
STEPS: dict[str, float] = {
    # What the kernel itself counts in: coarser than its unit, and then smaller on disk.
    **dict.fromkeys(
        (
            *("host_cpu_user_seconds_total", "host_cpu_nice_seconds_total"),
            *("host_cpu_system_seconds_total", "host_cpu_idle_seconds_total"),
            *("host_cpu_iowait_seconds_total", "host_cpu_irq_seconds_total"),
            *("host_cpu_steal_seconds_total", "host_load1", "process_cpu_seconds_total"),
            *("process_io_delay_seconds_total", "cgroup_cpu_quota"),
        ),
        CENTI,
    ),
    **dict.fromkeys(
        (
            *("disk_read_seconds_total", "disk_write_seconds_total"),
            *("disk_busy_seconds_total", "disk_queue_seconds_total"),
        ),
        MILLI,
    ),
    **dict.fromkeys(("disk_read_bytes_total", "disk_written_bytes_total"), 512.0),
    **dict.fromkeys(
        (
            *("host_memory_total_bytes", "host_memory_available_bytes"),
            *("host_memory_dirty_bytes", "host_swap_total_bytes", "host_swap_used_bytes"),
            "cgroup_memory_usage_bytes",
        ),
        1024.0,
    ),
}
_BY_UNIT = {"s": MICRO, "ratio": MICRO}


def step(name: str) -> float:
    """The step that a quantity is kept in: 1 for what is counted, a microsecond for time."""
    if name in STEPS:
        return STEPS[name]
    known = quantities().get(name)
    return _BY_UNIT.get(known.unit, 1.0) if known is not None else MICRO


class Sheets:
    """Tables by target, made as targets turn up; a target with other quantities is made anew."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._tables: dict[str, tuple[Table, list[tuple[str, float]]]] = {}

    def put(self, target: str, values: Mapping[str, float], group: str) -> None:
        """The readings of one target at this tick; what is missing now is kept as missing."""
        if not values:
            return
        held = self._tables.get(target)
        if held is None or len(values) > len(held[1]) or held[0].group != group:
            held = self._make(target, values, group)
        table, columns = held
        nothing = math.nan
        self.box.put(table, tuple([whole(values.get(name, nothing), per) for name, per in columns]))

    def end(self, target: str) -> None:
        """This target is gone."""
        held = self._tables.pop(target, None)
        if held is not None:
            self.box.end(held[0])

    def keep_only(self, targets: set[str], prefix: str) -> None:
        """End those with this prefix that are not among these."""
        for target in [t for t in self._tables if t.startswith(prefix) and t not in targets]:
            self.end(target)

    def _make(
        self, target: str, values: Mapping[str, float], group: str
    ) -> tuple[Table, list[tuple[str, float]]]:
        old = self._tables.get(target)
        names = [name for name, _ in old[1]] if old is not None else []
        names += [name for name in values if name not in names]
        self.end(target)
        columns = [(name, step(name)) for name in names]
        made = Table(target, group, columns), columns
        self._tables[target] = made
        return made
