"""Who uses a GPU over some samples: computing, encoding, decoding; and a driver that is silent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.view import View
from weaklink.model.fact_gpu import DriverTrouble, Gpu, GpuProcess, GpuSample
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.gpu.video": "GPU {gpu}: enc {encoder}, dec {decoder}, SM only {sm}: it works on "
        "video, not on a model",
        "finding.gpu.video-full": "GPU {gpu}: enc {encoder}, dec {decoder}: its video unit is the "
        "limit, SM {sm}",
        "finding.gpu.use": "GPU {gpu}: SM {sm}, enc {encoder}, dec {decoder}{watts} over {count} "
        "samples",
        "finding.gpu.hog": "GPU {gpu}: {name} (pid {pid}) takes {share} of the SMs, which it "
        "shares with {others}",
        "finding.gpu.users": "GPU {gpu}: {who}",
        "finding.driver.lost": "GPU {bus} is lost: power, PCIe or the card itself, no program; "
        "only a reboot (or reseating it) brings it back",
        "finding.driver.reset": "GPU {bus} requires a reset before it can be used again",
        "finding.driver.no-driver": "the NVIDIA driver does not answer: not loaded, or broken "
        "after an update of the kernel",
        "finding.driver.mismatch": "the NVIDIA driver in the kernel and its library differ: an "
        "update without a reboot; new processes cannot use the GPU",
        "finding.driver.lost-to-container": "the GPU was taken from this container (NVML: Unknown "
        "Error): its cgroup was rewritten, typically by a systemd reload; restart the container",
        "finding.driver.no-device": "the driver is there, but finds no GPU",
        "finding.driver.no-permission": "the GPU's devices may not be opened from here",
        "finding.driver.insufficient-power": "a GPU has no external power",
        "finding.driver.timeout": "the NVIDIA driver did not answer in time: it or a GPU hangs",
        "finding.driver.no-tool": "nvidia-smi is not installed here: nothing was seen of a GPU",
    }
)
VIDEO, VIDEO_FULL, COMPUTES = 0.3, 0.95, 0.3
"""Shares: the video unit works; it is the limit; below that the SMs hardly do."""
HOG = 0.9


@look("gpu")
def gpu_samples(view: View) -> Iterable[Judged]:
    """What the card was busy with: "GPU idle" must also look at encoder and decoder."""
    by_gpu: dict[str, list[GpuSample]] = defaultdict(list)
    for fact in view.case.hardware:
        if isinstance(fact, GpuSample):
            by_gpu[fact.gpu].append(fact)
    for name, samples in by_gpu.items():
        yield _samples(name, samples, view.case.host.name)


def _samples(name: str, samples: list[GpuSample], host: str) -> Finding:
    sm = _known(sample.multiprocessor for sample in samples)
    encoder = _known(sample.encoder for sample in samples)
    decoder = _known(sample.decoder for sample in samples)
    power = _known(sample.power for sample in samples)
    video = max(_mean(encoder), _mean(decoder))
    verdict: Verdict = "healthy"
    key = "use"
    if not sm and not encoder and not decoder:
        verdict = "unknown"
    elif video >= VIDEO_FULL:
        verdict, key = "warn", "video-full"
    elif video >= VIDEO and _mean(sm) < COMPUTES:
        key = "video"
    busiest = max(samples, key=lambda s: max(s.encoder or 0, s.decoder or 0, s.multiprocessor or 0))
    return Finding(
        verdict=verdict,
        target=target_key("gpu", name, host=host),
        subject="gpu",
        message=say(
            f"finding.gpu.{key}",
            gpu=name,
            sm=_range(sm),
            encoder=_range(encoder),
            decoder=_range(decoder),
            count=len(samples),
            watts=f", {min(power):.0f}-{max(power):.0f} W" if power else "",
        ),
        line=busiest.line,
        cause="gpu-compute-saturated",
        sure=0.8,
        next="nvidia-smi pmon -c 5: which process" if verdict != "healthy" else "",
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _range(values: list[float]) -> str:
    if not values:
        return "not said"
    low, high = round(min(values) * 100), round(max(values) * 100)
    return f"{high} %" if low == high else f"{low}-{high} %"


@look("gpu")
def gpu_processes(view: View) -> Iterable[Judged]:
    """Which process uses the SMs, where the text says it by process (pmon)."""
    by_gpu: dict[str, list[GpuProcess]] = defaultdict(list)
    tables = any(isinstance(fact, Gpu) for fact in view.case.hardware)
    for fact in view.case.hardware:
        if isinstance(fact, GpuProcess) and not fact.gone:
            by_gpu[fact.gpu].append(fact)
    for name, processes in by_gpu.items():
        measured = [process for process in processes if process.multiprocessor is not None]
        if measured:
            yield _users(name, processes, measured, view.case.host.name)
        elif not tables:
            yield _holders(name, processes, view.case.host.name)


def _users(
    name: str, processes: list[GpuProcess], measured: list[GpuProcess], host: str
) -> Finding:
    top = max(measured, key=lambda process: process.multiprocessor or 0)
    others = [process for process in processes if process.pid != top.pid]
    share = f"{(top.multiprocessor or 0) * 100:.0f} %"
    hog = (top.multiprocessor or 0) >= HOG and bool(others)
    names = ", ".join(dict.fromkeys(f"{p.name} (pid {p.pid})" for p in others[:4]))
    message = (
        say("finding.gpu.hog", gpu=name, name=top.name, pid=top.pid, share=share, others=names)
        if hog
        else say("finding.gpu.users", gpu=name, who=f"{top.name} (pid {top.pid}) SM {share}")
    )
    return Finding(
        verdict="warn" if hog else "healthy",
        target=target_key("process", str(top.pid), host=host),
        subject="gpu",
        message=message,
        line=top.line,
        cause="gpu-compute-saturated",
        sure=0.85,
        next=f"ps -o pid,user,cgroup,cmd -p {top.pid}" if hog else "",
    )


def _holders(name: str, processes: list[GpuProcess], host: str) -> Finding:
    """Memory by process without the card's size: who holds it, but not whether it is too much."""
    from weaklink.locate.gpu_words import process_words

    return Finding(
        verdict="unknown",
        target=target_key("gpu", name or "-", host=host),
        subject="gpu",
        message=say("finding.gpu.users", gpu=name or "-", who=process_words(processes)),
        line=processes[0].line,
        next="nvidia-smi: the cards' own use and memory",
    )


