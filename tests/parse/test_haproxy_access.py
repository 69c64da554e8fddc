"""Requests from HAProxy's log: when they began, who answered, who gave up."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.access_log import read_access_log, reader_for
from weaklink.parse.haproxy_access import FORMAT, haproxy_reader, is_haproxy

FINE = (
    "10.0.1.2:33317 [06/Feb/2026:12:14:14.655] web~ apps/a 10/5/3/69/1109 200 2750 - - ---- "
    '1/1/1/1/0 0/0 {1wt.eu} {} "GET /v1/preview/77 HTTP/1.1"'
)
SYSLOG = "Feb  6 12:14:15 gw1 haproxy[14389]: "
TIMED_OUT = FINE.replace("10/5/3/69/1109 200", "0/0/2/-1/8002 504").replace("----", "sH--")
NOBODY = FINE.replace("apps/a 10/5/3/69/1109 200", "apps/<NOSRV> 0/-1/-1/-1/1 503").replace(
    "----", "SC--"
)
LEFT = FINE.replace("10/5/3/69/1109 200", "0/0/1/-1/900 -1").replace("----", "CH--")


def began(text: str = "2026-02-06 12:14:14.655") -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize("before", ["", SYSLOG, "<134>Feb  6 12:14:15 haproxy[9]: "])
def test_a_request_begins_when_it_was_accepted(before: str) -> None:
    rows = read_access_log(f"{before}{FINE}\n")
    assert rows.start == [pytest.approx(began(), abs=0.001)]
    assert rows.duration == [1.109]
    assert (rows.status, rows.method, rows.route) == ([200], ["GET"], ["/v1/preview/{}"])
    assert rows.upstream == ["haproxy:apps/a"]
    assert rows.upstream_duration == [pytest.approx(1.094)]
    assert rows.client == ["10.0.1.2"]
    assert rows.resolution == 0.001


def test_a_server_that_did_not_answer_gave_no_status() -> None:
    rows = read_access_log(f"{TIMED_OUT}\n")
    assert (rows.status, rows.upstream_status, rows.duration) == ([504], [0], [8.002])


def test_where_nobody_was_left_nobody_was_asked() -> None:
    rows = read_access_log(f"{NOBODY}\n")
    assert (rows.status, rows.upstream, rows.tries) == ([503], [""], [0])


def test_a_client_that_left_is_no_error_of_the_service() -> None:
    assert read_access_log(f"{LEFT}\n").status == [499]


def test_other_programs_lines_between_are_left_out() -> None:
    lines = [f"{SYSLOG}{FINE}"] * 6 + ["Feb  6 12:14:15 gw1 sshd[1]: session opened"] * 4
    rows = read_access_log("\n".join(lines))
    assert len(rows) == 6
    assert rows.skipped == 4


def test_it_is_known_by_its_lines_or_by_its_name() -> None:
    nginx = '1.2.3.4 - - [06/Feb/2026:12:14:14 +0000] "GET / HTTP/1.1" 200 5 "-" "x"'
    assert is_haproxy([FINE, TIMED_OUT, ""])
    assert not is_haproxy([nginx] * 3)
    assert not is_haproxy([])
    reader = reader_for(FORMAT, [FINE] * 3)
    assert reader is not None
    assert reader.time_is_start
    other = reader_for("", [nginx] * 3)
    assert other is not None
    assert other.name != FORMAT


@given(st.text(max_size=400), st.integers(0, len(FINE)))
def test_any_line_is_read_or_passed_over(noise: str, cut: int) -> None:
    read = haproxy_reader()
    read(noise)
    read(FINE[:cut] + noise)
    row = read(FINE.replace("06/Feb/2026", "99/Feb/2026"))
    assert row is None
