"""What the proxy in front of a link needs to hold, eject or add: its files, its master's pid."""

from __future__ import annotations

import math
import re

from weaklink.contain.shell import Raw
from weaklink.model.case import Case
from weaklink.model.chain import Link
from weaklink.model.diagnosis import Pain
from weaklink.model.fact import Process, Upstream
from weaklink.model.message import Argument

LEAST_MISS = 0.05
"""A miss ratio below it is not trusted to make a limit larger."""
_ADDRESS = re.compile(r"[A-Za-z0-9.:\[\]_/-]{1,200}")
_ROUTE = re.compile(r"/[A-Za-z0-9/_.~{}-]{0,120}")
"""Routes come from a log that users write: anything else is not put into a command."""


def proxy_values(case: Case, link: Link, sick: list[Link]) -> dict[str, Argument]:
    """Values about the proxy whose upstream has this link as a member; empty without one."""
    group = [link, *case.chain.peers(link.key)]
    addresses = {address for member in group for address in member.listen}
    for upstream in case.upstreams:
        members = {member.address for member in upstream.members}
        if not members & addresses:
            continue
        master = _process(case, upstream.owner)
        if master is None or not upstream.file.startswith("/"):
            continue
        values: dict[str, Argument] = {
            "proxy": master.name,
            "proxy_pid": master.pid,
            "proxy_file": _on_host(master, upstream.file),
            "proxy_copy": _copy_of(upstream.file),
            "upstream": upstream.name,
            # A configuration that is wrong is refused by the master, which runs on as before.
            "reload": Raw(f"kill -HUP {master.pid}"),
        }
        return values | _member(upstream, sick, len(group))
    return {}


def entry_values(case: Case, link: Link) -> dict[str, Argument]:
    """Values about the proxy in which a route of this link's is held: the one nearest to users."""
    above = [
        one
        for one in case.chain.links
        if one.role == "proxy" and (one.key == link.key or link.key in case.chain.below(one.key))
    ]
    for front in sorted(above, key=lambda one: (not one.entry, one.key)):
        files = [(one.owner, one.file) for one in case.servers]
        files += [(one.owner, one.file) for one in case.upstreams]
        for owner, file in files:
            master = _process(case, owner)
            if owner in front.processes and master is not None and file.startswith("/"):
                return {
                    "entry_proxy": front.name,
                    "entry_file": _on_host(master, file),
                    "entry_copy": _copy_of(file),
                    "entry_reload": Raw(f"kill -HUP {master.pid}"),
                }
    return {}


def _copy_of(file: str) -> str:
    return f"/root/{file.strip('/').replace('/', '-')}.before-weaklink"


def _member(upstream: Upstream, sick: list[Link], all_of_them: int) -> dict[str, Argument]:
    """The one member to eject. Never the last healthy one, never where most are sick (P19)."""
    healthy = all_of_them - len(sick)
    configured = {member.address for member in upstream.members if not member.down}
    found = [address for link in sick for address in link.listen if address in configured]
    if not found or healthy < 1 or len(sick) * 2 > all_of_them:
        return {}
    address = found[0]
    if not _ADDRESS.fullmatch(address):
        return {}
    return {
        "ejectable": address,
        "ejectable_pattern": Raw(re.sub(r"([.\[\]])", r"\\\1", address)),
        "survivors": healthy,
    }


def _on_host(process: Process, file: str) -> str:
    """The file as this host sees it: through the process's root where that is another one."""
    return file if process.root in ("/", "") else f"/proc/{process.pid}/root{file}"


def _process(case: Case, key: str) -> Process | None:
    return next((process for process in case.processes if process.key == key), None)


def hold_values(case: Case, link: Link, pain: Pain, *, misses: bool = False) -> dict[str, Argument]:
    """`route` that hurts most and `dose`: how many of its requests may run at a time.

    The dose is what the origin can carry divided by the miss ratio (TRAPS "Containing"): the
    members' CPUs (their quota, else one each), over the share of requests that miss the cache
    where the cause is the cache's (`misses`): else every request is work.
    """
    group = [link, *case.chain.peers(link.key)]
    pids = {pid for member in group for pid in member.pids}
    quotas = [
        found.cpu_quota for found in case.cgroups if found.cpu_quota and pids & set(found.pids)
    ]
    carries = sum(quotas) if len(quotas) >= len(group) else float(len(group))
    miss = miss_ratio(case) if misses else None
    dose = max(1, math.floor(carries / max(LEAST_MISS, miss if miss is not None else 1.0)))
    values: dict[str, Argument] = {"dose": dose, "each": max(1, dose // len(group))}
    hurt = [part for part in pain.impact.slices if part.by == "route" and part.hurt]
    hurt.sort(key=lambda part: (-part.bad, part.name))
    for part in hurt:
        if _ROUTE.fullmatch(part.name):
            values["route"] = part.name
            values["location"] = part.name.partition("{")[0]
            break
    if "route" not in values and not hurt:
        values |= {"route": "/", "location": "/"}
    return values


def miss_ratio(case: Case) -> float | None:
    """Share of the cache's look-ups in the window that missed; None where nothing was counted."""
    grown = {"cache_hits_total": 0.0, "cache_misses_total": 0.0}
    for series in case.series:
        if series.quantity in grown and len(series.values) > 1:
            grown[series.quantity] += max(0.0, series.values[-1] - series.values[0])
    total = sum(grown.values())
    return grown["cache_misses_total"] / total if total >= 20 else None
