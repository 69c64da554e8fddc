"""What the processes of a link are doing: Python stacks joined with native threads' CPU.

Native threads hide from Python stacks (PyAV decodes in `av:` threads while the Python thread
waits): their CPU is read from the kernel by thread, and attributed to the application's function
that waits for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from weaklink.locate.look import Judged, look
from weaklink.locate.origins import purpose_of_library, purpose_of_origin, purpose_of_thread
from weaklink.locate.python_threads import application_frame
from weaklink.locate.view import View
from weaklink.model.chain import Link
from weaklink.model.evidence import evidence
from weaklink.model.fact import StackThread
from weaklink.stats.robust import ramp
from weaklink.words import sign

PREPARES = sign(
    "stack.prepares-on-cpu",
    "process-stacks",
    "The link's CPU goes into decoding, resizing or tokenising, not into the model.",
    "{percent} % of its CPU goes into {what}, for {function} {file}:{line}",
    hurts=True,
)
SAME_WORK = sign(
    "stack.many-in-one-function",
    "process-stacks",
    "Most busy threads of the link are in one and the same function of the application.",
    "{share} of its busy threads are in {function} {file}:{line}",
)
WAITS_FOR = sign(
    "stack.waits-for-callee",
    "process-stacks",
    "The link's working threads sit in a client library: they wait for another link.",
    "{percent} % of its working threads wait in {what}",
)
PREPARE_SHARE = (0.4, 0.75)
"""Of the link's CPU: under 40 % something else is at least as large."""
LEAST_CPU = 0.3
"""CPUs: what uses less holds nobody up by computing."""
LEAST_SAMPLES = 4
LEAST_OF_CPU = 20
"""Samples of a link outside the kernel: fewer leave a share of ten percent to chance."""


class Doing(NamedTuple):
    """Shares of working samples by purpose, what was seen most, and the application's frame."""

    samples: int
    by_purpose: Counter[str]
    packages: Counter[str]
    functions: Counter[tuple[str, str, int]]


@look("stacks")
def what_they_do(view: View) -> Iterable[Judged]:
    """For every link with Python processes: prepare, compute, or wait."""
    for link in view.on_chain():
        stacks = view.stacks(link)
        threads = [thread for stack in stacks for thread in stack.threads]
        if not threads:
            yield from _native_only(view, link)
            continue
        doing = _doing(threads)
        yield from _prepares(view, link, doing)
        if doing.samples >= LEAST_SAMPLES:
            yield from _waits(link, doing)
            yield from _same(link, doing)


def _doing(threads: Iterable[StackThread]) -> Doing:
    by_purpose: Counter[str] = Counter()
    packages: Counter[str] = Counter()
    functions: Counter[tuple[str, str, int]] = Counter()
    samples = 0
    for thread in threads:
        own = application_frame(thread.frames)
        if own is None:
            continue  # pool threads without work and library housekeeping
        samples += 1
        functions[(own.function, own.file, own.line)] += 1
        found = next(
            (
                (purpose, frame.origin)
                for frame in thread.frames
                if (purpose := purpose_of_origin(frame.origin)) is not None
            ),
            None,
        )
        if found is not None:
            by_purpose[found[0]] += 1
            packages[found[1]] += 1
    return Doing(samples, by_purpose, packages, functions)


def _native(view: View, link: Link) -> tuple[float, float, str]:
    """CPUs used by all threads, by preparing native ones, and the name of their largest."""
    used = view.thread_cpu(link)
    preparing = {name: cpu for name, cpu in used.items() if purpose_of_thread(name) == "prepare"}
    largest = max(preparing, key=lambda name: (preparing[name], name), default="")
    return sum(used.values()), sum(preparing.values()), largest


def _prepares(view: View, link: Link, doing: Doing) -> Iterable[Judged]:
    found = _by_library(view, link) or _by_thread(view, link, doing)
    if found is None:
        return
    function, file, line = _of_package(doing)
    yield evidence(
        PREPARES,
        link.processes[0],
        ramp(found.share, *PREPARE_SHARE) if found.cpus >= LEAST_CPU else 0.0,
        link=link.key,
        value=round(found.share, 3),
        command=f"py-spy dump --nonblocking --pid {link.pids[0]}",
        percent=round(100 * found.share),
        what=found.what,
        function=function,
        file=file,
        line=line,
    )


