"""A JVM's thread dump: deadlocks, lock convoys, threads that wait for a pool or a remote answer.

Threads that wait for work are idle, however many they are. A dump is one moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, known
from weaklink.locate.view import View
from weaklink.model.fact_text_jvm import JavaDeadlock, JavaThread
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.jvm.deadlock": "deadlock: {cycle} wait for each other for ever[; {victims} only "
        "wait behind them]: nothing but a restart ends it",
        "finding.jvm.convoy": "{count} threads are blocked on one lock, {lock} ({class})"
        "[; it is held by {holder}][, which is in {frame}]: they run one after another",
        "finding.jvm.blocked": "{count} threads are blocked on locks, most ({most}) on {lock} "
        "({class})",
        "finding.jvm.pool": "{count} threads wait for a free connection of a pool ({frame}): it "
        "is too small, or its connections are held too long",
        "finding.jvm.remote": "{count} threads wait for the answer of another service at the same "
        "place ({frame})",
        "finding.jvm.fine": "{count} threads: {running} runnable, {waiting} waiting for work or "
        "signals, none blocked on a lock",
    }
)
CONVOY, CONVOY_SHARE = 5, 0.3
"""Threads on one lock: five are more than chance; of a small pool, a third."""
POOLED = 5
REMOTE = 10
POOL_FRAMES = ("HikariPool.getConnection", "GenericObjectPool.borrowObject", "DruidDataSource.take",
               "DruidDataSource.pollLast", "BasicResourcePool.awaitAvailable",
               "AbstractConnPool.getPoolEntryBlocking", "ConnectionPool.borrowConnection",
               "JedisPool.getResource")  # fmt: skip
READING = ("SocketInputStream.socketRead0", "sun.nio.ch.Net.poll", "SocketDispatcher.read0",
           "NioSocketImpl.park")  # fmt: skip
IDLE_READS = ("RMI", "JMX", "AJP", "http-", "qtp")
"""Servers' own threads read from their clients: that is waiting for work."""


@look("jvm")
def jvm_stack(view: View) -> Iterable[Judged]:
    """Deadlocks first; then convoys, pools, remote reads."""
    said = Said(view, "jvm", "process")
    threads = [fact for fact in view.case.software if isinstance(fact, JavaThread)]
    deadlocks = [fact for fact in view.case.software if isinstance(fact, JavaDeadlock)]
    for deadlock in deadlocks:
        yield _deadlock(said, deadlock)
    found = [*_blocked(said, threads), *_pools(said, threads), *_remote(said, threads)]
    yield from found
    if threads and not found and not deadlocks:
        states = Counter(thread.state for thread in threads)
        yield said.finding(
            "healthy", "finding.jvm.fine", "jvm", threads[0].line, sure=0.7,
            cause="deadlock",
            count=len(threads), running=states["RUNNABLE"],
            waiting=states["WAITING"] + states["TIMED_WAITING"],
        )  # fmt: skip


def _deadlock(said: Said, fact: JavaDeadlock) -> Finding:
    waits = dict(fact.waits)
    cycle = _cycle(waits)
    members = cycle or list(waits)
    victims = [name for name in waits if name not in members]
    lines = [
        line for (name, _), line in zip(fact.waits, fact.lines, strict=False) if name in members
    ]
    return said.finding(
        "critical",
        "finding.jvm.deadlock",
        "jvm",
        *lines,
        cause="deadlock",
        sure=0.97,
        next="restart that member; both lock orders are in the stacks below the deadlock",
        cycle=" <-> ".join(members[:6]),
        more=known(victims=", ".join(victims[:6])),
    )


def _cycle(waits: dict[str, str]) -> list[str]:
    """The threads that wait in a ring; others only wait behind it."""
    for start in waits:
        path: list[str] = []
        name = start
        while name in waits and name not in path:
            path.append(name)
            name = waits[name]
        if name in path:
            return path[path.index(name) :]
    return []


def _blocked(said: Said, threads: list[JavaThread]) -> Iterator[Finding]:
    by_lock: dict[str, list[JavaThread]] = {}
    for thread in threads:
        if thread.blocked and thread.waits_for:
            by_lock.setdefault(thread.waits_for, []).append(thread)
    if not by_lock:
        return
    lock = max(by_lock, key=lambda name: (len(by_lock[name]), name))
    waiting = by_lock[lock]
    everyone = sum(map(len, by_lock.values()))
    name = waiting[0].waits_for_class or "?"
    holder = next((thread for thread in threads if lock in thread.holds), None)
    if len(waiting) < CONVOY and not (
        len(waiting) > 2 and len(waiting) >= CONVOY_SHARE * len(threads)
    ):
        yield said.finding(
            "warn", "finding.jvm.blocked", "jvm", waiting[0].wait_line, sure=0.6,
            next="a second dump: are they the same threads", count=everyone, most=len(waiting),
            lock=lock, more={"class": name},
        )  # fmt: skip
        return
    more = known(
        holder=f'"{holder.name}"' if holder else "",
        frame=holder.frames[0] if holder and holder.frames else "",
    )
    yield said.finding(
        "critical",
        "finding.jvm.convoy",
        "jvm",
        waiting[0].wait_line,
        holder.line if holder else "",
        cause="thread-pool-exhausted",
        sure=0.75,
        next="the holder's stack; a second dump: does it move",
        count=len(waiting),
        lock=lock,
        more={"class": name, **more},
    )


def _pools(said: Said, threads: list[JavaThread]) -> Iterator[Finding]:
    waiting = [
        (thread, frame)
        for thread in threads
        for frame in thread.frames
        if thread.state != "RUNNABLE" and any(name in frame for name in POOL_FRAMES)
    ]
    if len({thread.name for thread, _ in waiting}) >= POOLED:
        thread, frame = waiting[0]
        yield said.finding(
            "critical", "finding.jvm.pool", "jvm", thread.line, cause="connection-pool-exhausted",
            sure=0.85, next="who holds the connections: threads below that pool's users; its size",
            count=len({one.name for one, _ in waiting}), frame=frame,
        )  # fmt: skip


def _remote(said: Said, threads: list[JavaThread]) -> Iterator[Finding]:
    """Worker threads that read at the same place of the application."""
    places: dict[str, list[JavaThread]] = {}
    for thread in threads:
        if thread.frames and any(name in thread.frames[0] for name in READING):
            own = [frame for frame in thread.frames if not _platform(frame)]
            if own and not thread.name.startswith(IDLE_READS):
                places.setdefault(own[0], []).append(thread)
    for frame, waiting in places.items():
        if len(waiting) >= REMOTE:
            yield said.finding(
                "warn", "finding.jvm.remote", "jvm", waiting[0].line, cause="external-slow",
                sure=0.5, next="ss -tnp of the process: to whom", count=len(waiting), frame=frame,
            )  # fmt: skip


def _platform(frame: str) -> bool:
    return frame.startswith(("java.", "javax.", "sun.", "jdk.", "com.sun."))
