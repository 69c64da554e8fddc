"""What lies outside this host, and object stores wherever they are: who waits for them, how long.

Only callers' sockets and stacks tell; whoever answers outside is somebody else's machine.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.pileup import OLD_ENOUGH, inside
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import Evidence, evidence
from weaklink.model.fact import Connection
from weaklink.stats.robust import ramp
from weaklink.words import sign

AWAITED = sign(
    "external.answers-awaited",
    "kernel-counters",
    "Most requests inside a link wait for an answer from an address outside this host.",
    "{count} requests of {caller} wait for {address}, the oldest since {oldest:seconds}",
    hurts=True,
)
CALLED = sign(
    "external.is-called",
    "kernel-counters",
    "The link talks to an address outside this host.",
    "it talks to {address}",
)
STORE_AWAITED = sign(
    "store.answers-awaited",
    "kernel-counters",
    "Most requests inside a link wait for an answer from an object store.",
    "{count} requests of {caller} wait for {address}, the oldest since {oldest:seconds}",
    hurts=True,
)
IN_STORE_CLIENT = sign(
    "stack.waits-in-store-client",
    "process-stacks",
    "Working threads of the link sit in the client of an object store.",
    "{percent} % of its working threads sit in {what}",
)
STORE_CLIENTS = frozenset(
    ("botocore", "boto3", "s3transfer", "aiobotocore", "aioboto3", "s3fs", "minio", "gcsfs",
     "obstore", "oss2", "qcloud_cos", "miniopy_async")
)  # fmt: skip
"""Packages whose only work is to talk to an object store."""
SITS = (0.2, 0.6)
LEAST_THREADS = 4
WAITING = (1.0, 4.0)
"""Mean number of waiting requests: one may be a slow question, four are a queue."""
SHARE = (0.4, 0.8)
"""Of what the caller owes: less, and it waits for something else as well."""
RECENT = 60.0
"""Seconds since something was sent or received on a connection that is in use."""
SLACK = 5.0
"""Seconds before the onset from which on an open request belongs to the incident: what is older
is a stream, a blocking read or a web socket."""


@look("external")
def awaited(view: View) -> Iterable[Judged]:
    """For each address outside: how many requests of a caller wait for it."""
    for link in view.on_chain():
        if link.role in ("client", "external", "job"):
            continue
        outside = [one for one in view.chain.callees(link.key) if one.role == "external"]
        calls = _calls(view, link, outside)
        yield _called(view, link, calls)
        held = inside(view, link)
        in_client = _in_store_client(view, link)
        if in_client is not None:
            yield in_client
        stores = [one for one in view.chain.callees(link.key) if one.role == "store"]
        calls |= _calls(view, link, stores)
        for callee in [*outside, *stores]:
            rows = calls.get(callee.key)
            if not rows or not view.ticks:
                continue
            waiting = [row for row in rows if _waits(view, row)]
            mean = len(waiting) / len(view.ticks)
            owed = held.owed if held is not None else 0.0
            share = mean / owed if owed else 1.0
            ages = [row.awaited_age or 0.0 for row in waiting]
            through = in_client is not None and in_client.strength >= SITS[0]
            yield evidence(
                STORE_AWAITED if callee.role == "store" or through else AWAITED,
                callee.key,
                ramp(mean, *WAITING) * ramp(share, *SHARE),
                link=callee.key,
                value=round(mean, 2),
                command=f"ss -tinpH dst {callee.listen[0]}",
                count=round(mean, 1),
                caller=link.name,
                address=callee.listen[0],
                oldest=round(max(ages, default=0.0), 1),
            )


def _in_store_client(view: View, link: Link) -> Evidence | None:
    """How many of the threads that do the application's work sit in a store's client."""
    working, packages = 0, Counter[str]()
    for stack in view.stacks(link):
        for thread in stack.threads:
            origins = [frame.origin for frame in thread.frames]
            client = next((one for one in origins if one in STORE_CLIENTS), "")
            working += int(bool(client) or "app" in origins)
            packages[client] += int(bool(client))
    if working < LEAST_THREADS:
        return None
    return evidence(
        IN_STORE_CLIENT,
        link.processes[0],
        ramp(packages.total() / working, *SITS),
        link=link.key,
        value=round(packages.total() / working, 3),
        command=f"py-spy dump --nonblocking --pid {link.pids[0]}",
        percent=round(100 * packages.total() / working),
        what=packages.most_common(1)[0][0] if packages.total() else "-",
    )


def _calls(view: View, link: Link, outside: list[Link]) -> dict[str, list[Connection]]:
    """Connections of a link to each address outside, of every tick."""
    keys = {address: one.key for one in outside for address in one.listen}
    found: dict[str, list[Connection]] = defaultdict(list)
    for connection in view.connections(link):
        key = keys.get(connection.remote)
        if key is not None and connection.state == "established":
            found[key].append(connection)
    return found


def _waits(view: View, connection: Connection) -> bool:
    age = connection.awaited_age
    if age is None or age < OLD_ENOUGH:
        return False
    return view.onset is None or connection.at - age >= view.onset - SLACK


def _called(view: View, link: Link, calls: dict[str, list[Connection]]) -> Judged:
    used = sorted(_addresses(calls))
    return evidence(
        CALLED,
        link.processes[0] if link.processes else link.key,
        1.0 if used else 0.0,
        link=link.key,
        value=float(len(used)),
        command="ss -tnpH state established",
        address=used[0] if used else "-",
    )


def _addresses(calls: dict[str, list[Connection]]) -> Iterator[str]:
    for rows in calls.values():
        for row in rows:
            ages = [age for age in (row.sent_age, row.received_age) if age is not None]
            if not ages or min(ages) <= RECENT:
                yield row.remote
                break
