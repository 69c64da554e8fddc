"""One GPU at one moment: broken, slowed down, spinning without work, held by somebody, or fine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.gpu_words import mib, of_total, percent_words, process_words
from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.locate.xid_table import WARN_ALONE, meaning
from weaklink.model.fact_gpu import Gpu, GpuProcess, MigSlice
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.gpu.error": "GPU {gpu}: the driver cannot read it ({error}): it is failing or "
        "has dropped off",
        "finding.gpu.last-xid": "GPU {gpu}: the last error that the driver reported is Xid "
        "{number} ({what}); when that was, this does not say",
        "finding.gpu.recovery": "GPU {gpu}: the driver asks for a recovery action: {action}",
        "finding.gpu.ecc": "GPU {gpu}: {count} uncorrectable ECC errors since the driver was "
        "loaded: data on it is wrong or programs were killed; reset it",
        "finding.gpu.ecc-past": "GPU {gpu}: {count} uncorrectable ECC errors in its life, none "
        "since the driver was loaded: watch it",
        "finding.gpu.remap-failed": "GPU {gpu}: remapping a memory row failed: have the card "
        "replaced",
        "finding.gpu.remap-pending": "GPU {gpu}: a memory row waits to be remapped (Pending): "
        "it needs a reset of the GPU, not a new card{corrected}",
        "finding.gpu.hw-slowdown": "GPU {gpu} is slowed down by its hardware: {reasons} active"
        "{heat}",
        "finding.gpu.sw-thermal": "GPU {gpu} is slowed down for its temperature: {reasons} active"
        "{heat}",
        "finding.gpu.was-slowed": "GPU {gpu}: no slowdown is active now, but {what} since the "
        "driver was loaded{heat}: mild limiting by temperature",
        "finding.gpu.pcie": "GPU {gpu}: PCIe link of {width} lanes where {most} are possible: "
        "loading and copies are slower; reseat it",
        "finding.gpu.spins": "GPU {gpu}: 100 % busy, but only {watts} of {limit} W{heat}{memory}: "
        "a kernel spins and computes nothing, as in a hung collective or a left-over process",
        "finding.gpu.gone": "GPU memory is held by pid {pid} ({memory}), which is no process any "
        "more (No such process): a leaked context; kill cannot free it, a reset of the GPU can",
        "finding.gpu.hidden": "GPU {gpu}: {memory} in use, {busy}, but no process is listed: the "
        "owner is hidden from here (a container, or no permission)",
        "finding.gpu.shared": "GPU {gpu} is {busy} at {watts}: it really computes, and {count} "
        "processes share it: {who}",
        "finding.gpu.mig": "GPU {gpu} is in MIG mode: its use as a whole is N/A, which is not "
        "zero; instances: {slices}",
        "finding.gpu.calm": "GPU {gpu}: {busy}, memory {memory}{watts}{health}",
        "finding.gpu.health-only": "GPU {gpu}:{health}",
        "finding.gpu.unsaid": "GPU {gpu}: the text lacks its use, memory and errors: nothing can "
        "be said of its load or health",
    }
)
SPIN_BUSY, SPIN_POWER = 0.95, 0.35
"""Share busy and share of the power limit. A card that computes draws 50 % and more; one whose
kernels only wait for a peer draws about 20-30 % (A100: 80-120 of 400 W, RTX 6000: 90 of 300)."""
HOLDS = 1024.0**3
"""Bytes that somebody must own; the driver itself takes some hundred MiB."""
HOT, VERY_HOT = 75.0, 88.0
"""Celsius: from 75 on past thermal slowdowns may well come again; at 88 most cards throttle."""
SLOWED = 0.1
"""Seconds of thermal slowdown since the driver was loaded that are worth a word."""
HARDWARE_REASONS = {"HW Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown"}
THERMAL_REASONS = {"SW Thermal Slowdown", "HW Thermal Slowdown"}


@look("gpu")
def gpu(view: View) -> Iterable[Judged]:
    """Each GPU's faults and load; what the text does not say is unknown, never 0."""
    host = view.case.host.name
    facts = view.case.hardware
    processes = [fact for fact in facts if isinstance(fact, GpuProcess)]
    slices = [fact for fact in facts if isinstance(fact, MigSlice)]
    yield from _gone(processes, host)
    for fact in facts:
        if isinstance(fact, Gpu):
            own = [p for p in processes if not p.gone and p.gpu in _names(fact)]
            bad = [*_faults(fact, host), *_load(fact, own, host)]
            yield from bad
            if not bad:
                yield _calm(fact, [s for s in slices if s.gpu in _names(fact)], host)


def _names(fact: Gpu) -> set[str]:
    return {name for name in (fact.index, fact.bus, fact.uuid) if name}


