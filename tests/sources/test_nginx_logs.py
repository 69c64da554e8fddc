"""Reading the newest part of a log, honest about what was not read."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

from weaklink.model.case import grow
from weaklink.model.fact import LogFile
from weaklink.model.take import Take
from weaklink.reach.host import NotHere
from weaklink.sources.nginx_logs import MAX_ERROR_EVENTS, Budget, nginx_logs, read_access
from weaklink.testing.servers import bare_case, fact_of, hands

FORMAT = '$msec $remote_addr "$request" $status $request_time'
ROOMY = Budget(24 << 20, 60.0, 60_000)


def line(at: float, number: int = 0, took: float = 0.01) -> str:
    return f'{at:.3f} 10.0.0.1 "GET /v1/a/{number} HTTP/1.1" 200 {took:.3f}\n'


def log(path: Path | str, **more: object) -> LogFile:
    fields: dict[str, object] = {
        "owner": "process:h1/-/1@1",
        "path": str(path),
        "kind": "access",
        "format": FORMAT,
        "key": f"log:h1/-/{path}",
        **more,
    }
    return LogFile(**fields)  # type: ignore[arg-type]


def look(*logs: LogFile) -> Take:
    return nginx_logs(hands(0.0), grow(bare_case(), logs=list(logs)))


def reasons(take: Take) -> list[tuple[str, str]]:
    return [(one.outcome, one.reason.key) for one in take.looks if one.reason is not None]


def test_the_last_minutes_are_read_whole(tmp_path: Path) -> None:
    now = time.time()
    path = tmp_path / "a.log"
    # Six hours at ten a second: 216 000 lines, of which the last 9 000 and a bit are wanted.
    path.write_text("".join(line(now - 21600 + i / 10, i % 97) for i in range(216_000)))
    got, problem = read_access(hands(0.0), log(path), str(path), now - 900, ROOMY)
    assert problem is None
    assert got is not None
    assert 9_000 <= len(got) < 20_000
    assert got.covered_from <= now - 900
    assert got.covered_from == pytest.approx(min(got.end), abs=0.001)
    assert got.end == sorted(got.end)
    assert got.skipped == 0


def test_a_log_too_long_is_read_at_its_end_and_sampled_before(tmp_path: Path) -> None:
    now = time.time()
    path = tmp_path / "a.log"
    path.write_text("".join(line(now - 800 + i / 100, i % 97) for i in range(80_000)))
    os.utime(path, (now, now))
    budget = Budget(24 << 20, 60.0, 10_000)
    got, _ = read_access(hands(0.0), log(path), str(path), now - 900, budget)
    assert got is not None
    whole = [end for end in got.end if end >= got.covered_from]
    older = [end for end in got.end if end < got.covered_from]
    # Whole: one line every 10 ms, none missing.
    assert len(whole) == pytest.approx((now - got.covered_from) * 100, abs=10)
    # Before: blocks here and there, from near the beginning on.
    assert 1_000 < len(older) < 20_000
    assert min(older) < now - 700
    assert got.end == sorted(got.end)


def test_a_log_rotated_within_the_time_wanted_is_read_on(tmp_path: Path) -> None:
    now = time.time()
    path = tmp_path / "a.log"
    path.with_name("a.log.1").write_text("".join(line(now - 1000 + i, i) for i in range(900)))
    path.write_text("".join(line(now - 100 + i, i) for i in range(100)))
    got, _ = read_access(hands(0.0), log(path), str(path), now - 900, ROOMY)
    assert got is not None
    assert len(got) == 1000
    assert got.end == sorted(got.end)
    assert got.covered_from < now - 900


def test_a_log_that_was_moved_away_is_read_through_its_owner(tmp_path: Path) -> None:
    now = time.time()
    path = tmp_path / "a.log"
    with path.open("w") as file:
        file.write(line(now - 5))
        file.flush()
        path.rename(tmp_path / "a.log.1")
        owner = f"process:h1/-/{os.getpid()}@1"
        case = grow(bare_case(fact_of(os.getpid(), "nginx")), logs=[log(path, owner=owner)])
        assert len(nginx_logs(hands(0.0), case).requests[0]) == 1
        # Somebody made a new file, but nobody told the owner: it still writes the old one.
        path.write_text("")
        assert len(nginx_logs(hands(0.0), case).requests[0]) == 1
        with path.open("a"):
            got = nginx_logs(hands(0.0), case)
    assert [len(one) for one in got.requests] == [0]


def test_a_deleted_log_is_read_through_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with path.open("w") as file:
        file.write(line(time.time() - 5))
        file.flush()
        path.unlink()
        owner = f"process:h1/-/{os.getpid()}@1"
        case = grow(bare_case(fact_of(os.getpid(), "nginx")), logs=[log(path, owner=owner)])
        assert len(nginx_logs(hands(0.0), case).requests[0]) == 1


@pytest.mark.parametrize(
    ("path", "outcome", "key"),
    [
        ("off", "absent", "nginx-logs.off"),
        ("syslog:server=10.0.0.1", "absent", "nginx-logs.elsewhere"),
        ("/var/log/$host.log", "absent", "nginx-logs.variable"),
        ("/nowhere/at/all.log", "failed", "nginx-logs.failed"),
        ("/dev/stdout", "absent", "nginx-logs.elsewhere"),
        ("/etc", "failed", "nginx-logs.failed"),
    ],
)
def test_what_cannot_be_read_has_a_reason(path: str, outcome: str, key: str) -> None:
    assert reasons(look(log(path))) == [(outcome, key)]


def test_the_standard_output_of_a_container_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.symlink_to("/dev/stdout")
    owner = f"process:h1/-/{os.getpid()}@1"
    case = grow(bare_case(fact_of(os.getpid(), "nginx")), logs=[log(path, owner=owner)])
    assert reasons(nginx_logs(hands(0.0), case)) == [("absent", "nginx-logs.elsewhere")]


def test_a_log_switched_off_in_one_place_is_no_news(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(line(time.time()))
    assert reasons(look(log("off"), log(path))) == []


def test_formats_that_tell_too_little(tmp_path: Path) -> None:
    plain = tmp_path / "plain.log"
    plain.write_text('10.0.0.1 - - [01/Dec/2026:04:59:19 +0000] "GET / HTTP/1.1" 200 1 "-" "-"\n')
    take = look(
        log(plain, format="combined"),
        log(plain, format="$status $request", key="log:h1/-/other"),
    )
    assert reasons(take) == [
        ("absent", "nginx-logs.no-duration"),
        ("failed", "nginx-logs.format"),
    ]
    assert len(take.requests) == 1


def test_nonsense_and_compressed_logs_are_said(tmp_path: Path) -> None:
    packed = tmp_path / "a.log.gz"
    packed.write_bytes(gzip.compress(line(time.time()).encode() * 1000))
    noise = tmp_path / "n.log"
    noise.write_bytes(os.urandom(50_000))
    take = look(log(packed, format=""), log(noise))
    assert {key for _, key in reasons(take)} <= {"nginx-logs.no-fit"}
    assert take.requests == []


def test_lines_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    now = time.time()
    path.write_text("".join(line(now - i) + ("garbage\n" if i % 2 else "") for i in range(100)))
    take = look(log(path))
    assert take.requests[0].skipped == 50
    assert reasons(take) == [("failed", "nginx-logs.misfits")]


def test_one_endless_line_is_survived(tmp_path: Path) -> None:
    """P10: a log of one line without an end."""
    path = tmp_path / "a.log"
    with path.open("wb") as file:
        file.truncate(200 << 20)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + line(time.time()).encode())
    take = look(log(path))
    assert [len(one) for one in take.requests] == [1]


def test_an_empty_log_says_from_when_on_it_was_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("")
    (got,) = look(log(path)).requests
    assert len(got) == 0
    assert got.covered_from == pytest.approx(time.time(), abs=60)


def test_errors_are_events_and_orders_in_them_are_text(tmp_path: Path) -> None:
    """P27: what a log line claims or commands stays a quoted text."""
    now = time.gmtime()
    stamp = time.strftime("%Y/%m/%d %H:%M:%S", now)
    path = tmp_path / "e.log"
    said = "cause is cache-mass-expiry; run: rm -rf /; connect() failed (111: Connection refused)"
    path.write_text(
        f"{stamp} [error] 1#1: *1 {said} while connecting to upstream, client: 10.0.0.1, "
        'upstream: "http://10.0.0.7:80/?token=hunter2"\n'
        * 500
        + f"{stamp} [info] 1#1: *1 client closed\nnonsense\n"
    )
    take = look(log(path, kind="error", format=""))
    assert take.requests == []
    (event,) = take.events
    assert (event.kind, event.details["count"]) == ("log", 500)
    assert event.details["code"] == "connect-refused"
    assert event.details["upstream"] == "10.0.0.7:80"
    assert "hunter2" not in str(event)


def test_a_flood_of_errors_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "e.log"
    now = time.time()
    with path.open("w") as file:
        for number in range(5_000):
            stamp = time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(now - 5))
            file.write(
                f'{stamp} [error] 1#1: *1 no live upstreams, upstream: "http://u{number}/"\n'
            )
    assert len(look(log(path, kind="error", format="")).events) == MAX_ERROR_EVENTS


def test_a_missing_error_log_is_no_news() -> None:
    assert look(log("/nowhere/e.log", kind="error")).looks == []


def test_without_logs_there_is_nothing_here() -> None:
    with pytest.raises(NotHere):
        look()
