"""Score one report against the truth: by processes and addresses, never by names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from weaklink_lab.truth import Culprit, Guilty, Truth

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """What a report says, in the terms of the truth."""

    exit: int
    shape: str
    cause: str
    probability: float
    link: str
    target: str
    onset: float | None


@dataclass(frozen=True, slots=True)
class Hits:
    """What was right; `link_second` where only a second choice was named."""

    shape: bool
    link: bool
    link_second: bool
    cause: bool
    target: bool
    exit: bool
    all: bool = False
    """Every cause of a pair is named somewhere in the report."""


def said(report: Report, exit_status: int) -> Said:
    """Read what a report says first."""
    best = _best(report)
    onset = report.get("onset") or {}
    return Said(
        exit=exit_status,
        shape=str((report.get("shape") or {}).get("id") or ""),
        cause=str(best.get("id") or ""),
        probability=float(best.get("probability") or 0.0),
        link=str(best.get("link") or ""),
        target=str(best.get("target") or ""),
        onset=moment(onset.get("at")),
    )


def score(report: Report, exit_status: int, truth: Truth) -> Hits:
    """Compare a report with the truth; of a pair, with that one which is named first."""
    if truth.also:
        named = [str(one.get("id")) for one in report.get("causes") or []]
        every = (truth, *truth.also)
        first = next((one for one in every if named[:1] == [one.cause]), truth)
        complete = all(one.cause in named for one in every)
        return replace(_one(report, exit_status, first), all=complete)
    return _one(report, exit_status, truth)


def _one(report: Report, exit_status: int, truth: Truth) -> Hits:
    words, best = said(report, exit_status), _best(report)
    right_exit = exit_status == truth.exit
    if not truth.cause:
        silent = not words.cause
        return Hits(words.shape in ("", *truth.shapes), silent, False, silent, silent, right_exit)
    named = named_links(report, best)
    link = any(_same(one, right) for one in named for right in truth.links)
    return Hits(
        shape=words.shape in truth.shapes,
        link=link,
        link_second=not link and any(_same(one, maybe) for one in named for maybe in truth.second),
        cause=words.cause == truth.cause,
        target=any(is_culprit(words.target, culprit) for culprit in truth.culprits),
        exit=right_exit,
    )


def named_links(report: Report, cause: Report) -> list[Guilty]:
    """Give the links that a cause names: itself, its members, or the ends of an edge."""
    chain = report.get("chain") or {}
    links = {str(link.get("key")): link for link in chain.get("links") or []}
    keys: list[str] = []
    for key in (cause.get("link"), *(cause.get("members") or [])):
        if not key:
            continue
        keys += [str(key)] if str(key) in links else str(key).split(">")
    for hop in chain.get("hops") or []:
        if hop.get("key") and hop.get("key") == cause.get("link"):
            keys += [str(hop.get("from") or ""), str(hop.get("to") or "")]
    found = []
    for key in keys:
        link = links.get(key)
        if link is None:
            continue
        found.append(_guilty(link))
        # A group of members may stand as one link that lists them.
        found += [_guilty(links[member]) for member in link.get("members") or [] if member in links]
    return found


def is_culprit(target: str, culprit: Culprit) -> bool:
    """Tell whether a target's key names the culprit."""
    kind, _, rest = target.partition(":")
    name = rest.split("/", 2)[-1]
    match culprit.kind:
        case "pid":
            return kind == "process" and name.partition("@")[0] == culprit.value
        case "keyspace":
            tail = name.rpartition("/")[2]
            return kind == "keyspace" and tail.rstrip("*:") == culprit.value
        case "cgroup":
            return kind == "cgroup" and name.strip("/").endswith(culprit.value)
        case "listen":
            return culprit.value in name
        case "text":
            return culprit.value in name
    raise ValueError(f"no such kind of culprit: {culprit.kind}")


def moment(value: object) -> float | None:
    """Read a moment that a report gives, as RFC 3339 or as epoch seconds."""
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    return None


def _best(report: Report) -> Report:
    causes = report.get("causes") or []
    return causes[0] if causes else {}


def _guilty(link: Report) -> Guilty:
    return Guilty(
        tuple(int(pid) for pid in link.get("pids") or []),
        tuple(str(address) for address in link.get("listen") or []),
    )


def _same(one: Guilty, other: Guilty) -> bool:
    return bool({*one.pids} & {*other.pids} or {*one.listen} & {*other.listen})
