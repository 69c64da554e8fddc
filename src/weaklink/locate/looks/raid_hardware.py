"""Drives behind a RAID controller: which slot to pull, what its array loses with it, the cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.raid_levels import survives
from weaklink.locate.view import View
from weaklink.model.fact_disk import PhysicalDrive, RaidArray, RaidController
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import say
from weaklink.model.target import target_key
from weaklink.words import texts

texts(
    {
        "finding.raid.drive-gone": "{where} is {state}{group}: that is the one to pull{level}",
        "finding.raid.drive-unused-bad": "{where} is {state}: a broken drive sits in the "
        "enclosure (its error counters may well be 0)",
        "finding.raid.drive-prefailure": "{where} will fail: {why}, although its state is still "
        "{state}{level}",
        "finding.raid.drive-watch": "{where}: {why}; state {state}: watch it",
        "finding.raid.drive-busy": "{where} is {state}",
        "finding.raid.array": "{name}{kind} is {state}: {meaning}",
        "finding.raid.controller": "controller {name} {status}: {groups}",
        "finding.raid.battery": "controller {name}: Battery {battery}, write cache {cache}: "
        "writes wait for the disks themselves",
        "finding.raid.battery-only": "controller {name}: Battery {battery}: most controllers then "
        "switch their write cache off, and writes wait for the disks themselves",
        "finding.raid.cache": "controller {name}: write cache {cache}: writes wait for the disks "
        "themselves",
        "finding.raid.drives-ok": "{count} drives are usable ({states}): {slots}{counters}",
        "finding.raid.arrays-ok": "{count} arrays in order: {names}{weak}",
        "finding.raid.controller-ok": "controller {name}: {status}",
        "finding.raid.controller-unknown": "controller {name} says {status}",
    }
)
GONE = ("offln", "offline", "failed", "missing", "conf offline", "conf failed", "not responding")
BAD_UNUSED = ("ubad", "unconfigured(bad)", "ubunsp", "unconf bad", "ucfg bad", "unusable")
BUSY = ("rbld", "rebuild", "cpybck", "copyback", "frgn", "foreign", "shld", "sntze", "unsupp")
USABLE = (
    "onln",
    "online",
    "jbod",
    "ugood",
    "unconfigured(good)",
    "hotspare",
    "ghs",
    "dhs",
    "ok",
    "conf",
    "unconf",
    "ready",
    "ugunsp",
    "global",
    "dedicated",
    "spare",
)
"""States of drives by their first word, from the tools' own legends; UGood (IR firmware) and JBOD
(IT firmware) are drives that work."""
MEDIA_MANY = 50
"""Media errors: single ones are remapped and forgotten, dozens mean that the surface goes."""
NOT_FULL = ("dgrd", "degraded", "pdgd", "partially degraded", "interim recovery", "recovering")
REBUILDING = ("rec", "rebuilding", "ready for rebuild", "rbld")
LOST = ("offln", "offline", "failed", "ofln", "fld")
FINE = ("optl", "optimal", "ok", "opt")
WEAK_BATTERY = ("fail", "fld", "dgd", "degraded", "low", "nopack", "missing", "replace", "msng")


@look("disk")
def raid_drives(view: View) -> Iterable[Judged]:
    """Every drive that is gone or going, with its slot; the others in one line."""
    host = view.case.host.name
    drives = [fact for fact in view.case.hardware if isinstance(fact, PhysicalDrive)]
    arrays = [fact for fact in view.case.hardware if isinstance(fact, RaidArray)]
    usable: list[PhysicalDrive] = []
    for drive in drives:
        finding = _judge(drive, arrays, host)
        if finding is None:
            usable.append(drive)
        else:
            yield finding
    if usable:
        yield _usable(usable, host)


def where(drive: PhysicalDrive) -> str:
    """`enclosure 252 slot 3 (252:3, DID 35)`: what a person in the machine room needs."""
    if drive.tool == "ssacli":
        return f"bay {drive.slot}"
    place = (
        f"enclosure {drive.enclosure} slot {drive.slot}"
        if drive.enclosure
        else (f"slot {drive.slot}")
    )
    short = f"{drive.enclosure}:{drive.slot}"
    return f"{place} ({short}{f', DID {drive.did}' if drive.did else ''})"


def locate_command(drive: PhysicalDrive) -> str:
    """The command that lights the drive's lamp."""
    controller = drive.controller.lstrip("ca") or "0"
    if drive.tool == "ssacli":
        return f"ssacli ctrl {drive.controller.replace(' ', '=')} pd {drive.slot} modify led=on"
    if drive.tool == "megacli":
        return f"MegaCli64 -PdLocate -start -PhysDrv[{drive.enclosure}:{drive.slot}] -a{controller}"
    enclosure = f"/e{drive.enclosure}" if drive.enclosure else ""
    return f"storcli64 /c{controller}{enclosure}/s{drive.slot} start locate"