_DRIVER: dict[str, tuple[Verdict, str, str]] = {
    "lost": ("critical", "gpu-fault", "dmesg | grep -iE 'xid|fallen|pcie'; then reboot"),
    "reset": ("critical", "gpu-fault", "drain, then nvidia-smi --gpu-reset"),
    "no-driver": ("critical", "gpu-fault", "lsmod | grep nvidia; dmesg | grep -i nvrm"),
    "mismatch": ("critical", "gpu-fault", "reboot, or unload and load the module"),
    "lost-to-container": (
        "critical",
        "gpu-lost-to-container",
        "restart it; nvidia-smi on the host",
    ),
    "no-device": ("critical", "gpu-fault", "lspci | grep -i nvidia: rev ff is a lost card"),
    "no-permission": ("unknown", "", "as root, or in the group of /dev/nvidia*"),
    "insufficient-power": ("critical", "gpu-fault", "power cables of the card"),
    "timeout": ("critical", "gpu-fault", "dmesg | grep -i xid; do not start it again and again"),
    "no-tool": ("unknown", "", ""),
}


@look("gpu")
def gpu_driver(view: View) -> Iterable[Judged]:
    """What the driver's tool said instead of an answer; silence itself is evidence."""
    yield from _driver(view)


def _driver(view: View) -> Iterator[Finding]:
    for fact in view.case.hardware:
        if isinstance(fact, DriverTrouble) and fact.kind in _DRIVER:
            verdict, cause, step = _DRIVER[fact.kind]
            yield Finding(
                verdict=verdict,
                target=target_key("gpu", fact.bus or "driver", host=view.case.host.name),
                subject="gpu",
                message=say(f"finding.driver.{fact.kind}", bus=fact.bus or "?"),
                line=fact.text,
                cause=cause,
                next=step,
            )
