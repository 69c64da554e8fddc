"""Which links users meet first: asked for by URL, or told by what is called and what logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from weaklink.model.case import Case
from weaklink.model.chain import Chain, Link

NOT_ENTRIES = frozenset({"cache", "db", "store", "external", "client", "job"})

CROWD = 4
"""Connections at once: a scraper and its spare make two, a health check one."""


def entries(case: Case, chain: Chain) -> list[str]:
    """Keys of the entry links.

    With `--entry URL`, who listens at its port. Otherwise links that no other serving link calls,
    that could be an entry by role, and that carry requests: they log them, hold incoming
    connections or call others. Proxies win over applications, save over one that a crowd of its own
    comes to: a second service of the same host.
    """
    given = _by_url(case, chain)
    if given:
        return given
    serving = {link.key for link in chain.links if link.listen and link.role not in NOT_ENTRIES}
    called = {hop.dest for hop in chain.hops if hop.source in serving}
    calling = {hop.source for hop in chain.hops}
    busy = _with_traffic(case, chain)
    open_ = [
        link
        for link in chain.links
        if link.key in serving
        and link.key not in called
        and (link.key in calling or link.key in busy)
    ]
    proxies = [link for link in open_ if link.role == "proxy"]
    if proxies:
        logging = [link for link in proxies if link.key in busy]
        second = [link for link in open_ if link.role != "proxy" and _crowded(case, link)]
        return [link.key for link in [*(logging or proxies), *second]]
    leading = [link for link in open_ if link.key in calling]
    return [link.key for link in leading or open_]


def _by_url(case: Case, chain: Chain) -> list[str]:
    if not case.entry:
        return []
    parts = urlsplit(case.entry)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = [link for link in chain.links if _listens(link, parts.hostname or "", port)]
    exact = [
        link
        for link in found
        if any(address.rpartition(":")[0].strip("[]") == parts.hostname for address in link.listen)
    ]
    return [link.key for link in exact or found]


def _listens(link: Link, host: str, port: int) -> bool:
    return any(address.rpartition(":")[2] == str(port) for address in link.listen)


def _with_traffic(case: Case, chain: Chain) -> set[str]:
    """Links whose log has requests, or that hold a connection somebody else opened."""
    writers = log_writers(case, chain.links)
    found = {writers[rows.source] for rows in case.requests if len(rows) and rows.source in writers}
    ports = {
        (link.netns, address.rpartition(":")[2]): link.key
        for link in chain.links
        for address in link.listen
    }
    for connection in case.connections:
        if connection.state == "established":
            port = connection.local.rpartition(":")[2]
            key = ports.get((connection.netns, port))
            if key is not None:
                found.add(key)
    return found


def _crowded(case: Case, link: Link) -> bool:
    """Whether as many connections as users make, not a monitor alone, are open to it at once."""
    pids = set(link.pids)
    at = Counter(
        connection.at
        for connection in case.connections
        if connection.pid in pids
        and connection.state == "established"
        and link.serves(connection.local)
    )
    return max(at.values(), default=0) >= CROWD


def log_writers(case: Case, links: Sequence[Link]) -> dict[str, str]:
    """Key of the link that writes it, by `source` of the Requests read from an access log.

    A log is known by its key: two processes in roots of their own may have one path.
    """
    owners = {key: link.key for link in links for key in link.processes}
    logs = [log for log in case.logs if log.kind == "access" and log.owner in owners]
    found: dict[str, str] = {}
    for rows in case.requests:
        for log in logs:
            if rows.source == log.key or (not log.key and rows.source.endswith(log.path)):
                found.setdefault(rows.source, owners[log.owner])
    return found
