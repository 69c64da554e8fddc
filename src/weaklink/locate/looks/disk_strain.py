"""Whether a disk holds the chain up: is it slow, does a link wait for it, who keeps it busy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.disk_counters import sample_of
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import Device
from weaklink.model.fact_disk import DiskSample
from weaklink.model.fact_files import OpenFile
from weaklink.model.target import target_key
from weaklink.stats.robust import log_ramp, ramp
from weaklink.words import sign

SATURATED = sign(
    "disk.saturated",
    "kernel-counters",
    "A disk answers late while requests queue in front of it.",
    "{device} takes {ms} ms a request, {queue} are under way, {percent} % busy",
    hurts=True,
)
WAITS = sign(
    "process.waits-for-disk",
    "kernel-counters",
    "Threads of the link sleep in the kernel until a disk answers.",
    "{percent} % of the readings found a thread of {name} waiting for a disk",
    hurts=True,
)
WRITER = sign(
    "disk.busy-with-others",
    "events",
    "A process that is not part of the chain reads or writes most of what the disks do.",
    "{name} (pid {pid}) moves {rate} MB/s to or from the disks, {percent} % of all",
)
ERRORS = sign(
    "disk.errors",
    "kernel-counters",
    "The kernel reports errors of a device that the link's files lie on.",
    "kernel: {count} errors of {device}: {line}",
    hurts=True,
)

LATE_FLASH = (0.005, 0.05)
LATE_SPINNING = (0.03, 0.15)
"""Seconds a request: see looks/disk_samples for what is normal."""
QUEUE = (1.5, 6.0)
"""Requests under way: below two nobody waits for another, whatever %util says."""
LEAST = 4.0
"""Requests a second under which a mean says little."""
ASLEEP = (0.15, 0.6)
"""Share of the readings in which a thread was in state D."""
MOVED = (0.4, 0.8)
"""Share of all bytes moved by processes."""
LEAST_BYTES = 2e6
_DEVICE = re.compile(
    r"(?:I/O error,? dev |Buffer I/O error on dev(?:ice)? |error \(device |critical medium error, "
    r"dev |blk_update_request: I/O error, dev )([a-z][a-z0-9-]{1,31})"
)
ERROR_LOOK_BACK = 300.0
"""Seconds before the onset in which an error still explains it."""
KERNEL = ("/dev/kmsg",)


@look("disk")
def saturated(view: View) -> Iterable[Judged]:
    """The disk with the longest wait, of those that the chain's files lie on, else of all."""
    samples = {}
    for key in view.targets_of("disk_busy_seconds_total"):
        sample = sample_of(view, key)
        if sample is not None:
            samples[sample.device] = (key, sample)
    if not samples:
        return
    spinning = {device.name for device in view.case.devices if device.rotational}
    used = {name for link in view.on_chain() for name in devices_of(view, link)}
    chosen = {name: row for name, row in samples.items() if name in used} or samples
    key, worst = max(
        chosen.values(), key=lambda row: (_strength(row[1], row[1].device in spinning), row[0])
    )
    wait = _wait(worst)
    yield evidence(
        SATURATED,
        key,
        _strength(worst, worst.device in spinning),
        value=round(wait, 4),
        command=f"iostat -x 1 5 {worst.device}",
        device=worst.device,
        ms=round(1000 * wait, 1),
        queue=round(worst.queue or 0.0, 1),
        percent=round(100 * (worst.utilisation or 0.0)),
    )


def _wait(sample: DiskSample) -> float:
    return max(sample.read_await or 0.0, sample.write_await or 0.0)


def _strength(sample: DiskSample, spinning: bool) -> float:
    if (sample.reads or 0.0) + (sample.writes or 0.0) < LEAST:
        return 0.0
    late = log_ramp(_wait(sample), *(LATE_SPINNING if spinning else LATE_FLASH))
    return late * ramp(sample.queue or 0.0, *QUEUE)


def devices_of(view: View, link: Link) -> list[str]:
    """Whole devices that a link's open files lie on, as far as mounts tell."""
    mounts = {mount.major_minor: mount.device for mount in view.case.mounts}
    found: list[str] = []
    for fact in view.case.software:
        if isinstance(fact, OpenFile) and fact.process in link.processes:
            device = mounts.get(fact.major_minor, "").rpartition("/")[2]
            name = _whole(view.case.devices, device)
            if name and name not in found:
                found.append(name)
    return found


def _whole(devices: list[Device], name: str) -> str:
    """`sda` for `sda3`, `nvme0n1` for `nvme0n1p2`; '' where no such device is known."""
    fitting = [device.name for device in devices if name and name.startswith(device.name)]
    return max(fitting, key=len, default="")


@look("disk")
def waits(view: View) -> Iterable[Judged]:
    """Threads of each link in uninterruptible sleep, reading by reading."""
    for link in view.on_chain():
        moments: dict[tuple[str, float], bool] = {}
        for key in link.processes:
            for thread in view.threads_of(key):
                at = (key, thread.at)
                moments[at] = moments.get(at, False) or thread.state == "D"
        if len(moments) < 2:
            continue
        share = sum(moments.values()) / len(moments)
        yield evidence(
            WAITS,
            link.processes[0],
            ramp(share, *ASLEEP),
            link=link.key,
            value=round(share, 3),
            command=f"ps -L -o pid,tid,stat,wchan:32,comm -p {link.pids[0]}",
            name=link.name,
            percent=round(100 * share),
        )


@look("disk")
def movers(view: View) -> Iterable[Judged]:
    """Which process off the chain moves most bytes."""
    chained = {key for link in view.on_chain() for key in link.processes}
    moved: Counter[str] = Counter()
    for quantity in ("process_read_bytes_total", "process_written_bytes_total"):
        for key in view.targets_of(quantity):
            moved[key] += int(view.rate(quantity, key) or 0.0)
    if not moved:
        return
    total = moved.total()
    outside = [(rate, key) for key, rate in moved.items() if key not in chained]
    rate, key = max(outside, default=(0, ""))
    process = view.by_key.get(key)
    if process is None:
        return
    yield evidence(
        WRITER,
        key,
        ramp(rate / total, *MOVED) if rate >= LEAST_BYTES else 0.0,
        value=float(rate),
        command="iotop -b -o -n 3",
        name=process.name,
        pid=process.pid,
        rate=round(rate / 1e6, 1),
        percent=round(100 * rate / total) if total else 0,
    )


@look("disk")
def errors(view: View) -> Iterable[Judged]:
    """Errors that the kernel itself reported, of devices that the chain's files lie on."""
    looked = any(row.name == "kernel-log" and row.outcome == "value" for row in view.case.looks)
    since = (view.onset or view.case.window[0]) - ERROR_LOOK_BACK
    told: dict[str, list[str]] = {}
    for event in view.case.events:
        if event.kind != "kernel" or event.source not in KERNEL or event.at < since:
            continue
        found = _DEVICE.search(event.text)
        if found:
            told.setdefault(found[1], []).append(event.text)
    if not looked and not told:
        return
    for link in view.on_chain():
        own = devices_of(view, link)
        if not own:
            continue
        bad = next(
            (name for name in sorted(told) if any(name.startswith(one) for one in own)), None
        )
        yield evidence(
            ERRORS,
            target_key("device", bad or own[0], host=view.case.host.name),
            1.0 if bad else 0.0,
            link=link.key,
            value=float(len(told[bad])) if bad else 0.0,
            command=f"dmesg -T | grep -w {bad or own[0]}",
            device=bad or own[0],
            count=len(told[bad]) if bad else 0,
            line=told[bad][-1][:80] if bad else "-",
        )
