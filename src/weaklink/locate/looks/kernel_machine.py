"""The machine in the kernel's own words: memory and CPU errors, lock-ups, crashes of programs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from weaklink.locate.kernel_lines import kernel_lines
from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_hardware import KernelLine
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.kernel.segfault": "{name} (pid {pid}) crashed: segfault{where}, {count} "
        "times: the process died of it",
        "finding.kernel.lockup": "CPU {cpu} was stuck in the kernel for {seconds} s{who}",
        "finding.kernel.stall": "a CPU did not come out of the kernel in time (RCU stall)",
        "finding.kernel.machine-check": "the CPU reports a hardware error (machine check)",
        "finding.kernel.memory-corrected": "a memory module corrects errors ({count} lines)",
        "finding.kernel.memory-uncorrected": "a memory module has errors that it cannot correct",
        "finding.kernel.throttled": "a CPU runs slower because it is too hot",
    }
)
_CRASHES = ("segfault at", "general protection", "trap invalid opcode")
_SEGFAULT = re.compile(
    r"(.{1,64})\[(\d{1,10})\]:? (?:segfault at|general protection|trap invalid opcode|"
    r"general protection fault)\b(?:.{0,200}? in ([^\[\s]{1,100})\[)?"
)
_LOCKUP = re.compile(r"soft lockup - CPU#(\d{1,4}) stuck for (\d{1,6})s!(?: \[(.{1,64}?)\])?")


@look("kernel")
def kernel_machine(view: View) -> Iterable[Judged]:
    """Crashes, lock-ups and errors of CPU and memory; one finding a sort."""
    host = view.case.host.name
    groups: dict[tuple[str, str], list[tuple[KernelLine, dict[str, Argument]]]] = {}
    for line in kernel_lines(view):
        sort = _sort(line.text)
        if sort is not None:
            key, who, args = sort
            groups.setdefault((key, who), []).append((line, args))
    for (key, who), found in groups.items():
        line, args = found[0]
        verdict, cause, step = _SAYS[key]
        yield Finding(
            verdict=verdict,
            target=target_key("process" if key == "segfault" else "host", who or "-", host=host),
            subject="kernel",
            message=say(f"finding.kernel.{key}", count=len(found), **args),
            line=line.raw,
            cause=cause,
            next=step,
        )


_SAYS: dict[str, tuple[Verdict, str, str]] = {
    "segfault": ("critical", "worker-crash-loop", "the program's own log at that second; a core"),
    "lockup": ("critical", "", "dmesg: the call trace below it"),
    "stall": ("warn", "", "dmesg: the call trace below it"),
    "machine-check": ("critical", "", "ras-mc-ctl --summary or ipmitool sel list"),
    "memory-corrected": ("warn", "", "ras-mc-ctl --errors names the module"),
    "memory-uncorrected": ("critical", "", "ras-mc-ctl --errors names the module: replace it"),
    "throttled": ("warn", "", "sensors; fans and airflow"),
}


def _sort(text: str) -> tuple[str, str, dict[str, Argument]] | None:
    crash = _SEGFAULT.search(text) if any(word in text for word in _CRASHES) else None
    if crash:
        name = crash.group(1).removeprefix("traps: ").strip()
        where = f" in {crash.group(3)}" if crash.group(3) else ""
        return "segfault", name, {"name": name, "pid": crash.group(2), "where": where}
    lock = _LOCKUP.search(text)
    if lock:
        who = f" by {lock.group(3)}" if lock.group(3) else ""
        return "lockup", "", {"cpu": lock.group(1), "seconds": lock.group(2), "who": who}
    if "self-detected stall" in text or "detected stalls on CPUs" in text:
        return "stall", "", {}
    if "EDAC" in text and (" UE " in text or "uncorrectable" in text.lower()):
        return "memory-uncorrected", "", {}
    if "EDAC" in text and (" CE " in text or "corrected error" in text.lower()):
        return "memory-corrected", "", {}
    if "[Hardware Error]" in text and "Machine check" in text:
        return "machine-check", "", {}
    if "CPU clock throttled" in text or "cpu clock throttled" in text:
        return "throttled", "", {}
    return None