def _judge(drive: PhysicalDrive, arrays: list[RaidArray], host: str) -> Finding | None:
    state = drive.state.lower()
    signs = _signs(drive)
    group = f" in drive group {drive.group}" if drive.group else ""
    level = _level_words(drive, arrays)
    if state.startswith(GONE):
        message = say(
            "finding.raid.drive-gone",
            where=where(drive),
            state=drive.state,
            group=group,
            level=level or (": its array is degraded or lost" if drive.group else ""),
        )
        return _drive_finding(drive, "critical", "raid-degraded", message, drive.state_line, host)
    if state.startswith(BAD_UNUSED):
        message = say("finding.raid.drive-unused-bad", where=where(drive), state=drive.state)
        return _drive_finding(drive, "critical", "disk-prefailure", message, drive.state_line, host)
    if signs and signs[0][0] == "critical":
        message = say(
            "finding.raid.drive-prefailure",
            where=where(drive),
            why=", ".join(text for _, text, _ in signs),
            state=drive.state,
            level=level,
        )
        lines = "\n".join(dict.fromkeys(line for _, _, line in signs[:2] if line))
        return _drive_finding(drive, "critical", "disk-prefailure", message, lines, host)
    if signs:
        message = say(
            "finding.raid.drive-watch",
            where=where(drive),
            why=", ".join(text for _, text, _ in signs),
            state=drive.state,
        )
        return _drive_finding(drive, "warn", "disk-prefailure", message, signs[0][2], host)
    if state.startswith(BUSY) or not state.startswith(USABLE):
        verdict: Verdict = "warn" if state.startswith(BUSY) else "unknown"
        message = say("finding.raid.drive-busy", where=where(drive), state=drive.state)
        return _drive_finding(drive, verdict, "raid-degraded", message, drive.state_line, host)
    return None


def _signs(drive: PhysicalDrive) -> list[tuple[Verdict, str, str]]:
    """What its counters say, (how bad, in words, line), worst first."""
    found: list[tuple[Verdict, str, str]] = []
    if drive.predictive:
        line = drive.lines.get("Predictive Failure Count", drive.line)
        found.append(("critical", f"Predictive Failure Count {drive.predictive}", line))
    if drive.smart_alert:
        found.append(("critical", "S.M.A.R.T. alert", drive.lines.get("smart_alert", "")))
    if "predictive failure" in drive.state.lower():
        found.append(("critical", "Predictive Failure", drive.state_line))
    if drive.media_errors:
        verdict: Verdict = "critical" if drive.media_errors >= MEDIA_MANY else "warn"
        line = drive.lines.get("Media Error Count", drive.line)
        found.append((verdict, f"Media Error Count {drive.media_errors}", line))
    return sorted(found, key=lambda sign: sign[0] != "critical")


def _level_words(drive: PhysicalDrive, arrays: list[RaidArray]) -> str:
    """What its array's level means for losing it."""
    own = [
        array
        for array in arrays
        if array.group and array.group == drive.group and array.level and array.controller
    ]
    if not own:
        return ""
    level = own[0].level
    left = survives(level)
    if left == 0:
        return (
            f". {own[0].name} is {level.upper()}: no redundancy and no hot swap: back up now, then "
            "migrate to RAID10 or a single SSD"
        )
    if left is None:
        return ""
    return f". {own[0].name} is {level.upper()}: it survives the loss of {left}"


def _drive_finding(
    drive: PhysicalDrive, verdict: Verdict, cause: str, message: object, line: str, host: str
) -> Finding:
    from weaklink.model.message import Message

    assert isinstance(message, Message)
    name = f"{drive.controller or 'c0'}:e{drive.enclosure}:s{drive.slot}"
    return Finding(
        verdict=verdict,
        target=target_key("slot", name, host=host),
        subject="disk",
        message=message,
        line=line,
        cause=cause,
        next=f"lamp on: {locate_command(drive)}; back up before you pull it"
        if verdict == "critical"
        else "look again in a day",
    )


def _usable(drives: list[PhysicalDrive], host: str) -> Finding:
    names = [
        drive.slot if drive.tool == "ssacli" else f"{drive.enclosure}:{drive.slot}"
        for drive in drives
    ]
    states = ", ".join(dict.fromkeys(drive.state for drive in drives))
    counted = [d for d in drives if d.media_errors is not None and d.predictive is not None]
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return Finding(
        verdict="healthy",
        target=target_key("slot", names[0], host=host),
        subject="disk",
        message=say(
            "finding.raid.drives-ok",
            count=len(drives),
            states=states,
            slots=shown,
            counters="; media and predictive errors 0" if len(counted) == len(drives) else "",
        ),
        line=drives[0].state_line,
        cause="raid-degraded",
        sure=0.9 if len(counted) == len(drives) else 0.75,
    )


