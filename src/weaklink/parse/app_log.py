"""Sums up an application's log: errors by time, failed calls and their addresses, exceptions.

Lines are fed oldest first. A line that answers a request is a row of Requests and nothing else, so
that a path which reads "connection refused" is not taken for one. Text is believed by nobody: a
statement is a count, never a verdict.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from weaklink.model.fact_app_log import AppLog, AppSaying
from weaklink.parse.app_access import AccessRows, JsonAccess, asked_in
from weaklink.parse.app_phrases import address_in, code_of
from weaklink.parse.log_clock import LogClock
from weaklink.parse.log_dress import Undressed, undress
from weaklink.parse.origin import APP, origin_of
from weaklink.parse.quote import quoted
from weaklink.parse.sayings import Phrase, first_match

STEP = 5.0
MAX_TIMES = 200
MAX_SAYINGS = 60
"""Different statements kept of one log: a log with more has been written by a stranger."""
MAX_ABOUT = 12
"""Different addresses or exceptions of one statement; further ones count under no name."""
_FRAME = re.compile(r'\s{1,12}File "([^"]{1,400})", line (\d{1,7}), in (\S{1,100})')
_NODE_FRAME = re.compile(r"\s{1,12}at (?:(\S{1,100}) )?\(?(/[^():]{1,400}):(\d{1,7}):\d{1,7}\)?")
_RAISED = re.compile(
    r"([A-Za-z_][\w.]{2,120}(?:Error|Exception|Timeout|Exhausted|Interrupt|Full))(?::|$)"
)
_TRACEBACK = "Traceback (most recent call last):"
_ADDRESSED = frozenset(
    ("refused", "unreachable", "timed-out", "reset", "unresolved", "tls-failed", "rate-limited",
     "unauthorized", "quota-spent", "pool-exhausted")
)  # fmt: skip


class Origin(NamedTuple):
    """Whose log it is."""

    owner: str
    path: str
    form: str


class _Kind:
    def __init__(self) -> None:
        self.count = 0
        self.times: list[float] = []
        self.line = ""
        self.where = ""
        self.values: dict[str, float] = {}
        self.words: dict[str, str] = {}


class AppLogReader:
    """Takes lines, oldest first; `facts()` and `access` hold what they told.

    `tools` are tables of phrases of servers whose words this log has, by the server's name.
    `until` and `since` bound the times that lines without one may get: those written while we
    looked.
    """

    def __init__(
        self,
        origin: Origin,
        clock: LogClock,
        *,
        tools: Mapping[str, Sequence[Phrase]],
        unit: float = 0.0,
        sample: Sequence[str] = (),
    ) -> None:
        self.origin = origin
        self.clock = clock
        self.tools = tools
        self.access = AccessRows(unit)
        self.json = JsonAccess(sample) if origin.form == "json" else None
        self.lines = 0
        self.first: float | None = None
        self.last: float | None = None
        self._kinds: dict[tuple[str, str], _Kind] = {}
        self._spans: dict[float, list[int]] = defaultdict(lambda: [0, 0])
        self._frame = ""
        self._tracing = 0
        self._before = ""
        self._head = ""
        """The address in the line before the traceback that is being read."""

    def add(self, lines: Iterable[str], fallback: float | None = None) -> None:
        """Lines in order; `fallback` is when those without any time were written, if known."""
        for line in lines:
            if not line or line.isspace():
                continue
            self.lines += 1
            one = undress(line, self.clock)
            at = one.at if one.at is not None else (self.last if self.last is not None else None)
            if one.at is None and fallback is not None:
                at = fallback
            if one.at is not None or at is not None:
                self.last = at
                self.first = at if self.first is None else self.first
            self._one(line, one, at)

    def _one(self, line: str, one: Undressed, at: float | None) -> None:
        asked = (
            self.json.read(line, one.record)
            if self.json is not None and one.record is not None
            else asked_in(one.text, self.access.unit)
        )
        if asked is not None:
            # A time that stood in an earlier line says little about a request's end.
            self.access.add(at, asked)
            return
        raised = False
        for part in one.text.split("\n")[:200]:
            raised = self._part(part, at, calm=one.calm) or raised
        if at is not None:
            span = self._spans[at // STEP * STEP]
            span[0] += 1
            span[1] += int(one.error or raised)

    def _part(self, part: str, at: float | None, *, calm: bool) -> bool:
        """One line of text; True where an exception ends in it."""
        if _TRACEBACK in part:
            self._tracing, self._frame = 200, ""
            self._head = address_in(self._before)
            return False
        if self._tracing:
            self._tracing -= 1
            if found := _FRAME.match(part):
                if origin_of(found[1]) == APP:
                    self._frame = f"{found[1].rpartition('/')[2]}:{found[2]} in {found[3]}"
                return False
            if part.startswith((" ", "\t")):
                return False
        raised = False
        if (found := _RAISED.match(part.strip()[:200])) and (self._tracing or part[:1].isalpha()):
            # Outside a traceback a line may begin with a name that only looks like one.
            raised = bool(self._tracing) or part.startswith(found[0])
            if raised:
                self._note("exception", found[1].rpartition(".")[2], part, at, where=self._frame)
        elif found := _NODE_FRAME.match(part):
            self._node(found)
            return False
        if not self._tracing:
            self._before, self._head = part, ""
        where, self._tracing = (self._frame if self._tracing else ""), 0
        self._phrases(part, at, where, calm=calm)
        return raised

    def _node(self, found: re.Match[str]) -> None:
        kind = self._kinds.get(("exception", self._last_exception()))
        outside = "/node_modules/" not in found[2] and not found[2].startswith("/node:")
        if kind is not None and outside and not kind.where:
            kind.where = f"{found[2].rpartition('/')[2]}:{found[3]} in {found[1] or '?'}"

    def _last_exception(self) -> str:
        return next((about for code, about in reversed(self._kinds) if code == "exception"), "")

    def _phrases(self, part: str, at: float | None, where: str, *, calm: bool) -> None:
        for name, table in self.tools.items() if not calm else ():
            match = first_match(part, table)
            if match is not None:
                phrase, values, words = match
                self._note(f"{name}.{phrase.code}", "", part, at, values=values, words=words)
                return
        code = code_of(part, calm=calm)
        if code:
            # Event loops leave the address out; the line that introduced the traceback has it.
            about = (address_in(part) or self._head) if code in _ADDRESSED else ""
            self._note(code, about, part, at, where=where)

    def _note(
        self,
        code: str,
        about: str,
        line: str,
        at: float | None,
        *,
        where: str = "",
        values: dict[str, float] | None = None,
        words: dict[str, str] | None = None,
    ) -> None:
        key = (code, about)
        if key not in self._kinds:
            same = sum(1 for known in self._kinds if known[0] == code)
            if same >= MAX_ABOUT or len(self._kinds) >= MAX_SAYINGS:
                key = (code, "")
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= 2 * MAX_SAYINGS:
                return
            kind = self._kinds[key] = _Kind()
        kind.count += 1
        kind.line = line
        kind.where = where or kind.where
        if at is not None:
            kind.times.append(at)
            if len(kind.times) > 2 * MAX_TIMES:
                del kind.times[:MAX_TIMES]
        kind.values |= values or {}
        kind.words |= words or {}

    def facts(self, covered_from: float, covered_to: float) -> list[AppLog | AppSaying]:
        """The log itself, and everything that it said."""
        log = AppLog(
            owner=self.origin.owner,
            path=self.origin.path,
            form=self.origin.form,
            lines=self.lines,
            covered_from=covered_from,
            covered_to=covered_to,
            step=STEP,
            counts=[(at, row[0], row[1]) for at, row in sorted(self._spans.items())][-400:],
        )
        said = [
            AppSaying(
                owner=self.origin.owner,
                path=self.origin.path,
                code=code,
                about=quoted(about)[:200],
                count=kind.count,
                times=sorted(kind.times)[-MAX_TIMES:],
                line=quoted(kind.line)[:300],
                where=quoted(kind.where)[:160],
                values=kind.values,
                words={name: quoted(word)[:80] for name, word in kind.words.items()},
            )
            for (code, about), kind in self._kinds.items()
        ]
        return [log, *said]
