"""The machine as top, mpstat, vmstat and uptime show it: full, waiting, stolen from, or idle.

What the first report of vmstat says is a mean since boot. A load average needs the number of
CPUs. A busy process is no fault; a full machine, a CPU full of interrupts and time stolen by the
hypervisor are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, percent
from weaklink.locate.view import View
from weaklink.model.fact_text_host import HostSample
from weaklink.model.finding import Finding, Verdict
from weaklink.words import texts

texts(
    {
        "finding.cpus.full": "the machine's CPUs are full: {idle} idle[, load {load}]",
        "finding.cpus.idle": "CPUs are {idle} idle[, load {load}]",
        "finding.cpus.iowait": "CPUs wait for disks {share} of the time",
        "finding.cpus.steal": "the hypervisor takes {share} of the CPU time for others (steal)",
        "finding.cpus.softirq": "CPU {cpu} spends {share} of its time on interrupts of the network "
        "(softirq): packets queue behind one CPU",
        "finding.cpus.one-cpu": "CPU {cpu} is full while the machine is {idle} idle: one thread is "
        "the limit",
        "finding.cpus.blocked": "{count} tasks wait uninterruptibly for I/O (state D)",
        "finding.cpus.load-high": "load {load} on {cpus} CPUs: {times} times what they can run",
        "finding.cpus.load-ok": "load {load} on {cpus} CPUs",
        "finding.cpus.load-low": "load {load}: hardly anything runs",
        "finding.cpus.load-unsaid": "load {load}: how much that is depends on the number of CPUs, "
        "which the text does not show; tasks waiting for disks count too",
        "finding.cpus.since-boot": "only a mean since boot, which says nothing about now",
    }
)
FULL, BUSY = 0.03, 0.10
"""Share idle: under 10 % requests queue for a CPU now and then, under 3 % nearly always."""
IOWAIT, IOWAIT_BAD = 0.20, 0.40
"""iowait counts only CPUs that had nothing else to do, so a fifth of all is much."""
STEAL, STEAL_BAD = 0.05, 0.20
SOFTIRQ, SOFTIRQ_BAD = 0.50, 0.85
"""Of one CPU; ksoftirqd competes with the service from there on."""
ONE_FULL = 0.03
CROWD, CROWD_BAD = 1.5, 4.0
"""Load per CPU; it counts tasks in state D, so up to 1.5 it is no queue for a CPU."""
BLOCKED = 4.0
"""Tasks in state D in the median report: one or two are a disk at work."""


@look("cpu")
def host_tables(view: View) -> Iterable[Judged]:
    """One finding a question that the tables answer."""
    said = Said(view, "cpu", "host")
    samples = [fact for fact in view.case.software if isinstance(fact, HostSample)]
    cpus = next((fact.cpus for fact in samples if fact.cpus), None)
    singles = [fact for fact in samples if fact.cpu.isdigit()]
    cpus = cpus or len(singles) or None
    whole = [fact for fact in samples if fact.idle is not None and not fact.cpu.isdigit()]
    now = [fact for fact in whole if not fact.since_boot]
    if whole and not now:
        yield said.finding("unknown", "finding.cpus.since-boot", "-", whole[-1].line,
                           next="vmstat 1 5")  # fmt: skip
    elif now:
        load = next((fact.load for fact in samples if fact.load), [])
        yield from _shares(said, now, load)
    else:
        yield from _load(said, samples, cpus)
    yield from _singles(said, singles)


def _middle(samples: list[HostSample], name: str) -> tuple[float, HostSample] | None:
    """The median of one share over the reports, and the report that has it."""
    told = [(getattr(one, name), at) for at, one in enumerate(samples)]
    values = sorted((value, at) for value, at in told if value is not None)
    if not values:
        return None
    value, at = values[len(values) // 2]
    return value, samples[at]


def _shares(said: Said, samples: list[HostSample], load: list[float]) -> Iterator[Finding]:
    idle = _middle(samples, "idle")
    assert idle is not None
    wait = _middle(samples, "iowait")
    free = idle[0] + (wait[0] if wait else 0.0)
    shown = {"load": " ".join(figure(value, 2) for value in load)} if load else {}
    verdict: Verdict = "critical" if free < FULL else "warn" if free < BUSY else "healthy"
    troubles = list(_troubles(said, samples))
    yield from troubles
    if verdict == "healthy" and troubles:
        return
    yield said.finding(
        verdict,
        "finding.cpus.full" if verdict != "healthy" else "finding.cpus.idle",
        "-",
        idle[1].line,
        sure=0.8,
        next="top -H -b -n1 | head -30: which threads" if verdict != "healthy" else "",
        idle=percent(idle[0]),
        more=shown,
    )


def _troubles(said: Said, samples: list[HostSample]) -> Iterator[Finding]:
    """What takes the CPUs' time from programs, or makes them wait."""
    for name, warn, bad, key, cause, after in (
        ("iowait", IOWAIT, IOWAIT_BAD, "iowait", "disk-saturated", "iostat -x 1 3; pidstat -d 2"),
        ("steal", STEAL, STEAL_BAD, "steal", "cpu-steal", "ask the provider; move the machine"),
        ("softirq", SOFTIRQ, SOFTIRQ_BAD, "softirq", "softirq-bound", "mpstat -P ALL 1 3"),
    ):
        found = _middle(samples, name)
        if found is not None and found[0] >= warn:
            yield said.finding(
                "critical" if found[0] >= bad else "warn",
                f"finding.cpus.{key}",
                "-",
                found[1].line,
                cause=cause,
                sure=0.75,
                next=after,
                share=percent(found[0]),
                cpu="all",
            )
    blocked = _middle(samples, "blocked")
    if blocked is not None and blocked[0] >= BLOCKED:
        yield said.finding(
            "warn",
            "finding.cpus.blocked",
            "-",
            blocked[1].line,
            cause="disk-saturated",
            sure=0.6,
            next="ps -eo state,pid,wchan:30,comm | grep ^D",
            count=figure(blocked[0]),
        )


