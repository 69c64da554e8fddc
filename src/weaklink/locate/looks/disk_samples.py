"""How a disk answers: %util alone says nothing, latency and queue say what users wait for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_disk import DiskSample
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.disk.slow": "{device} is slow: {what}, queue {queue}, {util} % busy{when}",
        "finding.disk.writes-slow": "{device}: writes are slow ({what}), {util} % busy, while "
        "reads answer in {reads}: a limit on the write side{when}",
        "finding.disk.busy-but-fast": "{device} is busy {util} % of the time but answers in "
        "{what}: for a device that works in parallel that is load, not trouble{when}",
        "finding.disk.calm": "{device} answers in {what}, {util} % busy{when}",
        "finding.disk.idle": "{device} had nothing to do{when}",
        "finding.disk.since-boot": " (average since boot)",
    }
)

FLASH_SLOW, FLASH_STUCK = 0.004, 0.050
"""Seconds. NVMe answers in 0.1 ms, SATA flash in 0.5 ms when well; from 4 ms on the device or its
provider holds requests back, at 50 ms something is wrong."""
SPINNING_SLOW, SPINNING_STUCK = 0.020, 0.100
"""A seek and a turn take 8-15 ms; 20 ms is a queue, 100 ms a queue that users feel."""
BUSY = 0.6
"""Below that share of the time busy, slow answers of few requests are no load problem."""
FEW = 2.0
"""Requests a second under which a mean says little."""
QUEUE_SPINNING = 2.0
HANGS, HANGS_BUSY = 1.0, 0.9
"""Seconds and share: hardly a request done, each taking this long while always busy, is a hang."""


@look("disk")
def disk_samples(view: View) -> Iterable[Judged]:
    """One finding a device, from the worst report; since-boot averages only where alone."""
    rows: dict[str, list[DiskSample]] = defaultdict(list)
    for fact in view.case.hardware:
        if isinstance(fact, DiskSample):
            rows[fact.device].append(fact)
    for samples in rows.values():
        live = [row for row in samples if not row.since_boot] or samples
        yield judge_sample(_worst(live), view.case.host.name)


def _worst(samples: list[DiskSample]) -> DiskSample:
    rank = {"critical": 2, "warn": 1, "healthy": 0}
    return max(samples, key=lambda row: (rank[_verdict(row)], _wait(row) or 0.0))


def judge_sample(row: DiskSample, host: str) -> Finding:
    """The finding about one device from its means over one interval."""
    verdict, device = _verdict(row), row.device
    when = " (average since boot)" if row.since_boot else ""
    util = "?" if row.utilisation is None else f"{row.utilisation * 100:.0f}"
    queue = "?" if row.queue is None else f"{row.queue:.1f}"
    reads, writes = row.read_await, row.write_await
    if verdict != "healthy":
        only_writes = writes is not None and reads is not None and reads < writes / 4
        key = "writes-slow" if only_writes and (row.reads or 0) >= FEW else "slow"
        message = say(
            f"finding.disk.{key}",
            device=device,
            what=_what(row),
            queue=queue,
            util=util,
            when=when,
            reads=_ms(reads),
        )
    elif not (row.reads or 0) + (row.writes or 0) and row.reads is not None:
        message = say("finding.disk.idle", device=device, when=when)
    else:
        key = "busy-but-fast" if (row.utilisation or 0) >= BUSY else "calm"
        message = say(f"finding.disk.{key}", device=device, what=_what(row), util=util, when=when)
    return Finding(
        verdict=verdict,
        target=target_key("device", device, host=host),
        subject="disk",
        message=message,
        line=row.line,
        cause="disk-saturated",
        sure=0.7 if row.since_boot else 0.9,
        next=f"who writes: iotop -oPa or pidstat -d 1; limits of the provider; smartctl -x "
        f"/dev/{device}"
        if verdict != "healthy"
        else "",
    )


def _verdict(row: DiskSample) -> Verdict:
    wait = _wait(row)
    if wait is None:
        return "healthy"
    flash = is_flash(row)
    slow, stuck = (FLASH_SLOW, FLASH_STUCK) if flash else (SPINNING_SLOW, SPINNING_STUCK)
    if (row.reads or 0) + (row.writes or 0) < FEW:
        hangs = wait >= HANGS and (row.utilisation or 0) >= HANGS_BUSY
        return "critical" if hangs else "healthy"
    busy = row.utilisation is None or row.utilisation >= BUSY
    queued = flash or row.queue is None or row.queue >= QUEUE_SPINNING
    if wait >= stuck:
        return "critical" if (busy and queued) or wait >= 10 * stuck else "warn"
    return "warn" if wait >= slow and busy and queued else "healthy"


def is_flash(row: DiskSample) -> bool:
    """Flash by its name, or because no spinning disk does so many requests a second.

    A stack of devices (md, dm) counts as flash only by its rate.
    """
    if row.device.startswith(("nvme", "pmem", "zram")):
        return True
    if row.device.startswith("md") and (row.writes or 0) + (row.reads or 0) > 500:
        return True
    return (row.reads or 0) + (row.writes or 0) > 1000


def _wait(row: DiskSample) -> float | None:
    """The mean time that a request takes, of the direction that has requests and is worse."""
    waits = [
        wait
        for rate, wait in ((row.reads, row.read_await), (row.writes, row.write_await))
        if wait is not None and (rate is None or rate >= 1.0)
    ]
    if waits:
        return max(waits)
    both = [wait for wait in (row.read_await, row.write_await) if wait is not None]
    return row.wait if row.wait is not None else max(both, default=None)


def _what(row: DiskSample) -> str:
    parts = [
        f"{name} {_ms(wait)}"
        for name, rate, wait in (
            ("r_await", row.reads, row.read_await),
            ("w_await", row.writes, row.write_await),
        )
        if wait is not None and (rate is None or rate > 0)
    ]
    return ", ".join(parts) or f"await {_ms(row.wait)}"


def _ms(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    value = seconds * 1000
    return f"{value:.0f} ms" if value >= 100 else f"{value:.2f} ms"
