"""Thread dumps of a JVM (jstack, kill -3, VisualVM): who waits for which lock, who holds it."""

from __future__ import annotations

import re

from weaklink.model.fact_text_jvm import JavaDeadlock, JavaThread
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_THREADS = 5000
MAX_FRAMES = 12
_THREAD = re.compile(
    r'"(.{1,400})"(?: #\d{1,9}| \[\d{1,9}\]| daemon| virtual| prio=\d{1,2}| - Thread t@\d{1,9}'
    r"| os_prio=| tid=0x| in | nid=)"
)
_STATE = re.compile(
    r"java\.lang\.Thread\.State: (NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED)"
    r"(?: on (\S{1,200})@(\w{1,20})(?: owned by(?: thread)?:? (.{1,200}))?)?"
)
_LOCK = re.compile(
    r"- (waiting to lock|waiting to re-lock in wait\(\)|parking to wait for|waiting on|locked|"
    r"blocked on) {1,3}(?:<(?:0x)?([0-9a-f]{1,16})>(?: \(an? (\S{1,200})\))?"
    r"|(\S{1,200})@(\w{1,16}))"
)
_HELD = re.compile(r"- <(?:0x)?([0-9a-f]{1,16})> \(an? (\S{1,200})\)")
_DEADLOCK = re.compile(r"Found (?:one|a|\d{1,4}) Java-level deadlock")
_NAME = re.compile(r'"(.{1,400})":$')
_BY = re.compile(r'which is held by "(.{1,400})"')
_WANTS = re.compile(r"(?:object|synchronizer) (?:0x)?([0-9a-f]{1,16}),? \(?an? ([^\s)]{1,200})")
_ENTERS = ("waiting to lock", "waiting to re-lock in wait()", "blocked on")


def _starts(line: str) -> bool:
    return (
        line.startswith("Full thread dump")
        or _DEADLOCK.match(line.strip()) is not None
        or (line.startswith('"') and _THREAD.match(line[:600]) is not None)
    )


@tool(
    "jstack",
    heads=("Full thread dump", "Found one Java-level", "Found a ", '"', "Found 2", "Found 3"),
    starts=_starts,
    goes_on=lambda line: not line.strip()
    or line[:1] in {" ", "\t", '"', "="}
    or line.startswith(("Found ", "JNI ", "Java stack", "Threads cl", "_java_thread", "0x", "}")),
    commands=("jstack", "jcmd"),
)  # fmt: skip
def jstack(passage: Passage) -> Take | None:
    """Threads with what they wait for and hold, and the deadlocks that the JVM itself names."""
    threads: list[JavaThread] = []
    for block in _blocks(passage.lines):
        thread = _thread(block)
        if thread is not None and len(threads) < MAX_THREADS:
            threads.append(thread)
    deadlocks = _deadlocks(passage.lines)
    if not deadlocks and not any(thread.state for thread in threads):
        return None
    return Take(software=[*threads, *deadlocks])


def _blocks(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for line in lines:
        if line.startswith('"') and _THREAD.match(line[:600]):
            found.append([line])
        elif _DEADLOCK.match(line.strip()):
            found.append([])
        elif found and found[-1] and len(found[-1]) < 600:
            found[-1].append(line)
    return [block for block in found if block]


def _thread(block: list[str]) -> JavaThread | None:
    head = _THREAD.match(block[0][:600])
    if head is None:
        return None
    state = lock = lock_class = wait_line = ""
    blocked = False
    holds: list[str] = []
    frames: list[str] = []
    owned = False
    for line in block[1:]:
        bare = line.strip()[:600]
        if bare.startswith("at "):
            if len(frames) < MAX_FRAMES:
                frames.append(bare[3:])
        elif found := _STATE.match(bare):
            state = found[1]
            if found[3]:
                lock, lock_class, blocked = found[3], found[2], state == "BLOCKED"
        elif bare.startswith("Locked ownable"):
            owned = True
        elif found := _LOCK.match(bare):
            address, name = found[2] or found[5], found[3] or found[4] or ""
            if found[1] == "locked":
                holds.append(address)
            else:
                lock, lock_class, wait_line = address, name, quoted(line)
                parked = found[1] == "parking to wait for" and "ReentrantLock" in name
                parked = parked or (found[1] == "parking to wait for" and "ReadWriteLock" in name)
                blocked = blocked or found[1] in _ENTERS or parked
        elif owned and (found := _HELD.match(bare)):
            holds.append(found[1])
    return JavaThread(
        name=quoted(head[1])[:160],
        state=state,
        waits_for=lock,
        waits_for_class=lock_class,
        # Object.wait releases the monitor that it waits on.
        holds=[address for address in holds if address != lock or blocked],
        blocked=blocked and state != "RUNNABLE",
        frames=frames,
        daemon=" daemon " in block[0],
        line=quoted(block[0]),
        wait_line=wait_line,
    )


def _deadlocks(lines: list[str]) -> list[JavaDeadlock]:
    found: list[JavaDeadlock] = []
    waits: list[tuple[str, str]] = []
    kept: list[str] = []
    locks: list[str] = []
    name = ""
    inside = False
    for line in [*lines, "Found one Java-level deadlock:"]:
        bare = line.strip()[:900]
        if _DEADLOCK.match(bare) or bare.startswith("Java stack information"):
            if waits:
                found.append(JavaDeadlock(waits=waits, lines=kept, locks=locks))
            waits, kept, locks, name = [], [], [], ""
            inside = not bare.startswith("Java stack")
        elif inside and (head := _NAME.match(bare)):
            name = quoted(head[1])[:160]
        elif inside and name and (wanted := _WANTS.search(bare)):
            locks.append(f"{wanted[2]} {wanted[1]}")
        elif inside and name and (by := _BY.search(bare)) and len(waits) < 200:
            waits.append((name, quoted(by[1])[:160]))
            kept.append(quoted(line))
            name = ""
    return found
