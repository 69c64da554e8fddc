"""The command: one line for what could not run, the right exit code, and a light start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from weaklink import incident
from weaklink.cli.main import run
from weaklink.cli.rooms import all_words
from weaklink.model.case import Case, encode_case
from weaklink.model.message import say
from weaklink.testing.recorded_case import healthy, worked_incident

pytestmark = pytest.mark.usefixtures("no_colour", "own_state")
START_CPU = 0.150
"""CPU seconds that `weaklink --version` may take (DESIGN section 9, 8)."""


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from weaklink.recorder import case_files

    place = tmp_path / "cases"
    monkeypatch.setattr(case_files, "folder", lambda: place)
    return place


def finds(monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    def diagnose(options: incident.Options, progress: incident.Progress) -> Case:
        progress(say("recorded.next"))
        return case

    monkeypatch.setattr(incident, "diagnose", diagnose)
    monkeypatch.setattr(incident, "judge", lambda given: given)


def command(
    *args: str, stdin: bytes = b"", env: dict[str, str] | None = None
) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", "from weaklink.cli.main import main; main()", *args],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["frobnicate"], "no such verb"),
        (["--for", "soon"], "no duration"),
        (["--case", "/no/such/file"], "cannot be read"),
        (["--case", "x", "--for", "3s"], "does not go with it"),
        (["--since", "10m", "--until", "20m"], "--since is not before --until"),
        (["--entry", "file:///etc/passwd"], "http"),
        (["--root", "/dev/null"], "no such folder"),
        (["explain", "cache-mas-expiry"], "did you mean cache-mass-expiry"),
        (["look", "nonsense"], "no such subject"),
        (["case", "show", "nothing"], "no such case on file"),
        (["case", "show"], "no case is on file"),
        (["case"], "required"),
        (["replay", "no-such-recording"], "record"),
        (["--nonsense"], "unrecognized"),
    ],
)
def test_what_cannot_run_is_one_line(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(argv) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("weaklink: ")
    assert says in shown.err


def test_a_hostile_argument_does_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["\x1b]0;x\x07"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_an_error_of_ours_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(options: object, progress: object) -> Case:
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr(incident, "diagnose", broken)
    assert run([]) == 2
    assert capsys.readouterr().err == "weaklink: could not run: ZeroDivisionError: a b\n"
    assert run(["--nagios"]) == 3
    assert capsys.readouterr().out.startswith("WEAKLINK UNKNOWN - could not run")


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(options: object, progress: object) -> Case:
        raise KeyboardInterrupt

    monkeypatch.setattr(incident, "diagnose", stop)
    assert run([]) == 130


def test_users_hurt_is_exit_1_and_filed(
    monkeypatch: pytest.MonkeyPatch, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finds(monkeypatch, worked_incident())
    assert run([]) == 1
    assert len(list(own_state.iterdir())) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("WEAK LINK")
    assert "weaklink case show -v" in shown.out
    assert shown.err == ""


def test_the_filed_case_is_listed_shown_and_saved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    all_words()  # a real diagnosis has loaded every room by then
    finds(monkeypatch, worked_incident())
    run(["--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["case"].endswith(".json.gz")
    assert run(["case", "list"]) == 0
    assert "cache-mass-expiry on inference" in capsys.readouterr().out
    assert run(["case", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["host"] == "h1"
    assert run(["case", "show", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["causes"] == data["causes"]
    for name in ("copy.json", "copy.json.gz"):
        assert run(["case", "save", str(tmp_path / name)]) == 0
        capsys.readouterr()
        assert run(["--case", str(tmp_path / name), "-o", "md"]) == 1
        assert "**WEAK LINK**" in capsys.readouterr().out


def test_nothing_is_filed_when_told_so_or_when_nothing_hurts(
    monkeypatch: pytest.MonkeyPatch, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finds(monkeypatch, worked_incident())
    assert run(["--no-file", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["case"] is None
    finds(monkeypatch, healthy())
    assert run([]) == 0
    assert not own_state.exists()


def test_why_it_is_not_filed_is_said(
    monkeypatch: pytest.MonkeyPatch, own_state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_state.write_text("in the way")
    finds(monkeypatch, worked_incident())
    assert run([]) == 1
    assert "this diagnosis is not on file" in capsys.readouterr().out
    assert run(["--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["case"] is None
    assert data["not_filed"]


def test_monitoring(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    finds(monkeypatch, worked_incident())
    assert run(["--nagios"]) == 2
    assert capsys.readouterr().out.startswith("WEAKLINK CRITICAL")


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("weaklink 0")
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(verb in out for verb in ("diagnose", "look", "explain", "check", "case", "replay"))
    assert max(map(len, out.splitlines())) <= 80
    assert run(["diagnose", "--help"]) == 0


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    assert "worker-frozen" in capsys.readouterr().out
    assert run(["explain", "worker-frozen"]) == 0
    assert "eject-member" in capsys.readouterr().out
    assert run(["explain", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {"id", "signs_for", "signs_against", "contained_by", "wrong_if"} <= set(data[0])
    assert run(["explain", "worker-frozen", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "worker-frozen"


def test_check_says_what_is_read_and_touched(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check"]) == 0
    out = capsys.readouterr().out
    assert "CAN READ" in out
    assert "TOUCHES" in out
    assert run(["check", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {one["name"] for one in data["accesses"]} >= {"processes", "kernel-log"}
    assert any(one["touches"] for one in data["looks"])


def test_a_case_from_stdin(tmp_path: Path) -> None:
    code, out, err = command("--case", "-", stdin=encode_case(worked_incident()))
    assert err == ""
    assert code in (0, 1, 3)
    assert out
    assert command("--case", "-", stdin=b"[" * 100_000)[0] == 2


def test_a_closed_pipe_is_quiet() -> None:
    program = "from weaklink.cli.main import main; main()"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", program, "explain", "--json"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 141


def test_a_stuck_thread_does_not_keep_it(tmp_path: Path) -> None:
    program = (
        "import threading, weaklink.cli.main as m;"
        "threading.Thread(target=threading.Event().wait).start(); m.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0


def test_the_start_is_light() -> None:
    code = (
        "import resource, sys; from weaklink.cli.main import run; run(['--version']);"
        "used = resource.getrusage(resource.RUSAGE_SELF);"
        "sys.stderr.write(str(used.ru_utime + used.ru_stime) + ' ' + ' '.join(sys.modules))"
    )
    best = min(
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, check=True, timeout=60
            ).stderr.split()[0]
        )
        for _ in range(3)
    )
    assert best <= START_CPU


def test_the_start_of_a_diagnosis_imports_nothing_heavy() -> None:
    code = (
        "import sys; from weaklink.cli.main import run;"
        "run(['--case', '/no/such/file']); sys.stdout.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    loaded = set(done.stdout.decode().split())
    assert not loaded & {"numpy", "psutil", "pyroute2", "asyncio", "ssl", "multiprocessing"}


def test_a_span_that_is_over_is_told_from_the_recording(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[incident.Options] = []

    def recall(options: incident.Options) -> Case:
        asked.append(options)
        return worked_incident()

    monkeypatch.setattr(incident, "recall", recall)
    finds(monkeypatch, healthy())
    assert run(["--since", "50m", "--until", "20m", "--no-file"]) == 1
    assert asked[0].until is not None
    assert asked[0].since is not None
    assert asked[0].until - asked[0].since == pytest.approx(1800, abs=2)
    capsys.readouterr()
    assert run(["--since", "50m", "--no-file"]) == 0, "a span that goes on is looked at now"


def test_a_span_that_no_recording_holds_is_read_from_what_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    finds(monkeypatch, healthy())
    box = str(tmp_path / "nothing")
    assert run(["--since", "50m", "--until", "20m", "--no-file", "--box", box]) == 0