def _load(said: Said, samples: list[HostSample], cpus: int | None) -> Iterator[Finding]:
    fact = next((fact for fact in samples if fact.load), None)
    if fact is None:
        return
    load = " ".join(figure(value, 2) for value in fact.load)
    now = fact.load[0]
    if cpus:
        crowd = now / cpus
        bad = crowd >= CROWD
        yield said.finding(
            "critical" if crowd >= CROWD_BAD else "warn" if bad else "healthy",
            "finding.cpus.load-high" if bad else "finding.cpus.load-ok",
            "-",
            fact.line,
            sure=0.6,
            next="vmstat 1 5: r (waits for a CPU) against b (waits for a disk)" if bad else "",
            load=load,
            cpus=cpus,
            times=figure(crowd),
        )
    elif max(fact.load) < 1.0:
        yield said.finding("healthy", "finding.cpus.load-low", "-", fact.line, load=load, sure=0.8)
    else:
        yield said.finding(
            "unknown", "finding.cpus.load-unsaid", "-", fact.line, load=load,
            next="nproc; vmstat 1 5",
        )  # fmt: skip


def _singles(said: Said, singles: list[HostSample]) -> Iterator[Finding]:
    """One CPU that differs from the rest: interrupts that land on it, or one thread."""
    if len(singles) < 2:
        return
    worst = max(singles, key=lambda one: one.softirq or 0.0)
    soft = worst.softirq or 0.0
    if soft >= SOFTIRQ:
        yield said.finding(
            "critical" if soft >= SOFTIRQ_BAD else "warn",
            "finding.cpus.softirq",
            worst.cpu,
            worst.line,
            cause="softirq-bound",
            next="cat /proc/interrupts; ethtool -l; RPS or more queues",
            cpu=worst.cpu,
            share=percent(soft),
        )
        return
    full = [one for one in singles if one.idle is not None and one.idle <= ONE_FULL]
    idle = sum(one.idle or 0.0 for one in singles) / len(singles)
    if len(full) == 1 and idle > 0.5:
        yield said.finding(
            "warn",
            "finding.cpus.one-cpu",
            full[0].cpu,
            full[0].line,
            sure=0.6,
            next="top -H -b -n1 | head -20: which thread",
            cpu=full[0].cpu,
            idle=percent(idle),
        )
