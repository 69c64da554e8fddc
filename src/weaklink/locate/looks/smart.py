"""What a drive says about itself: failing, worn, reallocating, or hidden behind a controller."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import structs

from weaklink.locate.look import Judged, look
from weaklink.locate.storage_map import behind, slot_of_did
from weaklink.locate.view import View
from weaklink.model.fact_disk import SmartAttribute, SmartReport
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.smart.failed": "{drive} fails its own health test: {why}",
        "finding.smart.critical-warning": "{drive} sets critical warning {number} ({bits}): {why}",
        "finding.smart.hot": "{drive} is too hot: {celsius} C",
        "finding.smart.pending": "{drive}: {pending} sectors cannot be read and wait to be "
        "remapped (197), {uncorrectable} uncorrectable (198), {reallocated} reallocated (5)",
        "finding.smart.self-test": "{drive}: its newest self-test ended with {how}",
        "finding.smart.reallocated": "{drive}: {reallocated} reallocated sectors, {pending} "
        "pending: watch whether it grows; the drive itself still says {status}",
        "finding.smart.attribute": "{drive}: attribute {number} {name} is {raw}; reallocated "
        "{reallocated}, pending {pending}: {meaning}",
        "finding.smart.grown": "{drive}: {grown} grown defects, the drive itself still says "
        "{status}: watch whether it grows",
        "finding.smart.uncorrected": "{drive}: {count} errors that it could not correct",
        "finding.smart.media": "{drive}: {count} media and data integrity errors: data was "
        "lost or wrong at least once",
        "finding.smart.worn": "{drive}: {used} % of its rated endurance is used",
        "finding.smart.ata-ok": "{drive}: reallocated {reallocated}, pending {pending}, "
        "uncorrectable {uncorrectable}; it says {status}",
        "finding.smart.nvme-ok": "{drive}: critical warning 0x00, {media} media errors, "
        "{used} % of its endurance used, spare {spare} %",
        "finding.smart.scsi-ok": "{drive}: {status}, {grown} grown defects, {uncorrected} "
        "uncorrected errors (corrected ones are normal)",
        "finding.smart.virtual": "{drive} ({model}) is a RAID controller's logical disk: the "
        "drives behind it were not seen",
        "finding.smart.unsupported": "{drive} gives no SMART data: nothing can be said of it",
        "finding.smart.only-passed": "{drive} says {status}, but no counters were printed: a "
        "drive can say so with hundreds of bad sectors",
        "finding.smart.no-data": "{drive}: no health data in this text{why}",
        "finding.smartd": "{drive}: smartd reports: {text}",
    }
)

PENDING_MANY = 10
"""From so many unreadable sectors on, reads that stall for seconds are no rarity any more."""
CRC_MANY = 100
"""Attribute 199 counts cable errors for ever: a few come from one loose plug long ago."""
WORN = 100
"""Percentage Used of the NVMe specification: 100 is the end of the rated life, not of the disk."""
LIFE_LEFT = 10
"""Normalised value (100 = new) of an SSD's own wear attribute under which it is nearly used up."""
HOT = {"nvme": 80.0, "ata": 60.0, "scsi": 65.0, "": 70.0}
"""Celsius, where the drive names no limit of its own (vendors rate 60-70 for disks, 70-85 NVMe)."""
BITS = {
    0x01: ("spare below its threshold", "spare blocks run out"),
    0x02: ("temperature", "too hot or too cold"),
    0x04: ("reliability degraded", "media or internal errors"),
    0x08: ("read-only", "it takes no more writes"),
    0x10: ("volatile memory backup failed", "the capacitor or battery behind its cache failed"),
    0x20: ("persistent memory region read-only", "its persistent memory takes no more writes"),
}
"""NVM Express base specification, SMART / Health Information log, byte 0."""
WATCHED = {
    187: "reads that could not be corrected, in the past",
    184: "data was damaged on the way through the drive",
    10: "the motor needed several tries to start",
    199: "damaged transfers: cable, backplane or connector",
}
"""Attributes that say something whatever the vendor; 196, 188, 1, 7 and 195 do not."""
WEAR_NAMES = ("Media_Wearout_Indicator", "SSD_Life_Left", "Percent_Lifetime_Remain", "Wear_Level")


def _reports(view: View) -> Iterator[SmartReport]:
    for fact in view.case.hardware:
        if isinstance(fact, SmartReport):
            yield fact


def drive_name(report: SmartReport) -> str:
    """How a person finds the drive: device, the way through its controller, else the model."""
    name = report.device or report.model or "the drive"
    return f"{name} [{report.address}]" if report.address else name