def label(fact: Gpu) -> str:
    """How a person tells the card from the others: index, address and model."""
    place = f"{fact.index} ({fact.bus})" if fact.index and fact.bus else fact.index or fact.bus
    return f"{place} {fact.name}".strip() or "(not named)"


def _finding(
    fact: Gpu,
    host: str,
    verdict: Verdict,
    key: str,
    line: str,
    *,
    cause: str = "gpu-fault",
    step: str = "",
    sure: float = 0.9,
    **args: Argument,
) -> Finding:
    return Finding(
        verdict=verdict,
        target=target_key("gpu", fact.bus or fact.index or "-", host=host),
        subject="gpu",
        message=say(f"finding.gpu.{key}", gpu=label(fact), **args),
        line=line,
        cause=cause,
        next=step,
        sure=sure,
    )


def _heat(fact: Gpu) -> str:
    return "" if fact.temperature is None else f", {fact.temperature:.0f} C"


def _faults(fact: Gpu, host: str) -> Iterator[Finding]:
    line = fact.lines.get
    main = line("utilisation", "")
    if fact.error or fact.lost:
        yield _finding(fact, host, "critical", "error", main, error=fact.error or "lost",
                       step="dmesg | grep -iE 'xid|fallen'; reset or reboot")  # fmt: skip
    if fact.recovery_action not in {"", "None"}:
        yield _finding(fact, host, "critical", "recovery", line("recovery_action", ""),
                       action=fact.recovery_action, step="drain the node first")  # fmt: skip
    if fact.last_xid:
        means = meaning(fact.last_xid)
        mild = fact.last_xid in WARN_ALONE or means.kind in {"program", "secondary", "notice"}
        yield _finding(fact, host, "warn" if mild else "critical", "last-xid",
                       line("last_xid", main), number=fact.last_xid, what=means.text,
                       step="dmesg -T | grep -i xid: when, and what came first")  # fmt: skip
    if fact.ecc_uncorrected_volatile:
        yield _finding(fact, host, "critical", "ecc", line("volatile", main),
                       count=fact.ecc_uncorrected_volatile,
                       step="dmesg | grep -i xid; nvidia-smi -q -d ECC,ROW_REMAPPER")  # fmt: skip
    elif fact.ecc_uncorrected_aggregate:
        yield _finding(fact, host, "warn", "ecc-past", line("aggregate", main),
                       count=fact.ecc_uncorrected_aggregate,
                       step="nvidia-smi -q -d ECC,ROW_REMAPPER")  # fmt: skip
    if fact.remap_failed:
        yield _finding(fact, host, "critical", "remap-failed", line("remap_failed", main))
    elif fact.remap_pending or fact.retired_pending:
        few = f"; {fact.ecc_corrected} corrected errors, 0 others" if fact.ecc_corrected else ""
        name = "remap_pending" if fact.remap_pending else "retired_pending"
        yield _finding(fact, host, "warn", "remap-pending", line(name, main), corrected=few,
                       step="drain, then nvidia-smi --gpu-reset -i N or reboot")  # fmt: skip
    yield from _slowed(fact, host)
    width, most = fact.pcie_width, fact.pcie_width_max
    if width and most and width * 4 <= most:
        yield _finding(fact, host, "warn", "pcie", line("pcie_width", main), width=width,
                       most=most, step="lspci -vv -s BUS | grep LnkSta")  # fmt: skip


def _slowed(fact: Gpu, host: str) -> Iterator[Finding]:
    active = [reason for reason in fact.slowdowns if reason in HARDWARE_REASONS]
    thermal = [reason for reason in fact.slowdowns if reason == "SW Thermal Slowdown"]
    hot = fact.temperature is not None and fact.temperature >= (
        fact.temperature_slowdown or VERY_HOT
    )
    reasons = active or thermal
    if reasons:
        key, verdict = ("hw-slowdown", "critical") if active else ("sw-thermal", "warn")
        yield _finding(fact, host, "critical" if verdict == "critical" else "warn", key,
                       fact.lines.get(f"slowdown {reasons[0]}", ""), heat=_heat(fact),
                       reasons=", ".join(reasons), step="fans, airflow, power supply")  # fmt: skip
        return
    past = {r: s for r, s in fact.slowdown_seconds.items() if r in THERMAL_REASONS and s >= SLOWED}
    if past and (hot or (fact.temperature or 0) >= HOT):
        reason = max(past, key=lambda name: past[name])
        yield _finding(fact, host, "warn", "was-slowed", fact.lines.get(f"seconds {reason}", ""),
                       what=f"{past[reason]:.1f} s of {reason}", heat=_heat(fact), sure=0.7,
                       step="look again in a minute: does the counter grow?")  # fmt: skip


