"""The chain without configuration: process groups that serve listeners, and who calls whom.

A link is the group of processes that holds one set of listening sockets, with their descendants
that hold none of another link. Processes that only call are links of role `client` or `job`. Hops
come from pairs of sockets, from a proxy's configuration, and from addresses in its log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec import structs

from weaklink.locate.entry import entries
from weaklink.locate.hops import Callee, find_hops
from weaklink.locate.roles import name_of, program_of, role_of
from weaklink.model.case import Case
from weaklink.model.chain import Chain, Hop, Link
from weaklink.model.fact import Process
from weaklink.model.target import target_key

OURSELVES = ("weaklink", "py-spy")
"""Our own processes are never part of a user's chain."""


def discover(case: Case) -> Chain:
    """Links and hops of a Case; entries are marked, and what no request reaches is off chain."""
    processes = {process.pid: process for process in case.processes}
    links = _distinct(_serving(case, processes) + _calling(case, processes))
    hops = find_hops(case, links)
    links = links + _external(case, hops)
    links = _grouped(links, hops)
    return _marked(case, links, [hop for hop, _ in hops])


def _serving(case: Case, processes: dict[int, Process]) -> list[Link]:
    """One link for every group of processes that shares listeners."""
    parent: dict[int, int] = {}

    def find(pid: int) -> int:
        while parent[pid] != pid:
            parent[pid] = parent[parent[pid]]
            pid = parent[pid]
        return pid

    held: dict[int, list[str]] = defaultdict(list)
    for listener in case.listeners:
        pids = [pid for pid in listener.pids if pid in processes]
        for pid in pids:
            parent.setdefault(pid, pid)
        for pid in pids[1:]:
            parent[find(pid)] = find(pids[0])
        if pids:
            held[pids[0]].append(listener.address)
    groups: dict[int, set[int]] = defaultdict(set)
    for pid in parent:
        groups[find(pid)].add(pid)
    owners = set(parent)
    children: dict[int, list[int]] = defaultdict(list)
    for process in processes.values():
        children[process.ppid].append(process.pid)
    links = []
    for group in groups.values():
        whole = group | _descendants(group, children, owners, processes)
        addresses = sorted({a for pid in group for a in held.get(pid, [])}, key=_address_order)
        if not _is_ours(whole, processes) and addresses:
            links.append(_link(case, whole, addresses, processes))
    return sorted(links, key=lambda link: link.key)


def _distinct(links: list[Link]) -> list[Link]:
    """The same links with keys that differ: a second one of a name gets its first pid."""
    seen: set[str] = set()
    out = []
    for link in links:
        key = f"{link.key}@{link.pids[0]}" if link.key in seen and link.pids else link.key
        seen.add(key)
        out.append(structs.replace(link, key=key))
    return out


def _address_order(address: str) -> tuple[bool, str]:
    return (address.startswith("unix:"), address)


def _descendants(
    pids: set[int],
    children: dict[int, list[int]],
    owners: set[int],
    processes: dict[int, Process],
) -> set[int]:
    """Helpers of a group: children that own no listener and stayed in their parent's session."""
    found: set[int] = set()
    todo = list(pids)
    while todo:
        parent = todo.pop()
        for pid in children[parent]:
            alone = processes[pid].session != processes[parent].session
            if pid not in owners and pid not in found and not alone:
                found.add(pid)
                todo.append(pid)
    return found


def _is_ours(pids: Iterable[int], processes: dict[int, Process]) -> bool:
    for pid in pids:
        command = processes[pid].command
        names = [part.rpartition("/")[2] for part in command[:2]]
        if any(name in OURSELVES for name in names):
            return True
    return False


def _link(case: Case, pids: set[int], addresses: list[str], processes: dict[int, Process]) -> Link:
    ordered = sorted(pids, key=lambda pid: (processes[pid].start, pid))
    first = processes[ordered[0]]
    members = [processes[pid] for pid in ordered]
    program = program_of(members)
    port = addresses[0].rpartition(":")[2] if addresses else str(first.pid)
    name = name_of(program) or first.name
    label = f"{name}:{port}" if addresses else f"{name}@{first.pid}"
    return Link(
        key=target_key("link", label, host=case.host.name, netns=first.netns),
        name=name,
        role=role_of(members, addresses),
        pids=ordered,
        processes=[process.key for process in members],
        listen=addresses,
        netns=first.netns,
        program=program,
    )


def _calling(case: Case, processes: dict[int, Process]) -> list[Link]:
    """Processes that hold connections to a listener here, but serve none: clients and jobs."""
    serving = {pid for listener in case.listeners for pid in listener.pids}
    served = {listener.address for listener in case.listeners}
    ports = {address.rpartition(":")[2] for address in served}
    children: dict[int, list[int]] = defaultdict(list)
    for process in processes.values():
        children[process.ppid].append(process.pid)
    below = _descendants(serving & set(processes), children, serving, processes)
    callers: set[int] = set()
    for connection in case.connections:
        pid = connection.pid
        if pid in processes and pid not in serving and pid not in below:
            remote_port = connection.remote.rpartition(":")[2]
            if connection.remote in served or remote_port in ports:
                callers.add(pid)
    links = []
    for pid in sorted(callers):
        if processes[pid].ppid in callers or _is_ours([pid], processes):
            continue
        whole = {pid} | _descendants({pid}, children, serving, processes)
        link = _link(case, whole, [], processes)
        links.append(link)
    return links


def _external(case: Case, hops: list[tuple[Hop, Callee]]) -> list[Link]:
    """Links of addresses that are called but not served on this machine."""
    found: dict[str, Link] = {}
    for hop, callee in hops:
        if callee.address and hop.dest not in found and callee.external:
            found[hop.dest] = Link(
                key=hop.dest,
                name=callee.address,
                role="external",
                listen=[callee.address],
                program="",
            )
    return [found[key] for key in sorted(found)]


def _grouped(links: list[Link], hops: list[tuple[Hop, Callee]]) -> list[Link]:
    """Members of one service share callers and program: they can be held against each other."""
    callers: dict[str, set[str]] = defaultdict(set)
    for hop, _ in hops:
        callers[hop.dest].add(hop.source)
    families: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for link in links:
        if link.listen and link.role not in ("external", "client", "job"):
            families[(link.role, link.program)].append(link)
    groups: dict[str, str] = {}
    for (role, program), members in families.items():
        for member in members:
            peers = [
                other
                for other in members
                if other.key == member.key or callers[other.key] & callers[member.key]
            ]
            if len(peers) > 1:
                groups[member.key] = f"{role}/{program}/{min(peer.key for peer in peers)}"
    return [
        structs.replace(link, group=groups[link.key]) if link.key in groups else link
        for link in links
    ]


def _marked(case: Case, links: list[Link], hops: list[Hop]) -> Chain:
    """Entries, and what requests from them can reach."""
    chain = Chain(links=links, hops=hops)
    found = set(entries(case, chain))
    reached = set(found)
    for key in found:
        reached |= chain.below(key)
    marked = [
        structs.replace(link, entry=link.key in found, on_chain=link.key in reached)
        for link in links
    ]
    return Chain(links=marked, hops=hops)
