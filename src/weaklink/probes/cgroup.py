"""The control groups that processes live in: quota, throttling, memory, OOM kills, freezing."""

from __future__ import annotations

from dataclasses import dataclass, field

from weaklink.model.case import Case
from weaklink.model.fact import Cgroup, Process
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.series import Reading
from weaklink.model.take import Take
from weaklink.model.target import target_key
from weaklink.parse.cgroup import (
    NOTHING,
    UNIFIED,
    V1_CONTROLLERS,
    GroupState,
    Hierarchy,
    Read,
    folder_of,
    hierarchies,
    merged,
    parse_v1,
    parse_v2,
    with_ancestors,
)
from weaklink.parse.mountinfo import parse_mountinfo
from weaklink.probes.descriptors import owners
from weaklink.probes.process_table import Table, chain_pids, scanned_table
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.kernel_file import try_read
from weaklink.reach.memory import memory
from weaklink.reach.registry import probe
from weaklink.reach.root import Root
from weaklink.words import texts

texts(
    {
        "cgroup.none": "no control groups are mounted",
        "cgroup.too-many": "control groups beyond those that are read: {count}",
    }
)

MAX_GROUPS = 64
"""Read at one tick, about 0.15 ms each. Those of the chain come first, then those that serve."""
MAX_PIDS = 512


@dataclass
class Group:
    """One path: processes that are in it itself, and the hierarchies that know it."""

    pids: set[int] = field(default_factory=set)
    controllers: set[str] = field(default_factory=set)


@dataclass
class Past:
    """Facts as told last: a fact is told again only when it changed."""

    told: dict[str, Cgroup] = field(default_factory=dict)


@probe(
    "cgroup",
    subject="cgroup",
    phase="tick",
    about="control groups: CPU quota and throttling, memory and its limit, OOM kills, freezing",
)
def look_at_cgroups(reach: Reach, case: Case) -> Take:
    """Readings `cgroup_*` of the groups of all processes and of those above them; Cgroup facts.

    Reads versions 1, 2 and both at once. Raises NotHere where none is mounted.
    """
    root = reach.root
    places = hierarchies(parse_mountinfo(_mountinfo(root)))
    if not places:
        raise NotHere(say("cgroup.none"))
    known = scanned_table(root, case)
    groups = ordered_groups(known, chain_pids(case), set(owners(root).holders()))
    past = memory(root, "cgroup", Past)
    at = reach.now()
    readings: list[Reading] = []
    facts: dict[str, Cgroup] = {}
    for path, group in list(groups.items())[:MAX_GROUPS]:
        version, state = group_state(root, places, path, group.controllers)
        if version == 0:
            continue
        key = target_key("cgroup", path, host=case.host.name)
        readings += [
            Reading(quantity=name, target=key, at=at, value=value)
            for name, value in state.values.items()
        ]
        facts[key] = Cgroup(
            key=key,
            path=path,
            version=version,
            cpu_quota=state.cpu_quota,
            memory_limit=state.memory_limit,
            frozen=state.frozen,
            pids=sorted(group.pids)[:MAX_PIDS],
        )
    changed = [fact for key, fact in facts.items() if past.told.get(key) != fact]
    past.told = facts
    looks = []
    if len(groups) > MAX_GROUPS:
        reason = say("cgroup.too-many", count=len(groups) - MAX_GROUPS)
        looks.append(Look(name="cgroup", target="", outcome="timeout", at=at, reason=reason))
    return Take(cgroups=changed, readings=readings, looks=looks)


def ordered_groups(known: Table, chain: set[int], serving: set[int]) -> dict[str, Group]:
    """Groups by path with those above them, in the order in which they matter; no root group."""

    def rank(fact: Process) -> tuple[int, int]:
        near = 0 if fact.pid in chain else 1 if fact.pid in serving else 2
        stat = known.stats.get(fact.pid)
        return near, -(stat.cpu_ticks if stat else 0)

    groups: dict[str, Group] = {}
    processes = [fact for fact in known.by_pid.values() if not fact.kernel_thread]
    for fact in sorted(processes, key=rank):
        for controller in (*V1_CONTROLLERS, UNIFIED):
            own = fact.cgroup.get(controller, "/")
            for path in reversed(with_ancestors(own)):
                group = groups.setdefault(path, Group())
                group.controllers.add(controller)
                if path == own:
                    group.pids.add(fact.pid)
    return groups


def group_state(
    root: Root, places: dict[str, Hierarchy], path: str, controllers: set[str]
) -> tuple[int, GroupState]:
    """Version (0 where the group's files are not here) and state of one group.

    On a hybrid machine the v2 tree may hold the group for freezing alone.
    """

    def reader(controller: str) -> Read | None:
        folder = folder_of(places[controller], path)
        if folder is None:
            return None
        return lambda name: try_read(root, f"{folder}/{name}")

    v1 = {name: reader(name) for name in V1_CONTROLLERS if name in places and name in controllers}
    there = {name: read for name, read in v1.items() if read is not None}
    state = parse_v1(there) if there else NOTHING
    unified = reader(UNIFIED) if UNIFIED in places and UNIFIED in controllers else None
    if unified is not None:
        state = merged(state, parse_v2(unified))
    if state == NOTHING:
        return 0, state
    return (1 if there else 2), state


def _mountinfo(root: Root) -> bytes:
    for path in ("/proc/self/mountinfo", "/proc/1/mountinfo"):
        try:
            return root.read(path, 1 << 20)
        except OSError:
            continue
    return b""