def _place(report: SmartReport, view: View) -> str:
    """Where it sits or what is behind it, where another part of the text tells."""
    did = re.search(r"megaraid,(\d{1,4})", report.address)
    slot = slot_of_did(view, did.group(1)) if did else ""
    return f" in {slot}" if slot else behind(view, report.device) if not did else ""


@look("disk")
def smart(view: View) -> Iterable[Judged]:
    """One finding or more for each drive; no data is unknown, never healthy."""
    for report in _reports(view):
        place = _place(report, view)
        for finding in _judge(report, view.case.host.name):
            yield _placed(finding, place)


def _placed(finding: Finding, place: str) -> Finding:
    if not place:
        return finding
    args = {**finding.message.args, "drive": f"{finding.message.args['drive']}{place}"}
    message = structs.replace(finding.message, args=args)
    return structs.replace(finding, message=message)


def _judge(report: SmartReport, host: str) -> Iterator[Finding]:
    bad = list(_bad(report, host))
    if bad:
        yield from bad
    else:
        yield _calm(report, host)


def _finding(
    report: SmartReport,
    host: str,
    verdict: Verdict,
    key: str,
    line: str,
    **args: Argument,
) -> Finding:
    drive = drive_name(report)
    nexts: dict[Verdict, str] = {
        "critical": f"back up, then replace it; smartctl -x {_reach(report)}",
        "warn": f"look again in a day: smartctl -x {_reach(report)}",
        "unknown": _other_way(report),
        "healthy": "",
    }
    return Finding(
        verdict=verdict,
        target=target_key("device", drive, host=host),
        subject="disk",
        message=say(key, drive=drive, **args),
        line=line,
        cause="" if verdict == "unknown" else "disk-prefailure",
        next=nexts[verdict],
    )


def _reach(report: SmartReport) -> str:
    device = report.device or "/dev/sdX"
    return f"-d {report.address} {device}" if report.address else device


def _other_way(report: SmartReport) -> str:
    device = report.device or "/dev/sdX"
    if report.virtual:
        return f"smartctl -x -d megaraid,N {device} for each DID that storcli /cALL/eALL/sALL names"
    return f"smartctl -x {device}"


def _raw(report: SmartReport, number: int) -> int | None:
    return next((row.raw for row in report.attributes if row.id == number), None)


def _row(report: SmartReport, number: int) -> str:
    return next((row.line for row in report.attributes if row.id == number), "")


def _shown(value: float | None) -> Argument:
    if value is None:
        return "?"
    return int(value) if float(value).is_integer() else value


def _status(report: SmartReport) -> str:
    if report.passed is None:
        return "nothing of its health"
    if report.passed:
        return "OK" if report.protocol == "scsi" else "PASSED"
    return "FAILED"


def _bad(report: SmartReport, host: str) -> Iterator[Finding]:
    """What is wrong, worst first; nothing where nothing is."""
    failed = _failed(report, host)
    if failed is not None:
        yield failed
        return
    yield from _unreadable(report, host)
    yield from _counted(report, host)
    yield from _heat_and_wear(report, host)


def _failed(report: SmartReport, host: str) -> Finding | None:
    warning = report.critical_warning or 0
    if warning == 0x02 and report.passed is not False:
        return None
    if warning:
        known = [text for bit, text in BITS.items() if warning & bit]
        return _finding(
            report,
            host,
            "critical",
            "finding.smart.critical-warning",
            report.lines.get("critical_warning", ""),
            number=warning,
            bits=f"0x{warning:02x}: " + ", ".join(name for name, _ in known),
            why="; ".join(why for _, why in known) or "a bit that the specification reserves",
        )
    failing = [row for row in report.attributes if row.failed == "now"]
    if report.passed is not False and not failing:
        return None
    counts = [
        f"{name} {value}"
        for name, value in (
            ("reallocated", _raw(report, 5)),
            ("pending", _raw(report, 197)),
            ("uncorrectable", _raw(report, 198)),
            ("grown defects", report.grown_defects),
            ("media errors", report.media_errors),
        )
        if value
    ]
    why = [f"attribute {row.id} {row.name} is below its threshold now" for row in failing[:3]]
    lines = [report.lines.get("passed", ""), failing[0].line if failing else ""]
    return _finding(
        report,
        host,
        "critical",
        "finding.smart.failed",
        "\n".join(line for line in lines if line),
        why="; ".join([*why, *([", ".join(counts)] if counts else [])]) or "it does not say why",
    )


def _unreadable(report: SmartReport, host: str) -> Iterator[Finding]:
    pending, offline = _raw(report, 197) or 0, _raw(report, 198) or 0
    if pending or offline:
        yield _finding(
            report,
            host,
            "critical" if pending + offline >= PENDING_MANY else "warn",
            "finding.smart.pending",
            _row(report, 197 if pending else 198),
            pending=pending,
            uncorrectable=offline,
            reallocated=_shown(_raw(report, 5)),
        )
    if report.self_test_failed:
        yield _finding(
            report,
            host,
            "critical",
            "finding.smart.self-test",
            report.lines.get("self_test_failed", ""),
            how=report.self_test_failed,
        )


