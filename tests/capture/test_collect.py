"""What is collected is real, bounded and without secrets; what is not is said."""

from __future__ import annotations

import io
import json
import random
import signal
import string
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from weaklink.capture.collect import MAX_LINE, MAX_TEXT, Text, collect
from weaklink.capture.hide import ADDRESSES, Disguise
from weaklink.capture.pack import MANIFEST, pack
from weaklink.capture.redis_text import redis_text
from weaklink.capture.wanted import Value, Wanted, wanted
from weaklink.model.message import Message
from weaklink.parse.redis_reply import read_reply
from weaklink.parse.resp import Reply
from weaklink.reach.confined import read_confined
from weaklink.testing.servers import free_port, redis_say, redis_server
from weaklink.words import render


def said(message: Message) -> str:
    return render(message)


def one(*words: str, seconds: float = 0.0, about: Value | None = None) -> Text:
    return collect([Wanted(words, seconds, about or Value(""))], 20)[0]


def canaries(count: int, prefix: str) -> list[str]:
    rng = random.Random(prefix)
    letters = string.ascii_lowercase + string.digits
    return ["x" + "".join(rng.choices(letters, k=18)) + "7" for _ in range(count)]


def test_a_program_and_a_file() -> None:
    assert one("uname", "-s").text.strip() == "Linux"
    assert one("cat", "/proc/loadavg").text.count(" ") == 4


def test_what_is_not_here_is_said() -> None:
    found = one("no-such-tool-here", "-a")
    assert (found.state, found.text) == ("absent", "")
    assert found.reason is not None
    assert "no-such-tool-here" in said(found.reason)
    assert one("cat", "/no/such/file").state == "absent"
    assert one("cat", "/dev/zero").state == "failed"


def test_a_tool_that_hangs_is_given_up_and_the_others_come() -> None:
    started = time.monotonic()
    hangs = Wanted(("sleep", "60"), -4.5)
    found = collect([hangs, Wanted(("uname",), 0)], 20)
    assert [text.state for text in found] == ["late", "kept"]
    assert time.monotonic() - started < 15


def test_what_is_not_begun_in_time_is_late() -> None:
    assert [text.state for text in collect([Wanted(("uname",), 0)], 0)] == ["late"]


def test_a_huge_log_gives_its_newest_lines(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    with log.open("w") as file:
        for number in range(200_000):
            file.write(f"line {number} of many, and {'long ' * 4}\n")
        file.write("y" * 100_000 + "\n")
    found = one("tail", "-n", "2000", str(log), about=Value(str(log), where=str(log)))
    lines = found.text.split("\n")
    assert found.state == "kept"
    assert len(lines) <= 2000
    assert lines[-2].startswith("line 199999 ")
    assert len(lines[-1]) <= MAX_LINE + 2
    assert len(found.text) <= 2 * MAX_TEXT


@pytest.mark.needs("redis")
def test_two_hundred_secrets_stay_here(tmp_path: Path) -> None:
    in_argv, in_log, in_keys, in_urls = (canaries(50, name) for name in ("a", "l", "k", "u"))
    log = tmp_path / "app.log"
    log.write_text(
        "".join(f"2026-01-02 03:04:05 login password={one} ok\n" for one in in_log)
        + "".join(f'1.2.3.4 - - "GET /v1/x?token={one} HTTP/1.1" 200 5\n' for one in in_urls)
    )
    program = [sys.executable, "-c", "import time; time.sleep(60)"]
    program += [f"--api-key={one}" for one in in_argv]
    child = subprocess.Popen(program)
    try:
        slow = ("--slowlog-log-slower-than", "0", "--slowlog-max-len", "999")
        with redis_server(tmp_path, *slow) as (pid, port):
            redis_say(port, *[("SET", f"session:{one}", f"secret of {one}") for one in in_keys])
            here = {
                "redis": [Value(f"127.0.0.1:{port}", pid)],
                "log": [Value(str(log), where=str(log))],
            }
            chosen = ("ps", "redis-cli", "tail")
            found = collect([one for one in wanted(here) if one.tool in chosen], 30)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    data, manifest = pack(found, 1.0, Disguise(()), said)
    assert [entry.state for entry in manifest.texts] == ["kept"] * 5
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [archive.extractfile(name) for name in archive.getnames()]
        text = b"".join(member.read() for member in members if member).decode()
    assert "--api-key=" in text
    assert "SET" in text
    assert "session:" in text
    assert not [c for c in (*in_argv, *in_log, *in_keys, *in_urls) if c in text]


def test_a_cache_that_is_gone_is_said() -> None:
    about = Value(f"127.0.0.1:{free_port()}")
    found = one("redis-cli", "-h", "127.0.0.1", "-p", "1", "info", "all", about=about)
    assert found.state == "failed"
    assert found.reason is not None


def test_replies_are_printed_as_the_reader_knows_them() -> None:
    reply: list[Reply] = [[14, 1700000000, 22000, ["KEYS", 'pre"v:*']], [13, 1, 2, []], "x", None]
    lines = redis_text(reply).split("\n")
    assert lines[0] == "1) 1) (integer) 14"
    assert lines[3] == '   4) 1) "KEYS"'
    told = read_reply(lines)
    assert told[0] == [14, 1700000000, 22000, ["KEYS", 'pre"v:*']]


def test_the_bundle_is_read_elsewhere(tmp_path: Path) -> None:
    found = [
        one("df", "-h"),
        one("cat", "/proc/meminfo"),
        one("no-such-tool-here"),
        Text("ip route", "kept", "default via 10.1.2.1 dev eth0\n10.1.2.0/24 dev eth0\n"),
    ]
    data, manifest = pack(found, 1_700_000_000.0, Disguise((ADDRESSES,)), said)
    path = tmp_path / "it.tar.gz"
    path.write_bytes(data)
    readings = read_confined([str(path)])
    tools = {part.tool for reading in readings for part in reading.parts}
    assert {"df", "weaklink-capture", "ip-route"} <= tools
    assert not [reading.failed for reading in readings if reading.failed]
    assert [entry.state for entry in manifest.texts] == ["kept", "kept", "absent", "kept"]
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        file = archive.extractfile(f"weaklink-capture/{MANIFEST}")
        listed = json.loads(file.read()) if file else {}
    assert listed["schema"] == "weaklink/capture/1"
    assert listed["hidden"] == ["addresses"]
    assert listed["texts"][2]["reason"] == "no-such-tool-here is not installed"
    assert b"10.1.2.1" not in data
