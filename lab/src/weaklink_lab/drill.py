"""Drills: break the service, ask Weaklink blind, compare what it says with the truth."""

import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from weaklink.capacity.results import summary
from weaklink.converge import causes
from weaklink_lab import blindfolds, breaking, chain, client, hurt, scoring
from weaklink_lab.draw import draw
from weaklink_lab.faults import Fault
from weaklink_lab.kernel import spawn
from weaklink_lab.score import said, score
from weaklink_lab.scoring import Row
from weaklink_lab.state import State
from weaklink_lab.truth import Guilty, Truth

PATIENCE = 60.0
SETTLE = 4.0
"""Seconds after the first users came that are not yet called healthy: pools fill, code warms."""


@dataclass(frozen=True, slots=True)
class Way:
    """How drills are run: the command that is asked, and how long things last (seconds)."""

    weaklink: Path
    healthy: float = 40.0
    wait_least: float = 10.0
    wait_most: float = 25.0
    save_cases: Path | None = None
    blindfold: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the command gave back."""

    report: dict[str, Any]
    exit: int
    began: float
    seconds: float
    trouble: str


def drill(fault: Fault, seed: int, way: Way, tell: Callable[[str], None]) -> Row:
    """Run one drill on a service of its own; raises where a service is up already.

    It never takes down what it did not bring up: that may be what a colleague is looking at.
    """
    chain.check_host()
    chain.refuse_if_up()
    try:
        state = chain.up(draw(seed, breaking.wants_of(fault, seed)))
        blindfolds.put_on(state, way.blindfold)
        return _with(state, fault, seed, way, tell)
    finally:
        for what in chain.down(seed):
            tell(f"could not be removed: {what}")


def _with(state: State, fault: Fault, seed: int, way: Way, tell: Callable[[str], None]) -> Row:
    dice = random.Random(f"drill-{fault.id}-{seed}")
    chain.load_start(state)
    came = time.time()
    time.sleep(way.healthy + SETTLE)
    truth = breaking.enter(state, fault, seed)
    broke = state.broken.at if state.broken else time.time()
    _wait_for_pain(truth, (came + SETTLE, broke), dice.uniform(way.wait_least, way.wait_most))
    truth = _with_present(state, truth)
    answer = ask(way.weaklink, user=blindfolds.user(way.blindfold))
    truth = _with_present(state, truth)
    breaking.mend(state)
    chain.load_stop(state)
    ended = answer.began + answer.seconds
    felt = hurt.judge(
        client.read(client.file()), (came + SETTLE, broke), (answer.began - 6.0, ended)
    )
    words = said(answer.report, answer.exit)
    row = Row(
        fault=fault.id,
        seed=seed,
        control=fault.control,
        truth=truth,
        said=words,
        hits=score(answer.report, answer.exit, truth),
        seconds=round(answer.seconds, 2),
        hurt=felt,
        broke=broke,
        onset_error=None
        if felt.onset is None or words.onset is None
        else round(words.onset - felt.onset, 2),
        trouble=answer.trouble,
        blindfold=way.blindfold,
        commit=way.commit,
        landed=all(one.cause in catalogue() for one in (truth, *truth.also) if one.cause),
    )
    if way.save_cases is not None:
        stem = "-".join(word for word in (fault.id, str(seed), way.blindfold) if word)
        _save_case(answer.report, way.save_cases / stem)
    tell(scoring.line(row))
    return row


def asker(way: Way) -> Callable[[State, Fault, Truth], str]:
    """Give what asks Weaklink in between, on a service that has had other faults before."""

    def ask_and_score(state: State, fault: Fault, truth: Truth) -> str:
        answer = ask(way.weaklink)
        hits = score(answer.report, answer.exit, _with_present(state, truth))
        if way.save_cases is not None:
            _save_case(answer.report, way.save_cases / f"{fault.id}-{state.spec.seed}")
        words = said(answer.report, answer.exit)
        marks = ", ".join(
            f"{name} {'yes' if hit else 'NO'}"
            for name, hit in (("cause", hits.cause), ("link", hits.link), ("shape", hits.shape))
        )
        found = f"{words.cause or 'nothing'} ({words.probability:.2f}, {words.shape})"
        return f"; said {found} in {answer.seconds:.1f} s: {marks} {answer.trouble}"

    return ask_and_score


def catalogue() -> set[str]:
    """Give the ids of the causes that can be named at all."""
    return {path.stem.replace("_", "-") for path in Path(causes.__path__[0]).glob("*.py")}


def commit_of(weaklink: Path) -> str:
    """Give the commit of the checkout that the command lies in, `+` where it was changed."""
    told = []
    for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "src"]):
        done = subprocess.run(
            ["git", "-C", str(weaklink.parent), *words],
            capture_output=True,
            text=True,
            check=False,
        )
        told.append(done.stdout.strip())
    return told[0] + ("+" if told[1] else "")


def ask(weaklink: Path, entry: str | None = None, user: str | None = None) -> Answer:
    """Ask for a diagnosis in a process of its own that is told nothing."""
    argv = [str(weaklink), "diagnose", "--json", *(["--entry", entry] if entry else [])]
    home = "/root"
    if user is not None:
        home = tempfile.mkdtemp(prefix="home-")
        shutil.chown(home, user)
    began, clock = time.time(), time.monotonic()
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            cwd="/",
            user=user,
            group="nogroup" if user else None,
            extra_groups=[] if user else None,
            env={"PATH": spawn.ENVIRONMENT["PATH"], "LANG": "C.UTF-8", "HOME": home},
        )
    except subprocess.TimeoutExpired:
        return Answer({}, -1, began, time.monotonic() - clock, f"no answer in {PATIENCE:.0f} s")
    finally:
        if user is not None:
            shutil.rmtree(home, ignore_errors=True)
    seconds = time.monotonic() - clock
    try:
        report = msgspec.json.decode(done.stdout, type=dict[str, Any])
    except msgspec.DecodeError as error:
        shown = done.stderr.decode(errors="replace").strip()[-400:]
        return Answer({}, done.returncode, began, seconds, f"no report: {error}; {shown}")
    return Answer(report, done.returncode, began, seconds, "")


def default_weaklink() -> Path:
    """Give the `weaklink` that was installed beside this Python."""
    return Path(sys.executable).parent / "weaklink"


def _wait_for_pain(truth: Truth, before: tuple[float, float], seconds: float) -> None:
    time.sleep(seconds)
    if not truth.cause:
        return
    columns = client.read(client.file())
    healthy = summary(columns.between(*before)).p99
    deadline = time.monotonic() + 20.0
    while time.monotonic() < deadline:
        if hurt.recent_pain(client.read(client.file()), time.time() - 5.0, healthy):
            return
        time.sleep(1.0)


def _with_present(state: State, truth: Truth) -> Truth:
    """Add the processes that the guilty links have now: some are restarted all the time."""
    by_address = {member.address: member for member in state.spec.members}

    def present(link: Guilty) -> Guilty:
        pids = set(link.pids)
        for address in link.listen:
            if address in by_address:
                pids.update(chain.main_pids(state, by_address[address]))
        return replace(link, pids=tuple(sorted(pids)))

    return replace(
        truth,
        links=tuple(map(present, truth.links)),
        second=tuple(map(present, truth.second)),
    )


def _save_case(report: dict[str, Any], stem: Path) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".report.json").write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    filed = report.get("case")
    if isinstance(filed, dict):
        filed = filed.get("path") or filed.get("file")
    if isinstance(filed, str) and Path(filed).is_file():
        shutil.copy(filed, stem.with_suffix("".join(Path(filed).suffixes) or ".json"))
    elif isinstance(filed, str) and Path(filed).is_dir():
        shutil.copytree(filed, stem.with_suffix(".case"), dirs_exist_ok=True)
