"""Control groups: CPU and memory each second, what seldom moves every ten."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.model.fact import Process
from weaklink.model.target import target_key
from weaklink.parse.cgroup import (
    NOTHING,
    UNIFIED,
    V1_CONTROLLERS,
    Hierarchy,
    Read,
    folder_of,
    hierarchies,
    merged,
    parse_v1,
    parse_v2,
)
from weaklink.parse.mountinfo import parse_mountinfo
from weaklink.probes.cgroup import MAX_GROUPS, ordered_groups
from weaklink.probes.process_table import Table
from weaklink.reach.kept_file import KeptFile, Room
from weaklink.reach.kernel_file import try_read
from weaklink.reach.root import Root
from weaklink.watch.sheets import Sheets

GROUP = "cgroup"
QUICK = {
    "cpu": ("cpu.stat",),
    "cpuacct": ("cpuacct.usage",),
    "memory": ("memory.usage_in_bytes",),
    UNIFIED: ("cpu.stat", "memory.current"),
}
"""Files that are read each second: small ones, which the kernel need not add up for us."""
SLOW_TICKS = 10


class _One:
    """One group: what its files said last, by hierarchy and name."""

    def __init__(self, key: str, folders: dict[str, str], room: Room) -> None:
        self.key = key
        self.folders = folders
        self.quick = {
            (place, name): KeptFile(f"{folder}/{name}", room, 4096)
            for place, folder in folders.items()
            for name in QUICK.get(place, ())
        }
        self.raw: dict[tuple[str, str], bytes] = {}

    def close(self) -> None:
        for kept in self.quick.values():
            kept.close()


class Groups:
    """Puts `cgroup_*` of the groups that matter most."""

    def __init__(self, sheets: Sheets, host: str, room: Room) -> None:
        self._sheets = sheets
        self._host = host
        self._room = room
        self._root = Root("/")
        self._places: dict[str, Hierarchy] = hierarchies(
            parse_mountinfo(try_read(self._root, "/proc/self/mountinfo", 1 << 20))
        )
        self._groups: dict[str, _One] = {}
        self._tick = -1

    def choose(self, processes: Iterable[Process], chain: set[int]) -> None:
        """Which groups are followed from now on: those of these processes and those above."""
        known = Table(by_pid={fact.pid: fact for fact in processes})
        wanted = list(ordered_groups(known, chain, set()).items())[:MAX_GROUPS]
        keys = set()
        for path, group in wanted:
            key = target_key("cgroup", path, host=self._host)
            keys.add(key)
            if key in self._groups:
                continue
            folders = {
                place: folder
                for place in (*V1_CONTROLLERS, UNIFIED)
                if place in self._places and place in group.controllers
                if (folder := folder_of(self._places[place], path)) is not None
            }
            self._groups[key] = _One(key, folders, self._room)
        for key in [key for key in self._groups if key not in keys]:
            self._groups.pop(key).close()
            self._sheets.end(key)

    def look(self) -> None:
        """One reading of each."""
        self._tick += 1
        for number, one in enumerate(self._groups.values()):
            changed = not one.raw
            for place, kept in one.quick.items():
                raw = kept.try_read()
                if raw != one.raw.get(place):
                    one.raw[place] = raw
                    changed = True
            if changed or (self._tick + number) % SLOW_TICKS == 0:
                self._sheets.put(one.key, self._values(one, number), GROUP)
        self._sheets.box.read(GROUP)

    def _values(self, one: _One, number: int) -> dict[str, float]:
        slow = (self._tick + number) % SLOW_TICKS == 0 or len(one.raw) <= len(one.quick)

        def reader(place: str) -> Read:
            def read(name: str) -> bytes:
                kept = one.raw.get((place, name))
                if kept is None or (slow and (place, name) not in one.quick):
                    kept = try_read(self._root, f"{one.folders[place]}/{name}")
                    one.raw[place, name] = kept
                return kept

            return read

        v1 = {place: reader(place) for place in V1_CONTROLLERS if place in one.folders}
        state = parse_v1(v1) if v1 else NOTHING
        if UNIFIED in one.folders:
            state = merged(state, parse_v2(reader(UNIFIED)))
        return state.values
