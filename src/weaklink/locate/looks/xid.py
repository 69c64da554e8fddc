"""The GPU driver's words in the kernel's log: which card, which error came first, what follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weaklink.locate.kernel_lines import kernel_lines, pci_address
from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.locate.xid_table import WARN_ALONE, meaning
from weaklink.model.fact_hardware import KernelLine
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.xid.one": "GPU {gpu}: Xid {first} ({what}){who}{times}. To do: {action}",
        "finding.xid.chain": "GPU {gpu}: Xid {first} ({what}){who}{times}; with it {others}. "
        "To do: {action}",
        "finding.xid.follows": "GPU {gpu}: Xid {first} ({what}) is a peer's echo: start at "
        "GPU {root}, Xid {number}",
        "finding.xid.same-everywhere": "GPU {gpu}: Xid 13 on {count} multiprocessors at once: a "
        "bad kernel of the program, not the card (a broken card fails in one place){who}",
        "finding.gpu.fell-off": "GPU {gpu} has fallen off the bus{xid}: it is gone until a "
        "reboot; look at power, temperature and PCIe errors before it",
        "finding.gpu.probe-failed": "the NVIDIA driver could not start a GPU: {text}",
        "finding.sxid.nonfatal": "NVSwitch {where}: non-fatal error {number}{port}: watch, no "
        "outage by itself",
        "finding.sxid.fatal": "NVSwitch {where}: fatal error {number}{port}: jobs that span GPUs "
        "fail until it is reset",
    }
)

_XID = re.compile(
    r"NVRM: (?:GPU at )?Xid \((?:PCI:)?([0-9a-fA-F:.]{5,20})\): (\d{1,4})(?:, (.{0,600}))?"
)
_PID = re.compile(r"pid='?(\d{1,10})\b")
_NAME = re.compile(r"name='?([^,'<>]{1,64})")
_PREVIOUS = re.compile(r"caused by previous Xid (\d{1,4})")
_SM = re.compile(r"GPC \d{1,2}, TPC \d{1,2}, SM \d{1,2}")
_LINK = re.compile(r"\blink (\d{1,3})\b", re.IGNORECASE)
_ACTION = re.compile(r"recovery action changed from .{1,40}? to 0x[0-9a-f]{1,4} \(([^)]{1,40})\)")
_SXID = re.compile(
    r"nvidia-nvswitch\w{0,4}: SXid \((?:PCI:)?([0-9a-fA-F:.]{5,20})\): (\d{1,6})(?:, (.{0,300}))?"
)
CERTAIN = 80
"""Rank from which on a hardware error is the cause whatever a program did before it."""
SAME_EVERYWHERE = 4
"""Xid 13 on so many different multiprocessors is one bad kernel that ran on all of them."""


class _Error(NamedTuple):
    gpu: str
    number: int
    rest: str
    line: KernelLine
    implied: bool = False
    """Named by another line ("caused by previous Xid N"), its own line is not in the text."""


@look("gpu")
def xid(view: View) -> Iterable[Judged]:
    """One finding a GPU: the error nearest to the cause, what came with it, what to do."""
    lines = kernel_lines(view)
    host = view.case.host.name
    errors = list(_errors(lines))
    by_gpu: dict[str, list[_Error]] = {}
    for error in errors:
        by_gpu.setdefault(error.gpu, []).append(error)
    root = _root_of_links(errors)
    for gpu, own in by_gpu.items():
        yield _judge(gpu, own, root, host)
    yield from _fallen(lines, {gpu for gpu, own in by_gpu.items() if _has(own, 79)}, host)
    yield from _switches(lines, host)


def _errors(lines: list[KernelLine]) -> Iterator[_Error]:
    for line in lines:
        found = _XID.search(line.text) if "Xid" in line.text else None
        if found is None:
            continue
        gpu, number, rest = found.group(1).rstrip(":"), int(found.group(2)), found.group(3) or ""
        previous = _PREVIOUS.search(rest)
        if previous:
            yield _Error(gpu, int(previous.group(1)), rest, line, implied=True)
        action = _ACTION.search(rest)
        if number == 154 and action and action.group(1) == "None":
            continue
        yield _Error(gpu, number, rest, line)


def _has(errors: list[_Error], number: int) -> bool:
    return any(error.number == number for error in errors)


def _root_of_links(errors: list[_Error]) -> _Error | None:
    """Where several GPUs report link errors: the one nearest to the link itself."""
    links = [error for error in errors if meaning(error.number).kind == "link"]
    if len({error.gpu for error in links}) < 2:
        return None
    return max(links, key=lambda error: meaning(error.number).rank)


def _judge(gpu: str, errors: list[_Error], root: _Error | None, host: str) -> Finding:
    first = _first(errors)
    means = meaning(first.number)
    target = target_key("gpu", gpu, host=host)
    lines = _quote(first, errors)
    who = _who(first, errors)
    if root is not None and root.gpu != gpu and means.kind in {"link", "secondary"}:
        return Finding(
            verdict="critical",
            target=target,
            subject="gpu",
            message=say(
                "finding.xid.follows",
                gpu=gpu,
                first=first.number,
                what=means.text,
                root=root.gpu,
                number=root.number,
            ),
            line=lines,
            cause="gpu-fault",
            next=meaning(root.number).action,
        )
    places = {p.group() for e in errors if e.number == 13 and (p := _SM.search(e.rest))}
    if len(places) >= SAME_EVERYWHERE and first.number == 13:
        return Finding(
            verdict="critical",
            target=target,
            subject="gpu",
            message=say("finding.xid.same-everywhere", gpu=gpu, count=len(places), who=who),
            line=lines,
            cause="poison-request",
            sure=0.8,
            next=means.action,
        )
    count = sum(1 for error in errors if error.number == first.number and not error.implied)
    link = _LINK.search(first.rest) if means.kind == "link" else None
    what = means.text + (f", link {link.group(1)}" if link else "")
    others = _others(first, errors)
    return Finding(
        verdict=_verdict(errors),
        target=target,
        subject="gpu",
        message=say(
            "finding.xid.chain" if others else "finding.xid.one",
            gpu=gpu,
            first=first.number,
            what=what,
            who=who,
            times=f", {count} times" if count > 1 else "",
            others=others,
            action=means.action or "find what came before it",
        ),
        line=lines,
        cause="collective-hang" if first.number == 109 else "gpu-fault",
        next=f"nvidia-smi -q -i {gpu} (with a deadline: it may hang); dmesg before that line",
    )


def _first(errors: list[_Error]) -> _Error:
    """The error nearest to the cause: what only follows never is, else the first hardware error,
    else, among errors of a program, the earliest."""
    real = [error for error in errors if meaning(error.number).kind not in {"secondary", "notice"}]
    if not real:
        return errors[0]
    hard = [error for error in real if meaning(error.number).kind not in {"program"}]
    earliest = real[0]
    worst = max(hard, key=lambda error: meaning(error.number).rank, default=earliest)
    if meaning(earliest.number).kind == "program" and meaning(worst.number).rank < CERTAIN:
        return earliest
    return worst


def _verdict(errors: list[_Error]) -> Verdict:
    return "warn" if all(error.number in WARN_ALONE for error in errors) else "critical"


def _others(first: _Error, errors: list[_Error]) -> str:
    counts: dict[int, int] = {}
    for error in errors:
        if error.number != first.number:
            counts[error.number] = counts.get(error.number, 0) + 1
    parts = []
    for number, count in list(counts.items())[:6]:
        means = meaning(number)
        times = f" x{count}" if count > 1 else ""
        text = f"{number}{times} ({means.text})"
        if number == 154:
            asked = [a.group(1) for e in errors if (a := _ACTION.search(e.rest))]
            text = f"154 (the driver asks: {asked[-1]})" if asked else text
        parts.append(text)
    return ", ".join(parts)


def _who(first: _Error, errors: list[_Error]) -> str:
    for error in [first, *errors]:
        pid, name = _PID.search(error.rest), _NAME.search(error.rest)
        if pid:
            return f", pid {pid.group(1)}" + (f" {name.group(1)}" if name else "")
    return ""


def _quote(first: _Error, errors: list[_Error]) -> str:
    second = next(
        (
            error.line.raw
            for error in errors
            if error.number != first.number and meaning(error.number).kind != "secondary"
        ),
        "",
    )
    return "\n".join(line for line in (first.line.raw, second) if line)


def _fallen(lines: list[KernelLine], known: set[str], host: str) -> Iterator[Finding]:
    """A card that fell off the bus without an Xid line; the message may span three lines."""
    seen: set[str] = set()
    for at, line in enumerate(lines):
        if "fallen off the bus" not in line.text or "Xid" in line.text:
            continue
        gpu, said = "", line.raw
        for near in [line, *reversed(lines[max(0, at - 3) : at])]:
            gpu = pci_address(near.text.partition("PCI ID")[0])
            if gpu:
                said = line.raw if near is line else f"{near.raw}\n{line.raw}"
                break
        if gpu in seen or any(gpu.startswith(other) for other in known):
            continue
        seen.add(gpu)
        yield Finding(
            verdict="critical",
            target=target_key("gpu", gpu or "unknown", host=host),
            subject="gpu",
            message=say(
                "finding.gpu.fell-off",
                gpu=gpu or "?",
                xid="" if known else " (no Xid line was printed; it is what Xid 79 means)",
            ),
            line=said,
            cause="gpu-fault",
            next=meaning(79).action,
        )


def _switches(lines: list[KernelLine], host: str) -> Iterator[Finding]:
    for line in lines:
        found = _SXID.search(line.text) if "SXid" in line.text else None
        if found:
            rest = (found.group(3) or "").lower()
            fatal = "fatal" in rest.replace("non-fatal", "")
            yield switch_finding(found.group(1), found.group(2), rest, line.raw, host, fatal=fatal)


def switch_finding(
    where: str, number: str, rest: str, line: str, host: str, *, fatal: bool
) -> Finding:
    """An NVSwitch error, from the kernel's log or the fabric manager's."""
    port = re.search(r"(?:port|link) (\d{1,3})", rest)
    return Finding(
        verdict="critical" if fatal else "warn",
        target=target_key("gpu", f"nvswitch {where}", host=host),
        subject="gpu",
        message=say(
            f"finding.sxid.{'fatal' if fatal else 'nonfatal'}",
            where=where,
            number=number,
            port=f" on port {port.group(1)}" if port else "",
        ),
        line=line,
        cause="gpu-fault",
        next="nvidia-smi nvlink -e on the GPUs of that port; fabric manager log",
    )
