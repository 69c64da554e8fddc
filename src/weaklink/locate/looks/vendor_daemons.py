"""What vendors' own watchers wrote: smartd about disks, the fabric manager about NVSwitches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.looks.xid import switch_finding
from weaklink.locate.view import View
from weaklink.model.fact_hardware import Clocked
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.smartd.failing": "{drive}: smartd says that it fails: {text}",
        "finding.smartd.worse": "{drive}: smartd: {text}",
        "finding.smartd.calm": "{drive}: smartd reports only what changes in normal use",
        "finding.fabric.error": "the fabric manager reports: {text}",
        "finding.fabric.calm": "{count} lines of the fabric manager's log, no error in them",
    }
)
_SECTORS = re.compile(
    r"(\d{1,9}) (?:Currently unreadable \(pending\)|Offline uncorrectable|Total offline)"
)
_SWITCH = re.compile(
    r"NVSwitch (non-fatal|fatal) error (\d{1,6}).{0,60}?pci bus id ([0-9a-fA-F:.]{5,20})(.{0,80})"
)


@look("disk")
def smartd(view: View) -> Iterable[Judged]:
    """The worst that smartd said of each drive."""
    by_drive: dict[str, list[Clocked]] = {}
    for fact in view.case.hardware:
        if isinstance(fact, Clocked) and fact.daemon == "smartd":
            by_drive.setdefault(fact.level, []).append(fact)
    for drive, said in by_drive.items():
        judged = [(_smartd_verdict(one.text), one) for one in said]
        rank = {"healthy": 0, "warn": 1, "critical": 2}
        verdict, worst = max(judged, key=lambda pair: rank[pair[0]])
        key = {"critical": "failing", "warn": "worse", "healthy": "calm"}[verdict]
        yield Finding(
            verdict=verdict,
            target=target_key("device", drive, host=view.case.host.name),
            subject="disk",
            message=say(f"finding.smartd.{key}", drive=drive, text=worst.text),
            line=worst.raw,
            cause="disk-prefailure",
            sure=0.9 if verdict != "healthy" else 0.6,
            next=f"smartctl -x {_option(drive)}" if verdict != "healthy" else "",
        )


def _option(drive: str) -> str:
    """`/dev/bus/0 [megaraid_disk_04]` is reached by `-d megaraid,4`."""
    device, _, rest = drive.partition(" ")
    disk = re.search(r"megaraid_disk_(\d{1,3})", rest)
    return f"-d megaraid,{int(disk.group(1))} {device}" if disk else device


def _smartd_verdict(text: str) -> Verdict:
    lower = text.lower()
    if "failed smart self-check" in lower or "back up data now" in lower:
        return "critical"
    if "smart failure" in lower or "failure prediction threshold exceeded" in lower:
        return "critical"
    if "critical warning" in lower and "0x00" not in lower:
        return "critical"
    sectors = _SECTORS.search(text)
    if sectors:
        return "critical" if int(sectors.group(1)) >= 10 else "warn"
    if "error count increased" in lower or "self-test log error" in lower:
        return "warn"
    if "reallocated" in lower and "changed" in lower and "event" not in lower:
        return "warn"
    if "failed to read" in lower or "unable to" in lower or "not capable" in lower:
        return "warn"
    return "healthy"


@look("gpu")
def fabric_manager(view: View) -> Iterable[Judged]:
    """NVSwitch errors, fatal and not, and that a log without any was read."""
    host = view.case.host.name
    for fact in view.case.hardware:
        if isinstance(fact, Clocked) and fact.daemon == "fabricmanager":
            yield from _fabric(fact, host)


def _fabric(fact: Clocked, host: str) -> Iterator[Finding]:
    found = _SWITCH.search(fact.text)
    if found:
        kind, number, where, rest = found.groups()
        yield switch_finding(where, number, rest, fact.raw, host, fatal=kind == "fatal")
        return
    quiet = fact.level == "QUIET"
    yield Finding(
        verdict="healthy" if quiet else "warn",
        target=target_key("gpu", "fabric manager", host=host),
        subject="gpu",
        message=say("finding.fabric.calm", count=fact.text)
        if quiet
        else say("finding.fabric.error", text=fact.text[:200]),
        line=fact.raw,
        sure=0.7,
        next="" if quiet else "nvidia-smi -q | grep -A3 Fabric; systemctl status of it",
    )