def _load(fact: Gpu, processes: list[GpuProcess], host: str) -> Iterator[Finding]:
    main = fact.lines.get("utilisation", "")
    busy, used, total = fact.utilisation, fact.memory_used, fact.memory_total
    spins = (
        busy is not None
        and busy >= SPIN_BUSY
        and fact.power is not None
        and fact.power_limit
        and fact.power < SPIN_POWER * fact.power_limit
    )
    if spins:
        full = f", memory {of_total(used, total)}" if used is not None else ""
        yield _finding(
            fact, host, "critical", "spins", main, cause="collective-hang", sure=0.75,
            watts=f"{fact.power or 0:.0f}", limit=f"{fact.power_limit or 0:.0f}",
            heat=_heat(fact), memory=full,
            step="progress of the engine (tokens, steps); py-spy dump of every rank; NCCL log",
        )  # fmt: skip
    elif fact.processes_listed and not processes and used is not None and used > HOLDS:
        yield _finding(
            fact, host, "warn", "hidden", _two(main or fact.lines.get("memory_used", ""),
            fact.lines.get("memory_used", "")), cause="gpu-memory-hog", sure=0.8,
            memory=of_total(used, total), busy=percent_words(busy),
            step="as root on the host: fuser -v /dev/nvidia*; lsof /dev/nvidia*",
        )  # fmt: skip
    elif busy is not None and busy >= SPIN_BUSY and len(_programs(processes)) > 1 and not fact.full:
        yield _finding(
            fact, host, "warn", "shared", _two(main, processes[-1].line),
            cause="gpu-compute-saturated", sure=0.8, busy=percent_words(busy),
            watts="?" if fact.power is None else f"{fact.power:.0f} W", count=len(processes),
            who=process_words(processes), step="nvidia-smi pmon -c 5: who uses the SMs",
        )  # fmt: skip


def _programs(processes: list[GpuProcess]) -> set[str]:
    return {process.name for process in processes if process.kind != "G"}


def _two(first: str, second: str) -> str:
    return "\n".join(dict.fromkeys(line for line in (first, second) if line))


def _gone(processes: list[GpuProcess], host: str) -> Iterator[Finding]:
    gone = {process.pid: process for process in processes if process.gone}
    for process in processes:
        if process.gone or process.pid not in gone:
            continue
        yield Finding(
            verdict="critical",
            target=target_key("process", str(process.pid), host=host),
            subject="gpu",
            message=say("finding.gpu.gone", pid=process.pid, memory=mib(process.memory)),
            line=_two(process.line, gone[process.pid].gone_line),
            cause="gpu-memory-hog",
            sure=0.8,
            next="look in the other pid namespaces and for state D; then reset the GPU or reboot",
        )


def _calm(fact: Gpu, slices: list[MigSlice], host: str) -> Finding:
    health = _health(fact)
    main = fact.lines.get("utilisation") or next(iter(fact.lines.values()), "")
    if fact.mig:
        shown = ", ".join(
            f"{part.instance}: {of_total(part.memory_used, part.memory_total)}" for part in slices
        )
        line = slices[0].line if slices else main
        return _finding(fact, host, "healthy", "mig", line, cause="", slices=shown or "not listed",
                        sure=0.75)  # fmt: skip
    if fact.utilisation is None and fact.memory_used is None:
        if not health:
            return _finding(fact, host, "unknown", "unsaid", main, cause="",
                            step="nvidia-smi -q, whole")  # fmt: skip
        return _finding(fact, host, "healthy", "health-only", main, cause="", health=health)
    watts = ""
    if fact.power is not None:
        limit = f" of {fact.power_limit:.0f}" if fact.power_limit else ""
        watts = f", {fact.power:.0f}{limit} W"
    return _finding(
        fact, host, "healthy", "calm", main, cause="", busy=percent_words(fact.utilisation),
        memory=of_total(fact.memory_used, fact.memory_total), watts=watts,
        health=f";{health}" if health else "", sure=0.75,
    )  # fmt: skip


def _health(fact: Gpu) -> str:
    """What the text says of its health, in words; '' where it says nothing."""
    parts = []
    if fact.ecc_uncorrected_volatile == 0:
        parts.append("uncorrectable errors 0")
    if fact.remap_pending is False:
        rows = (fact.remapped_correctable or 0) + (fact.remapped_uncorrectable or 0)
        parts.append(f"Remapped Rows {rows}, none pending")
    if fact.slowdown_said:
        parts.append(f"limited by {', '.join(fact.slowdowns)}" if fact.slowdowns else
                     "no slowdown active")  # fmt: skip
    return " " + ", ".join(parts) if parts else ""
