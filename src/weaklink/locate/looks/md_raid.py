"""Linux software RAID: which array has lost a disk, which one, and what that means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.raid_levels import survives
from weaklink.locate.view import View
from weaklink.model.fact_disk import RaidArray
from weaklink.model.finding import Finding
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.md.degraded": "{name} ({level}) is degraded: {count} members work{who}",
        "finding.md.rebuilding": "{name} ({level}) is degraded, {count} members work{who}; "
        "{activity} at {progress}{speed}",
        "finding.md.inactive": "{name} is inactive: its data cannot be read{who}",
        "finding.md.failed-spare": "{name} has all its members ({count}), but holds failed disks "
        "that still wait to be removed: {who}",
        "finding.md.container": "{name} only holds the metadata of firmware RAID: inactive is "
        "its normal state",
        "finding.md.busy": "{name} has all its members ({count}); {activity} {progress}",
        "finding.md.ok": "{name} ({level}) has all its members ({count})",
        "finding.md.no-redundancy": "{name} is {level}: no redundancy, one lost disk loses all "
        "of it",
    }
)
SLOW_REBUILD = 1024 * 1024.0
"""Bytes a second under which a rebuild is stuck rather than slow: the kernel's own minimum is
speed_limit_min, 1 000 KB/s (Documentation/admin-guide/md.rst)."""


def _arrays(view: View) -> Iterator[RaidArray]:
    for fact in view.case.hardware:
        if isinstance(fact, RaidArray) and not fact.controller:
            yield fact


@look("disk")
def md_raid(view: View) -> Iterable[Judged]:
    """Degraded, inactive and rebuilding arrays; a check or (auto-read-only) is no fault."""
    for array in _arrays(view):
        yield _judge(array, view.case.host.name)


def _judge(array: RaidArray, host: str) -> Finding:
    failed = [member.name for member in array.members if "failed" in member.state]
    working = [m for m in array.members if "failed" not in m.state and "spare" not in m.state]
    degraded = bool(array.missing_slots) or (
        array.wanted is not None and array.working is not None and array.working < array.wanted
    )
    count = f"[{array.wanted}/{array.working}]" if array.wanted is not None else str(len(working))
    who = f"; failed: {', '.join(failed)}" if failed else ""
    target = target_key("array", array.name, host=host)
    lines = f"{array.line}\n{array.line2}"
    level = array.level or "array"
    if array.state.startswith(("inactive", "broken")) and not _is_container(array):
        return Finding(
            verdict="critical",
            target=target,
            subject="disk",
            message=say("finding.md.inactive", name=array.name, who=who),
            line=lines,
            cause="raid-degraded",
            next=f"mdadm --detail /dev/{array.name}; mdadm --examine its members",
        )
    if degraded:
        return _degraded(array, target, who, count, lines)
    if failed:
        return Finding(
            verdict="warn",
            target=target,
            subject="disk",
            message=say(
                "finding.md.failed-spare", name=array.name, count=count, who=", ".join(failed)
            ),
            line=lines,
            cause="raid-degraded",
            next=f"mdadm --detail /dev/{array.name}; smartctl -x on {failed[0]}",
        )
    if array.state.startswith("inactive"):
        message = say("finding.md.container", name=array.name)
    elif array.activity or array.progress:
        message = say(
            "finding.md.busy",
            name=array.name,
            count=count,
            activity=array.activity,
            progress=array.progress,
        )
    elif survives(level) == 0 and array.wanted is None:
        message = say("finding.md.no-redundancy", name=array.name, level=level)
    else:
        message = say("finding.md.ok", name=array.name, level=level, count=count)
    return Finding(
        verdict="healthy",
        target=target,
        subject="disk",
        message=message,
        line=array.line2,
        cause="raid-degraded",
    )


def _degraded(array: RaidArray, target: str, who: str, count: str, lines: str) -> Finding:
    if array.activity in {"recovery", "resync", "reshape"} and array.progress:
        speed = ""
        if array.speed_bytes is not None:
            speed = f", {array.speed_bytes / 1024:.0f} KB/s"
            if array.speed_bytes < SLOW_REBUILD:
                speed += " (stuck rather than slow)"
        message = say(
            "finding.md.rebuilding",
            name=array.name,
            level=array.level,
            count=count,
            who=who,
            activity=array.activity,
            progress=array.progress,
            speed=speed,
        )
    else:
        message = say(
            "finding.md.degraded", name=array.name, level=array.level, count=count, who=who
        )
    return Finding(
        verdict="critical",
        target=target,
        subject="disk",
        message=message,
        line=lines,
        cause="raid-degraded",
        next=f"back up now; mdadm --detail /dev/{array.name}; replace the lost member",
    )


def _is_container(array: RaidArray) -> bool:
    """Firmware RAID keeps its metadata in an "inactive" container of spares: that is normal."""
    outside = "external:imsm" in array.line2 or "external:ddf" in array.line2
    return outside and all("spare" in member.state for member in array.members)