def _counted(report: SmartReport, host: str) -> Iterator[Finding]:
    reallocated = _raw(report, 5)
    if reallocated and not (_raw(report, 197) or _raw(report, 198)):
        yield _finding(
            report,
            host,
            "warn",
            "finding.smart.reallocated",
            _row(report, 5),
            reallocated=reallocated,
            pending=_shown(_raw(report, 197)),
            status=_status(report),
        )
    for row in report.attributes:
        enough = CRC_MANY if row.id == 199 else 1
        if row.id in WATCHED and (row.raw or 0) >= enough:
            yield _finding(
                report,
                host,
                "warn",
                "finding.smart.attribute",
                row.line,
                number=row.id,
                name=row.name,
                raw=_shown(row.raw),
                reallocated=_shown(reallocated),
                pending=_shown(_raw(report, 197)),
                meaning=WATCHED[row.id],
            )
    for count, key, argument in (
        (report.grown_defects, "grown", "grown_defects"),
        (report.uncorrected, "uncorrected", "uncorrected"),
        (report.media_errors, "media", "media_errors"),
    ):
        if count:
            line = report.lines.get(argument, "")
            yield _finding(
                report,
                host,
                "warn",
                f"finding.smart.{key}",
                line,
                count=count,
                grown=count,
                status=_status(report),
            )


def _heat_and_wear(report: SmartReport, host: str) -> Iterator[Finding]:
    limit = report.temperature_limit or HOT[report.protocol]
    hot = report.temperature is not None and report.temperature >= limit > 0
    if hot or report.critical_warning == 0x02:
        yield _finding(
            report,
            host,
            "warn",
            "finding.smart.hot",
            report.lines.get("temperature", ""),
            celsius=_shown(report.temperature),
        )
    used = report.percentage_used
    worn = next((row for row in report.attributes if _is_worn(row)), None)
    if worn is not None and worn.value is not None:
        used, line = 100 - worn.value, worn.line
    else:
        line = report.lines.get("percentage_used", "")
    if used is not None and (worn is not None or used >= WORN):
        yield _finding(report, host, "warn", "finding.smart.worn", line, used=_shown(used))


def _is_worn(row: SmartAttribute) -> bool:
    return row.name.startswith(WEAR_NAMES) and row.value is not None and row.value <= LIFE_LEFT


def _calm(report: SmartReport, host: str) -> Finding:
    """No fault was seen: healthy only where there was something to see it by."""
    if report.virtual:
        line = report.lines.get("supported") or report.lines.get("complaint", "")
        key = "finding.smart.virtual"
        return _finding(report, host, "unknown", key, line, model=report.model or "?")
    no_counts = _raw(report, 5) is None and _raw(report, 197) is None
    if report.has_attributes and no_counts and report.passed is None:
        # An SSD may have neither counter; then its own verdict is the least that is needed.
        return _finding(report, host, "unknown", "finding.smart.no-data", "", why="")
    if report.has_attributes:
        return _finding(
            report,
            host,
            "healthy",
            "finding.smart.ata-ok",
            _row(report, 5) or report.lines.get("passed", ""),
            reallocated=_shown(_raw(report, 5)),
            pending=_shown(_raw(report, 197)),
            uncorrectable=_shown(_raw(report, 198)),
            status=_status(report),
        )
    if report.critical_warning is not None and report.media_errors is not None:
        return _finding(
            report,
            host,
            "healthy",
            "finding.smart.nvme-ok",
            report.lines.get("critical_warning", ""),
            media=report.media_errors,
            used=_shown(report.percentage_used),
            spare=_shown(report.available_spare),
        )
    if report.grown_defects is not None and report.passed:
        return _finding(
            report,
            host,
            "healthy",
            "finding.smart.scsi-ok",
            report.lines.get("passed", ""),
            status=_status(report),
            grown=report.grown_defects,
            uncorrected=_shown(report.uncorrected),
        )
    return _nothing(report, host)


def _nothing(report: SmartReport, host: str) -> Finding:
    if report.supported is False:
        line = report.lines.get("supported", "")
        return _finding(report, host, "unknown", "finding.smart.unsupported", line)
    if report.passed:
        return _finding(
            report,
            host,
            "unknown",
            "finding.smart.only-passed",
            report.lines.get("passed", ""),
            status=_status(report),
        )
    why = f" ({report.complaint})" if report.complaint else ""
    line = report.lines.get("complaint", "")
    return _finding(report, host, "unknown", "finding.smart.no-data", line, why=why)
