"""What changed on the chain in the last hour: services that started, code that was replaced."""

from __future__ import annotations

from collections.abc import Iterator

from weaklink.model.case import Case
from weaklink.model.event import Event
from weaklink.model.fact import Process
from weaklink.model.message import say
from weaklink.model.take import Take
from weaklink.parse.origin import APP
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.owner_files import owner_glob, owner_path, regular
from weaklink.reach.registry import probe
from weaklink.words import texts

texts({"changes.no-chain": "no chain is known whose changes could be looked for"})

RECENT = 3600.0
SLACK = 2.0
"""Seconds by which a file's time and a process's start may differ though one made the other."""
MAX_FILES = 200
MAX_EVENTS = 100
MAX_IN_FOLDER, MAX_PACKAGES, MAX_TOLD = 200, 3000, 5
CODE = (".py", ".js", ".mjs", ".rb", ".jar", ".sh")


@probe(
    "changes",
    subject="changes",
    phase="last",
    about="services of the chain that started and code files that changed within the last hour",
)
def changes(reach: Reach, case: Case) -> Take:
    """Events `service-start` and `code-change`. Raises NotHere without a chain."""
    pids = {pid for link in case.chain.links if link.on_chain for pid in link.pids}
    if not pids:
        raise NotHere(say("changes.no-chain"))
    members = [process for process in case.processes if process.pid in pids]
    events = [
        *_starts(reach, case, members),
        *_code(reach, case, members),
        *_named_files(reach, members),
        *_packages(reach, members),
    ]
    return Take(events=sorted(events, key=lambda event: event.at)[-MAX_EVENTS:])


def _starts(reach: Reach, case: Case, members: list[Process]) -> Iterator[Event]:
    now = reach.now()
    own = {process.pid for process in members}
    for process in members:
        # A worker that its master started again says more about the worker than a deploy does.
        respawned = process.ppid in own
        if 0 <= now - process.start <= RECENT:
            yield Event(
                at=process.start,
                kind="service-start",
                target=process.key,
                text=" ".join(process.command)[:200] or process.name,
                source="processes",
                plus_minus=1.0,
                details={"pid": process.pid, "worker": int(respawned)},
            )


def _code(reach: Reach, case: Case, members: list[Process]) -> Iterator[Event]:
    now = reach.now()
    by_key = {process.key: process for process in members}
    files: dict[tuple[str, str], Process] = {}
    for process in members:
        for path in _scripts(reach, process):
            files[process.key, path] = process
    for stack in case.stacks:
        owner = by_key.get(stack.process)
        for thread in stack.threads if owner is not None else ():
            for frame in thread.frames:
                if frame.origin == APP and frame.file.startswith("/") and owner is not None:
                    files.setdefault((owner.key, frame.file), owner)
    told: dict[str, Event] = {}
    for (_, path), process in list(files.items())[:MAX_FILES]:
        try:
            found = regular(owner_path(reach, process, path))
        except OSError:
            continue
        if found is None or not 0 <= now - found.st_mtime <= RECENT:
            continue
        loaded = found.st_mtime <= process.start + SLACK
        told.setdefault(
            path,
            Event(
                at=found.st_mtime,
                kind="code-change",
                target=process.key,
                text=path,
                source=path,
                details={"loaded": int(loaded)},
            ),
        )
    yield from told.values()


def _named_files(reach: Reach, members: list[Process]) -> Iterator[Event]:
    """Files and folders that a command line names (a model, a configuration) and that are new."""
    told: set[str] = set()
    for process in members:
        for word in process.command[1:60]:
            path = word.partition("=")[2] if word.startswith("-") else word
            if not path.startswith("/") or path.endswith(CODE) or len(path) > 400 or path in told:
                continue
            if path.startswith(("/dev/", "/proc/", "/sys/", "/var/log/", "/run/")):
                continue
            told.add(path)
            newest = _newest(reach, process, path)
            # What was written after the start is data, or not taken in: neither is a deploy.
            if newest is not None and 0 <= reach.now() - newest[1] <= RECENT:
                change = _change(process, *newest)
                if change.details["loaded"]:
                    yield change


def _newest(reach: Reach, process: Process, path: str) -> tuple[str, float] | None:
    """(path, when modified) of a file, or of the newest file right inside a folder."""
    try:
        where = owner_path(reach, process, path)
        if (found := regular(where)) is not None:
            return path, found.st_mtime
        names = reach.root.names(where, MAX_IN_FOLDER) if not reach.root.frozen else []
    except OSError:
        return None
    files = [
        (f"{path.rstrip('/')}/{name}", one.st_mtime)
        for name in names
        if (one := regular(f"{where}/{name}")) is not None and not name.endswith((".log", ".pid"))
    ]
    return max(files, key=lambda row: row[1], default=None)


def _packages(reach: Reach, members: list[Process]) -> Iterator[Event]:
    """Python packages that were installed lately where a process's interpreter looks for them."""
    seen: set[str] = set()
    for process in members:
        if not process.python or not process.command:
            continue
        program = process.command[0]
        base = program.rpartition("/bin/")[0] if "/bin/" in program else ""
        if not base.startswith("/") or base in seen:
            continue
        seen.add(base)
        try:
            folders = owner_glob(reach, process, f"{base}/lib/python3*/site-packages")
            names = [
                f"{folder}/{name}"
                for folder in folders[:2]
                for name in reach.root.names(owner_path(reach, process, folder), MAX_PACKAGES)
                if name.endswith(".dist-info")
            ]
        except OSError:
            continue
        fresh = []
        for path in names:
            found = regular(f"{owner_path(reach, process, path)}/METADATA")
            if found is not None and 0 <= reach.now() - found.st_mtime <= RECENT:
                fresh.append((found.st_mtime, path))
        for at, path in sorted(fresh)[-MAX_TOLD:]:
            name = path.rpartition("/")[2].removesuffix(".dist-info")
            yield _change(process, f"package {name}", at, source=path)


def _change(process: Process, text: str, at: float, source: str = "") -> Event:
    return Event(
        at=at,
        kind="code-change",
        target=process.key,
        text=text,
        source=source or text,
        details={"loaded": int(at <= process.start + SLACK)},
    )


def _scripts(reach: Reach, process: Process) -> list[str]:
    """Files that a Python (or other) command line names: a script, or `package.module:app`."""
    try:
        folder = reach.root.link(f"/proc/{process.pid}/cwd")
    except OSError:
        folder = ""
    found = []
    for word in process.command[1:20]:
        if word.startswith("-") or "*" in word or len(word) > 200:
            continue
        if word.endswith(CODE):
            found.append(word if word.startswith("/") else f"{folder}/{word}")
        module, colon, attribute = word.partition(":")
        if colon and attribute.isidentifier() and module.replace(".", "").isidentifier():
            found.append(f"{folder}/{module.replace('.', '/')}.py")
    return [path for path in found if path.startswith("/")]