@look("disk")
def raid_arrays(view: View) -> Iterable[Judged]:
    """Arrays of a controller that are not whole, and the whole ones in one line."""
    host = view.case.host.name
    fine: list[RaidArray] = []
    for fact in view.case.hardware:
        if not isinstance(fact, RaidArray) or not fact.controller:
            continue
        state = fact.state.lower()
        if state.startswith(FINE):
            fine.append(fact)
        else:
            yield _array(fact, state, host)
    if fine:
        names = ", ".join(f"{a.name} {a.level.upper()} {a.state}".replace("  ", " ") for a in fine)
        yield Finding(
            verdict="healthy",
            target=target_key("array", fine[0].name, host=host),
            subject="disk",
            message=say(
                "finding.raid.arrays-ok",
                count=len(fine),
                names=names[:200],
                weak="; RAID0 has no redundancy" if "RAID0" in names else "",
            ),
            line=fine[0].line,
            cause="raid-degraded",
            sure=0.75,
        )


def _array(array: RaidArray, state: str, host: str) -> Finding:
    verdict: Verdict = "critical"
    if state.startswith(LOST):
        meaning = "its data cannot be read, or part of it"
    elif state.startswith(NOT_FULL):
        meaning = "a drive is missing from it"
    elif state.startswith(REBUILDING):
        meaning = "it is being rebuilt: one more lost drive may lose it, and it is slow"
    else:
        verdict, meaning = "warn", "not a state of an array in order"
    return Finding(
        verdict=verdict,
        target=target_key("array", array.name, host=host),
        subject="disk",
        message=say(
            "finding.raid.array",
            name=array.name,
            kind=f" ({array.level.upper()})" if array.level else "",
            state=array.state,
            meaning=meaning,
        ),
        line=array.line,
        cause="raid-degraded",
        next="list the drives: storcli64 /c0/eall/sall show all, or ssacli ctrl all show config",
    )


@look("disk")
def raid_controllers(view: View) -> Iterable[Judged]:
    """The controller's own health, its battery and its write cache."""
    for fact in view.case.hardware:
        if isinstance(fact, RaidController):
            yield from _controller(fact, view.case.host.name)


def _controller(fact: RaidController, host: str) -> Iterator[Finding]:
    name = f"{fact.name} {fact.model}".strip()
    target = target_key("controller", fact.name, host=host)
    status = fact.status.lower()
    bad = False
    if fact.status and not status.startswith(FINE):
        bad = True
        known = status not in {"unkwn", "unknown"}
        groups = "the drives and arrays behind it"
        if fact.groups is not None and fact.groups_not_optimal is not None:
            groups = (
                f"{fact.groups_not_optimal} of {fact.groups} drive groups and "
                f"{fact.drives_not_optimal or 0} of {fact.drives or 0} virtual drives are not "
                "in order"
            )
        key = "controller" if known else "controller-unknown"
        yield Finding(
            verdict="critical" if known else "unknown",
            target=target,
            subject="disk",
            message=say(f"finding.raid.{key}", name=name, status=_status(fact), groups=groups),
            line=fact.lines.get("status", ""),
            cause="raid-degraded",
            next="storcli64 /c0 show all: TOPOLOGY, VD LIST and PD LIST",
        )
    weak = fact.battery.lower()
    if any(word in weak for word in WEAK_BATTERY):
        bad = True
        detail = f"{fact.cache} ({fact.cache_detail})" if fact.cache_detail else fact.cache
        yield Finding(
            verdict="warn",
            target=target,
            subject="disk",
            message=say(
                "finding.raid.battery" if detail else "finding.raid.battery-only",
                name=name,
                battery=fact.battery,
                cache=detail,
            ),
            line="\n".join(
                line for key in ("battery", "cache") if (line := fact.lines.get(key, ""))
            ),
            cause="disk-saturated",
            next="replace the battery or capacitor; write-back stays off until then",
        )
    elif "disabled" in fact.cache.lower() or "error" in fact.cache.lower():
        bad = True
        yield Finding(
            verdict="warn",
            target=target,
            subject="disk",
            message=say("finding.raid.cache", name=name, cache=fact.cache),
            line=fact.lines.get("cache", ""),
            cause="disk-saturated",
            next="ssacli ctrl all show detail: Cache Status Details",
        )
    if not bad and (fact.status or fact.battery):
        yield Finding(
            verdict="healthy",
            target=target,
            subject="disk",
            message=say(
                "finding.raid.controller-ok",
                name=name,
                status=", ".join(
                    part
                    for part in (fact.status, fact.battery and f"battery {fact.battery}")
                    if part
                ),
            ),
            line=fact.lines.get("status", "") or fact.lines.get("battery", ""),
            sure=0.75,
        )


def _status(fact: RaidController) -> str:
    return "needs attention (NdAtn)" if fact.status == "NdAtn" else fact.status
