"""Disks and file systems in the kernel's own words: unreadable sectors, resets, tasks that hang."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weaklink.locate.kernel_lines import kernel_lines
from weaklink.locate.look import Judged, look
from weaklink.locate.storage_map import behind
from weaklink.locate.view import View
from weaklink.model.fact_hardware import KernelLine
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.kdisk.media": "{device}: the disk cannot read sectors (UNC, media error), "
        "{count} times: each retry stalls everyone who reads it for seconds",
        "finding.kdisk.transfer": "{device}: transfers are damaged on the way ({count} times): "
        "look at the connection before the disk",
        "finding.kdisk.timeout": "{device}: commands got no answer and were aborted or the link "
        "reset, {count} times: I/O stalls for up to 30 s each",
        "finding.kdisk.gone": "{device} is gone: the kernel gave it up",
        "finding.kdisk.io": "{device}: I/O errors, {count} lines",
        "finding.kdisk.filesystem": "the file system on {device} has errors: {text}",
        "finding.kdisk.read-only": "the file system on {device} was made read-only: every write "
        "to it fails",
        "finding.kdisk.array": "{device}: {member} was thrown out of the array",
        "finding.kdisk.hung": "{name} (pid {pid}) has waited in the kernel (D state) for more "
        "than {seconds} s{more}: storage or a network file system does not answer",
        "finding.kdisk.nfs": "the file server {device} did not answer{text}: whoever touches its "
        "files waits in the kernel",
        "finding.kdisk.controller": "RAID controller: {text}",
    }
)

_ATA = re.compile(r"^(ata\d{1,3})(?:\.\d\d)?: ")
_DEV = re.compile(
    r"\bdev ([\w!-]{1,32})\b|^sd \S{1,20}: \[(sd\w{1,4})\]|\((sd\w{1,8}|dm-\d{1,3})\)"
)
_NVME = re.compile(r"^nvme (nvme\d{1,3})\b|^(nvme\d{1,3}(?:n\d{1,3})?): ")
_HUNG = re.compile(r"task (.{1,64}):(\d{1,10}) blocked for more than (\d{1,6}) seconds")
_ARRAY = re.compile(r"md/\w{1,12}:(md\w{1,16}): Disk failure on ([\w-]{1,32})")
_SERVER = re.compile(r"nfs: server (\S{1,64}) (not responding|OK|timed out)")
_FS = re.compile(
    r"(?:EXT[234]-fs(?: error| warning)?|XFS|BTRFS(?:: error)?|JBD2|F2FS-fs)[^(]{0,30}"
    r"\(?(?:device )?([\w!-]{1,32})\)?"
)
_HARMLESS = re.compile(r"\b(?:dev|device) (?:fd|sr)\d\b")
"""A floppy that is not there and an empty optical drive fail on every boot of many servers."""


class _Sort(NamedTuple):
    key: str
    verdict: Verdict
    device: str
    cause: str
    next: str


@look("disk")
def kernel_disk(view: View) -> Iterable[Judged]:
    """One finding a device and sort of trouble, and one a hung task."""
    lines = kernel_lines(view)
    host = view.case.host.name
    yield from _hung(lines, host)
    yield from _arrays(lines, host)
    yield from _file_servers(lines, host)
    groups: dict[tuple[str, str], list[KernelLine]] = {}
    sorts: dict[tuple[str, str], _Sort] = {}
    for line in lines:
        sort = _sort(line.text)
        if sort is not None:
            groups.setdefault((sort.key, sort.device), []).append(line)
            sorts.setdefault((sort.key, sort.device), sort)
    media = {device for key, device in groups if key == "media"}
    for (key, device), found in groups.items():
        if key == "timeout" and device in media:
            continue
        yield _finding(sorts[key, device], found, host, behind(view, device))


def _finding(sort: _Sort, lines: list[KernelLine], host: str, place: str) -> Finding:
    quoted = lines[0].raw if len(lines) == 1 else f"{lines[0].raw}\n{lines[-1].raw}"
    return Finding(
        verdict=sort.verdict,
        target=target_key("device", sort.device, host=host),
        subject="disk",
        message=say(
            f"finding.kdisk.{sort.key}",
            device=f"{sort.device}{place}",
            count=len(lines),
            text=lines[0].text[:160],
        ),
        line=quoted,
        cause=sort.cause,
        next=sort.next,
    )


def _sort(text: str) -> _Sort | None:
    ata = _ATA.match(text)
    if ata:
        return _ata(ata.group(1), text)
    lower = text.lower()
    device = _device(text)
    smart = f"smartctl -x /dev/{device or 'sdX'}"
    if _HARMLESS.search(text):
        return None
    if "medium error" in lower or "unrecovered read error" in lower:
        return _Sort("media", "critical", device, "disk-prefailure", f"back up; {smart}")
    nvme = _NVME.match(text)
    if nvme:
        return _nvme(nvme.group(1) or nvme.group(2), lower)
    if "remounting filesystem read-only" in lower or "shutting down filesystem" in lower:
        name = _filesystem(text) or device
        return _Sort("read-only", "critical", name, "disk-errors", "dmesg before it; then fsck")
    if text.startswith(("EXT", "XFS", "BTRFS", "JBD2", "F2FS", "Aborting journal")) and (
        "error" in lower or "corrupt" in lower or "aborting journal" in lower
    ):
        return _Sort("filesystem", "critical", _filesystem(text), "disk-errors", "fsck, unmounted")
    if "i/o error" in lower or "critical target error" in lower:
        return _Sort("io", "critical", device, "disk-errors", smart)
    if "rejecting i/o to offline device" in lower or "device offlined" in lower:
        return _Sort("gone", "critical", device, "disk-errors", "reseat or replace it; dmesg")
    if text.startswith(("megaraid_sas", "hpsa", "mpt", "smartpqi", "aacraid")) and (
        "fatal" in lower or "fault" in lower or ("reset" in lower and "adapter" in lower)
    ):
        return _Sort(
            "controller", "critical", text.split(maxsplit=1)[0].rstrip(":"), "disk-errors", smart
        )
    return None


def _ata(port: str, text: str) -> _Sort | None:
    where = "ls -l /sys/block/sd* | grep " + port
    if "error: {" in text and ("UNC" in text or "IDNF" in text or "AMNF" in text):
        return _Sort("media", "critical", port, "disk-prefailure", f"{where}; smartctl -x on it")
    if "ICRC" in text or "BadCRC" in text:
        return _Sort("transfer", "warn", port, "disk-errors", f"{where}; reseat; attribute 199")
    if text.endswith(": disabled") or ": disabled" in text[:60]:
        return _Sort("gone", "critical", port, "disk-errors", where)
    if "frozen" in text or "hard resetting link" in text or "failed to IDENTIFY" in text:
        return _Sort("timeout", "critical", port, "disk-errors", f"{where}; smartctl -x on it")
    return None


def _nvme(name: str, lower: str) -> _Sort | None:
    smart = f"smartctl -x /dev/{name}"
    if "removing after probe failure" in lower or "device not ready" in lower:
        return _Sort("gone", "critical", name, "disk-errors", smart)
    if "timeout" in lower or "controller is down" in lower or "resetting controller" in lower:
        return _Sort("timeout", "critical", name, "disk-errors", smart)
    if "i/o error" in lower or "media error" in lower:
        return _Sort("io", "critical", name, "disk-errors", smart)
    return None


def _device(text: str) -> str:
    found = _DEV.search(text)
    return next((group for group in found.groups() if group), "") if found else ""


def _filesystem(text: str) -> str:
    found = _FS.search(text)
    return found.group(1) if found else _device(text)


def _hung(lines: list[KernelLine], host: str) -> Iterator[Finding]:
    seen: dict[str, tuple[re.Match[str], KernelLine]] = {}
    for line in lines:
        found = _HUNG.search(line.text)
        if found:
            seen.setdefault(found.group(2), (found, line))
    for pid, (found, line) in list(seen.items())[:3]:
        more = len(seen) - 1
        yield Finding(
            verdict="critical",
            target=target_key("process", pid, host=host),
            subject="disk",
            message=say(
                "finding.kdisk.hung",
                name=found.group(1),
                pid=pid,
                seconds=found.group(3),
                more=f", {more} more tasks as well" if more else "",
            ),
            line=line.raw,
            cause="disk-saturated",
            sure=0.85,
            next=f"cat /proc/{pid}/stack; mount | grep -E 'nfs|cifs|fuse|ceph'; iostat -x 1 3",
        )


def _file_servers(lines: list[KernelLine], host: str) -> Iterator[Finding]:
    """NFS servers that went silent, and whether the last word was that they are back."""
    silent: dict[str, KernelLine] = {}
    back: set[str] = set()
    for line in lines:
        found = _SERVER.search(line.text)
        if found is None:
            continue
        if found.group(2) == "OK":
            back.add(found.group(1))
        else:
            silent.setdefault(found.group(1), line)
            back.discard(found.group(1))
    for server, line in silent.items():
        again = server in back
        yield Finding(
            verdict="warn" if again else "critical",
            target=target_key("address", server, host=host),
            subject="disk",
            message=say(
                "finding.kdisk.nfs", device=server, text=", and answers again" if again else ""
            ),
            line=line.raw,
            cause="disk-saturated",
            next=f"ping {server}; nfsstat -c; cat /proc/self/mountstats",
        )


def _arrays(lines: list[KernelLine], host: str) -> Iterator[Finding]:
    for line in lines:
        found = _ARRAY.search(line.text)
        if found:
            yield Finding(
                verdict="critical",
                target=target_key("array", found.group(1), host=host),
                subject="disk",
                message=say("finding.kdisk.array", device=found.group(1), member=found.group(2)),
                line=line.raw,
                cause="raid-degraded",
                next=f"cat /proc/mdstat; mdadm --detail /dev/{found.group(1)}",
            )
