"""GC logs of the JVM: JDK 8's -XX:+PrintGC(Details) and the unified log of JDK 9 and later.

All collectors: Serial, Parallel, CMS, G1, Shenandoah, ZGC. Concurrent phases are no pauses.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from weaklink.model.fact_text_jvm import FullCollection, GcDigest
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.sayings import stamp_of
from weaklink.parse.text_tool import Passage, tool

_UNIFIED = re.compile(
    r"(?:\[\d{4}-\d\d-\d\dT[\d:.]{8,14}[+-]\d{4}\])?(?:\[(\d{1,10}[.,]\d{3})s\])?"
    r"(?:\[\d{1,15}ms\])?(?:\[\d{1,10}\])?(?:\[\w{1,20}\])?\[\w{1,10} {0,4}\]\[gc[\w, +]{0,40}\]"
    r"(?:\[[^\]]{0,40}\])? ?(.{1,600})$"
)
_PLAIN = re.compile(r"(?:\[(\d{1,10}[.,]\d{3})s\])\[(?:info|debug|warning) {0,3}\]\[gc")
_PAUSE = re.compile(r"GC\(\d{1,9}\) (Pause [A-Za-z ]{2,40}?)((?: \([^)]{1,60}\)){0,4})(?: |$)")
_HEAP = re.compile(r"(\d{1,9}[KMG])->(\d{1,9}[KMG])\((\d{1,9}[KMG])\)")
_MS = re.compile(r" (\d{1,9}[.,]\d{1,3})ms\s*$")
_OLD = re.compile(
    r"(?:\d{4}-\d\d-\d\dT[\d:.,]{8,14}[+-]\d{4}: )?(\d{1,10}[.,]\d{3}): "
    r"(?:#\d{1,9}: )?(\[(?:Full )?GC.{0,1500})$"
)
_SECS = re.compile(r", (\d{1,6}[.,]\d{3,9}) secs\]")
_CAUSE = re.compile(
    r"\[(?:Full )?GC {0,2}(?:pause )?((?:\([^()]{1,40}(?:\(\))?[^()]{0,20}\) {0,2}){0,4})"
)
_WORD = re.compile(r"\(([^()]{1,40}(?:\(\))?)\)")
TROUBLE = (
    "concurrent mode failure",
    "concurrent mode interrupted",
    "promotion failed",
    "to-space exhausted",
    "to-space overflow",
    "Evacuation Failure",
    "Allocation Stall",
    "GC overhead limit exceeded",
    "Degenerated GC",
    "Cancelling concurrent GC",
    "Out Of Memory",
)
_COLLECTORS = {
    "ParNew": "CMS",
    "CMS": "CMS",
    "PSYoungGen": "Parallel",
    "DefNew": "Serial",
    "Tenured": "Serial",
    "GC pause (": "G1",
    "Using G1": "G1",
    "G1 Evacuation": "G1",
    "Using Shenandoah": "Shenandoah",
    "Using The Z": "ZGC",
    "Using Parallel": "Parallel",
    "Using Serial": "Serial",
    "Using Concurrent Mark": "CMS",
}
_STALL = re.compile(r"Allocation Stall \([^()]{1,200}\) (\d{1,9}[.,]\d{1,6})ms")
_SCALE = {"K": 1024.0, "M": 1024.0**2, "G": 1024.0**3}


def _starts(line: str) -> bool:
    bare = line.lstrip()
    return (
        _OLD.match(bare) is not None
        or _UNIFIED.match(bare) is not None
        or _PLAIN.match(bare) is not None
    )


def _goes_on(line: str) -> bool:
    return line.startswith(("   ", " [Times", "\t")) or (
        "secs]" in line or "concurrent mode" in line or line.startswith(("Heap", " "))
    )


@tool(
    "jvm-gc",
    heads=("[", *"0123456789"),
    starts=_starts,
    goes_on=_goes_on,
    scattered=True,
)
def jvm_gc(passage: Passage) -> Take | None:
    """One digest of the log; None where no pause or trouble stands in it."""
    digest = _Digest()
    for line in passage.lines:
        head = line[:2000].strip()
        digest.look_at(head)
        if unified := _UNIFIED.match(head):
            digest.unified(unified, head)
        elif old := _OLD.match(head):
            digest.old(old, head)
        elif digest.open is not None and (seconds := _SECS.search(head)):
            # `[Full GC … (concurrent mode failure)` goes on in the next line.
            at, cause, first = digest.open
            digest.open = None
            digest.pause(at, _number(seconds[1]), first, cause, _old_heap(head))
    return digest.take()


class _Digest:
    """A log while its lines come in."""

    def __init__(self) -> None:
        self.collector = ""
        self.pauses = 0
        self.seconds = 0.0
        self.longest = (0.0, "")
        self.longest_stall = 0.0
        self.first: float | None = None
        self.last: float | None = None
        self.full: list[FullCollection] = []
        self.full_count = 0
        self.full_seconds = 0.0
        self.full_longest: FullCollection | None = None
        self.causes: Counter[str] = Counter()
        self.trouble: Counter[str] = Counter()
        self.trouble_lines: dict[str, str] = {}
        self.out_of_memory = ""
        self.open: tuple[float | None, str, str] | None = None

    def look_at(self, line: str) -> None:
        if not self.collector:
            for word, name in _COLLECTORS.items():
                if word in line:
                    self.collector = name
                    break
        for word in TROUBLE:
            if word in line:
                self.trouble[word] += 1
                self.trouble_lines.setdefault(word, quoted(line))
        if "OutOfMemoryError" in line and not self.out_of_memory:
            self.out_of_memory = quoted(line)

    def unified(self, found: re.Match[str], line: str) -> None:
        pause = _PAUSE.search(found[2])
        taken = _MS.search(found[2])
        if pause is None or taken is None:
            # ZGC says for each thread how long it stood still for want of memory.
            if stalled := _STALL.search(found[2]):
                seconds = _number(stalled[1]) / 1000
                if seconds > self.longest_stall:
                    self.longest_stall = seconds
                    self.trouble_lines["Allocation Stall"] = quoted(line)
            return
        stamp = None if found[1] else stamp_of(line)
        at = _number(found[1]) if found[1] else stamp.seconds if stamp else None
        words = _WORD.findall(pause[2])
        heap = _HEAP.search(found[2])
        full = pause[1].startswith("Pause Full")
        self.pause(
            at,
            _number(taken[1]) / 1000,
            line,
            (words[0] if words else "?") if full else "",
            tuple(_size(part) for part in heap.groups()) if heap else None,
        )

    def old(self, found: re.Match[str], line: str) -> None:
        rest = found[2]
        at = _number(found[1])
        full = rest.startswith("[Full GC") or "concurrent mode failure" in rest
        causes = _CAUSE.match(rest)
        words = _WORD.findall(causes[1]) if causes else []
        cause = (words[0] if words else "?") if full else ""
        if "concurrent mode failure" in rest:
            cause = "concurrent mode failure"
        seconds = _SECS.findall(rest)
        if not seconds:
            last = re.search(r", (\d{1,6}[.,]\d{3,9}) secs\]?", rest)
            if last is None:
                self.open = (at, cause, line) if full else None
                return
            seconds = [last[1]]
        # Inner parts come first; the last figure is the whole pause.
        self.pause(at, _number(seconds[-1]), line, cause, _old_heap(rest) if cause else None)

    def pause(
        self,
        at: float | None,
        seconds: float,
        line: str,
        cause: str,
        heap: tuple[float, ...] | None,
    ) -> None:
        """One pause; `cause` is set for a collection of the whole heap only."""
        self.pauses += 1
        self.seconds += seconds
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)
        if seconds > self.longest[0]:
            self.longest = (seconds, quoted(line))
        if not cause:
            return
        one = FullCollection(
            cause=cause,
            seconds=seconds,
            before=heap[0] if heap else None,
            after=heap[1] if heap else None,
            capacity=heap[2] if heap else None,
            at=at,
            line=quoted(line),
        )
        self.full_count += 1
        self.full_seconds += seconds
        self.causes[cause] += 1
        self.full = [one]
        if self.full_longest is None or seconds > self.full_longest.seconds:
            self.full_longest = one

    def take(self) -> Take | None:
        if not self.pauses and not self.trouble and not self.out_of_memory:
            return None
        fields: dict[str, Any] = {
            "trouble": dict(self.trouble),
            "trouble_lines": self.trouble_lines,
            "full_by_cause": dict(self.causes.most_common(20)),
        }
        digest = GcDigest(
            collector=self.collector,
            pauses=self.pauses,
            paused_seconds=self.seconds,
            longest=self.longest[0],
            longest_line=self.longest[1],
            first_at=self.first,
            last_at=self.last,
            full=self.full_count,
            full_seconds=self.full_seconds,
            full_longest=self.full_longest,
            full_last=self.full[-1] if self.full else None,
            out_of_memory=self.out_of_memory,
            **fields,
        )
        return Take(software=[digest])


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _size(text: str) -> float:
    return float(text[:-1]) * _SCALE[text[-1]]


def _old_heap(rest: str) -> tuple[float, ...] | None:
    """The heap's figures: the last triple that stands outside of a generation's brackets."""
    depth, triples = 0, []
    for piece in re.finditer(r"\[|\]|(\d{1,12}K)->(\d{1,12}K)\((\d{1,12}K)\)", rest[:1500]):
        if piece[0] == "[":
            depth += 1
        elif piece[0] == "]":
            depth -= 1
        elif depth <= 1:
            triples.append(tuple(_size(part) for part in piece.groups()))
    return triples[-1] if triples else None


@tool("java-error", needles=("java.lang.OutOfMemoryError",), scattered=True)
def java_error(passage: Passage) -> Take | None:
    """OutOfMemoryErrors in an application's log."""
    lines = [line for line in passage.lines if "OutOfMemoryError" in line]
    if not lines:
        return None
    return Take(software=[GcDigest(out_of_memory=quoted(lines[0]))])