class Preparing(NamedTuple):
    """Share of a link's CPU that prepares input, in what, and the CPUs that it uses in all."""

    share: float
    what: str
    cpus: float


def _by_library(view: View, link: Link) -> Preparing | None:
    """From the kernel's samples: the libraries that the CPU was in; None for too few."""
    counts = view.libraries(link)
    total = sum(counts.values())
    if total - counts.get("[kernel]", 0) < LEAST_OF_CPU:
        return None
    preparing = {n: c for n, c in counts.items() if purpose_of_library(n) == "prepare"}
    largest = max(preparing, key=lambda name: (preparing[name], name), default="?")
    return Preparing(sum(preparing.values()) / total, largest, view.cpu(link) or 0.0)


def _by_thread(view: View, link: Link, doing: Doing) -> Preparing | None:
    """Without samples: names of native threads; CPU outside them is split as stacks at work are."""
    total, native, name = _native(view, link)
    cpu = view.cpu(link)
    if cpu is None and not total:
        return None
    burns = max(cpu or 0.0, total)
    working = doing.by_purpose["prepare"] + doing.by_purpose["model"]
    sampled = doing.by_purpose["prepare"] / working if working else 0.0
    share = (native + sampled * max(0.0, burns - native)) / burns if burns > 0 else 0.0
    package = doing.packages.most_common(1)[0][0] if doing.packages else "?"
    what = f"{name.split(':d')[0]} threads" if native > burns / 3 else package
    return Preparing(share, what, burns)


def _of_package(doing: Doing) -> tuple[str, str, int]:
    if not doing.functions:
        return ("?", "?", 0)
    (function, file, line), _ = doing.functions.most_common(1)[0]
    return (function, file.rpartition("/")[2], line)


def _native_only(view: View, link: Link) -> Iterable[Judged]:
    """No stacks (another language, or not allowed): libraries and names of threads still speak."""
    total, native, name = _native(view, link)
    found = _by_library(view, link)
    if found is None and total >= LEAST_CPU and native:
        found = Preparing(native / total, f"{name} threads", total)
    if found is None or found.cpus < LEAST_CPU or not link.processes:
        return
    yield evidence(
        PREPARES,
        link.processes[0],
        ramp(found.share, *PREPARE_SHARE),
        link=link.key,
        value=round(found.share, 3),
        command=f"top -H -b -n1 -p {link.pids[0]}",
        percent=round(100 * found.share),
        what=found.what,
    )


def _waits(link: Link, doing: Doing) -> Iterable[Judged]:
    waiting = doing.by_purpose["client"] / doing.samples
    what = next(
        (p for p, _ in doing.packages.most_common() if purpose_of_origin(p) == "client"), "?"
    )
    yield evidence(
        WAITS_FOR,
        link.processes[0],
        ramp(waiting, 0.4, 0.8),
        link=link.key,
        value=round(waiting, 3),
        command=f"py-spy dump --nonblocking --pid {link.pids[0]}",
        percent=round(100 * waiting),
        what=what,
    )


def _same(link: Link, doing: Doing) -> Iterable[Judged]:
    by_name: Counter[tuple[str, str]] = Counter()
    for (function, file, _), count in doing.functions.items():
        by_name[(function, file)] += count
    (function, file), most = by_name.most_common(1)[0]
    line = next(row for name, path, row in doing.functions if (name, path) == (function, file))
    share = most / doing.samples
    yield evidence(
        SAME_WORK,
        link.processes[0],
        ramp(share, 0.5, 0.85),
        link=link.key,
        value=round(share, 3),
        command=f"py-spy dump --nonblocking --pid {link.pids[0]}",
        share=f"{most}/{doing.samples}",
        function=function,
        file=file.rpartition("/")[2],
        line=line,
    )
