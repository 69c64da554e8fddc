"""Makes a filed Case fit to be shipped: only what the verdict needs, no other process of the host.

    python packaging/ship_recording.py CASE.json.gz NAME [FOLDER [OLD=NEW …]]

writes `FOLDER/NAME.json.gz`, by default into the package (`src/weaklink/testing/incidents`). The
Case is judged again afterwards; where the named causes differ from those before, nothing is
written. Paths that begin with OLD are written as NEW.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from msgspec import structs

from weaklink import incident
from weaklink.locate.view import View
from weaklink.model.case import Case, decode_case, encode_case
from weaklink.model.fact_files import OpenFile
from weaklink.recorder.case_files import pack, read_case

HOST = "recorded"
REPOSITORY = Path(__file__).resolve().parents[1]
PLACE = REPOSITORY / "src/weaklink/testing/incidents"
BUSY = 0.03
"""CPUs from which on a process off the chain is kept (by its name alone): it may be the cause."""
BEFORE = 120.0
"""Seconds before the onset from which events are kept: older ones are another story."""
PATHS = {
    sys.prefix: "/opt/service/venv",
    sys.base_prefix: "/usr",
    str(REPOSITORY / "lab/src"): "/opt/service",
    str(REPOSITORY): "/opt/service",
}
"""Folders of the machine that records, the inner ones first, to what they are called instead."""
LIVES = ("process-start", "process-exit")
"""Kept of processes that are, or are like, those of the chain: a crash loop is told by them."""
KINDS = ("cron-run", "kernel", "oom-kill", "config-change", "service-start", "log", "expiry-burst")


def trimmed(case: Case) -> Case:
    """The Case without what is off the chain, and under another host's name."""
    links = [link for link in case.chain.links if link.on_chain]
    pids = {pid for link in links for pid in link.pids}
    view = View(case)
    busy = {
        process.pid
        for process in case.processes
        if process.pid not in pids
        and (view.rate("process_cpu_seconds_total", process.key) or 0.0) >= BUSY
    }
    pids |= busy
    families = {(p.exe, *p.command) for p in case.processes if p.pid in pids and p.command}
    alike = {p.key for p in case.processes if (p.exe, *p.command) in families}
    keys = {process.key for process in case.processes if process.pid in pids} | alike
    disks = {one.major_minor for one in case.software if getattr(one, "process", "") in keys
             and isinstance(one, OpenFile)}  # fmt: skip
    groups = [group for group in case.cgroups if pids & set(group.pids)]
    about = keys | {group.key for group in groups} | {f"host:{case.host.name}/-/-"}
    places = {listener.netns for listener in case.listeners if pids & set(listener.pids)}
    onset = case.pain.onset.at if case.pain and case.pain.onset else case.window[0]
    since = onset - BEFORE
    kept = structs.replace(
        case,
        processes=[
            structs.replace(one, command=[one.name]) if one.pid in busy else one
            for one in case.processes
            if one.key in keys
        ],
        threads=[thread for thread in case.threads if thread.process in keys],
        stacks=[stack for stack in case.stacks if stack.process in keys],
        listeners=[one for one in case.listeners if pids & set(one.pids)],
        connections=[one for one in case.connections if one.pid in pids],
        cgroups=[structs.replace(one, pids=sorted(pids & set(one.pids))) for one in groups],
        upstreams=[one for one in case.upstreams if one.owner in keys],
        servers=[one for one in case.servers if one.owner in keys],
        logs=[one for one in case.logs if one.owner in keys],
        configs=[one for one in case.configs if one.owner in keys],
        events=[
            one
            for one in case.events
            if one.at >= since and (one.kind in KINDS or (one.kind in LIVES and one.target in keys))
        ],
        software=[
            one for one in case.software if not isinstance(one, OpenFile) or one.process in keys
        ],
        series=[
            one
            for one in case.series
            if one.target in about
            or not one.target.startswith(("process:", "cgroup:", "listener:"))
            or (one.target.startswith("listener:") and one.target.split("/")[1] in places)
        ],
        mounts=[mount for mount in case.mounts if mount.major_minor in disks],
        looks=[one for one in case.looks if not one.target or one.target in keys],
        requests=[rows for rows in case.requests if rows.link in {link.key for link in links}],
        evidence=[],
        findings=[],
        diagnoses=[],
        actions=[],
    )
    return renamed(kept, case.host.name)


def renamed(case: Case, old: str) -> Case:
    """The Case under the name HOST in every key, and without paths of the machine it is from."""
    text = encode_case(case).decode()
    text = re.sub(
        rf'(?<=[a-z]:){re.escape(old)}(?=/)|(?<="name":"){re.escape(old)}(?=")', HOST, text
    )
    for here, there in PATHS.items():
        text = text.replace(f"{here}/", f"{there}/").replace(f'"{here}"', f'"{there}"')
    return decode_case(text.encode(), "recording")


def named(case: Case) -> set[tuple[str, int]]:
    """(cause, members) of the last diagnosis."""
    return {(cause.id, len(cause.members)) for cause in case.diagnoses[-1].causes if cause.named}


def main(path: str, name: str, folder: str = "", *moved: str) -> int:
    """Trim, judge again, compare, write."""
    PATHS.update(dict(pair.split("=", 1) for pair in moved))
    place = REPOSITORY / folder if folder else PLACE
    before = incident.judge(read_case(path))
    after = incident.judge(trimmed(before))
    if named(before) != named(after):
        sys.stderr.write(f"verdicts differ: {named(before)} and {named(after)}; nothing written\n")
        return 1
    place.mkdir(parents=True, exist_ok=True)
    data = pack(structs.replace(after, id=name))
    (place / f"{name}.json.gz").write_bytes(data)
    sys.stdout.write(f"{name}: {len(data)} bytes, {sorted(named(after))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
