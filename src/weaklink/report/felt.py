"""What users feel, in at most a few lines: which shape, how bad, since when, who, how much load."""

from __future__ import annotations

from weaklink.model.diagnosis import Impact, Onset, Pain, Slice
from weaklink.model.message import say
from weaklink.report import human
from weaklink.report.block import Block, Item
from weaklink.report.safe import visible
from weaklink.report.view import View

SAME_RATE = 0.2
"""Load that moved by less than this share is said to be as before: a minute's noise."""
_NAMES = 3


def felt(seen: View) -> Block | None:
    """The block FELT; None where nothing told how users fare."""
    pain = seen.pain
    if pain is None or not pain.looked_at:
        return None
    if pain.shape.id == "none":
        load = _load(seen, pain.impact)
        return Block("label.felt", [Item(load)]) if load else None
    since = _since(seen, pain.onset) if pain.onset else ""
    lines = [_how_bad(seen, pain)]
    lines.append("; ".join(part for part in (since, _routes(seen, pain.impact)) if part))
    lines.extend(_others(seen, pain.impact))
    lines.append(_load(seen, pain.impact))
    return Block("label.felt", [Item(line) for line in lines if line])


def figures(seen: View, pain: Pain) -> list[str]:
    """P99 (or P50), errors and shed requests in words, those that are known."""
    impact = pain.impact
    parts = []
    if impact.p99_now is not None:
        parts.append(seen.say(say("felt.p99", value=_time(impact.p99_before, impact.p99_now))))
    elif impact.p50_now is not None:
        parts.append(seen.say(say("felt.p50", value=_time(impact.p50_before, impact.p50_now))))
    if impact.error_ratio_now is not None:
        if impact.error_ratio_now or impact.error_ratio_before:
            value = _share(impact.error_ratio_before, impact.error_ratio_now)
            parts.append(seen.say(say("felt.errors", value=value)))
        else:
            parts.append(seen.say(say("felt.no-errors")))
    if impact.shed_ratio_now:
        parts.append(seen.say(say("felt.shed", share=impact.shed_ratio_now)))
    return parts


def _time(before: float | None, now: float) -> str:
    return human.seconds(now) if before is None else human.seconds_pair(before, now)


def _share(before: float | None, now: float) -> str:
    return human.percent(now) if before is None else human.percent_pair(before, now)


def shape_words(seen: View, pain: Pain) -> str:
    """The shape in words, with what is mixed into it."""
    first = seen.say(say(f"shape.{pain.shape.id}"))
    mixed = [item for item in pain.shape.mixed if item not in ("none", pain.shape.id)]
    if not mixed:
        return first
    others = ", ".join(seen.say(say(f"shape.{item}")) for item in mixed)
    return seen.say(say("shape.with", first=first, others=others))


def _how_bad(seen: View, pain: Pain) -> str:
    parts = figures(seen, pain)
    over = pain.shape.recovered or not pain.impact.still_on
    parts.append(seen.say(say("felt.over") if over else say("felt.still-on")))
    return f"{shape_words(seen, pain)}: {', '.join(parts)}"


def _since(seen: View, onset: Onset) -> str:
    at = seen.voice.clock(onset.at)
    zone = human.offset_name(seen.voice.utc_offset)
    within = max(onset.plus_minus_seconds, 0.0)
    if onset.kind == "creep":
        return seen.say(say("felt.creeps", at=at, within=within, zone=zone))
    return seen.say(say("felt.since", at=at, within=within, zone=zone))


def _routes(seen: View, impact: Impact) -> str:
    """The hurt routes, then those that are fine; nothing where no route differs from another."""
    routes = [part for part in impact.slices if part.by == "route"]
    hurt = [part for part in routes if part.hurt]
    fine = [part for part in routes if not part.hurt]
    if not hurt:
        return ""
    text = _names(seen, hurt)
    if fine:
        text += "; " + seen.say(say("felt.fine", names=_names(seen, fine)))
    return text


def _others(seen: View, impact: Impact) -> list[str]:
    """Slices by member, client, status or size, where some hurt and others do not."""
    lines = []
    for by in ("member", "client", "status", "size"):
        parts = [part for part in impact.slices if part.by == by]
        hurt = [part for part in parts if part.hurt]
        if not hurt or len(hurt) == len(parts):
            continue
        what = seen.say(say(f"by.{by}"))
        text = seen.say(say("felt.slices", by=what, names=", ".join(map(_slice, hurt[:_NAMES]))))
        fine = [part for part in parts if not part.hurt]
        lines.append(text + "; " + seen.say(say("felt.fine", names=_names(seen, fine))))
    return lines


def _slice(part: Slice) -> str:
    name = visible(part.name, 60)
    if part.p99 is None:
        return name
    before = part.p99_before
    return f"{name}{human.NBSP}P99{human.NBSP}{_time(before, part.p99)}"


def _names(seen: View, parts: list[Slice]) -> str:
    shown = ", ".join(visible(part.name, 60) for part in parts[:_NAMES])
    if len(parts) > _NAMES:
        shown += ", " + seen.say(say("felt.more", count=len(parts) - _NAMES))
    return shown


def _rate(value: float | None) -> float | None:
    return round(value) if value is not None and value >= 10 else value


def _load(seen: View, impact: Impact) -> str:
    parts = []
    now, before = _rate(impact.rate_now), _rate(impact.rate_before)
    if now is not None and before is not None:
        if abs(now - before) <= SAME_RATE * max(before, now):
            parts.append(seen.say(say("felt.rate-same", now=now)))
        else:
            parts.append(seen.say(say("felt.rate-pair", before=before, now=now)))
    elif now is not None:
        parts.append(seen.say(say("felt.rate", now=now)))
    if impact.in_flight and impact.oldest_in_flight is not None:
        oldest = impact.oldest_in_flight
        parts.append(seen.say(say("felt.in-flight", count=impact.in_flight, oldest=oldest)))
    elif impact.in_flight:
        parts.append(seen.say(say("felt.in-flight-only", count=impact.in_flight)))
    return ", ".join(parts)
