"""Access logs whose format nobody told us, and what Requests promise."""

from __future__ import annotations

import json

import pytest

from weaklink.parse.access_log import Columns, guess, read_access_log, reader_for, to_requests
from weaklink.parse.routes import Routes

INGRESS = (
    '203.0.113.9 - - [08/Mar/2026:16:02:45 +0000] "GET /api/x HTTP/1.1" 504 562 "-" "curl/8" '
    "1100 14.998 [default-web-80] [] 10.0.0.1:80, 10.0.0.1:80, 10.0.0.1:80 0, 0, 0 "
    "5.000, 5.000, 4.998 504, 504, 504 a7c98d98ac870f64981a997cd2f373a1"
)
COMBINED = '10.0.0.{} - - [01/Dec/2026:04:59:{:02} +0200] "GET /a/{} HTTP/1.1" 200 {} "-" "curl"'


def test_the_format_of_ingress_nginx_is_recognised() -> None:
    got = read_access_log("\n".join([INGRESS] * 3))
    assert got.duration == [14.998] * 3
    assert got.tries == [3] * 3
    assert got.upstream_duration == [pytest.approx(14.998)] * 3
    assert got.upstream_status == [504] * 3


def test_combined_is_recognised_and_claims_no_latency() -> None:
    text = "\n".join(COMBINED.format(i, i, i, 10 + i) for i in range(5))
    got = read_access_log(text)
    assert got.duration == got.start == [None] * 5
    assert got.end[0] == 1796101140.0 - 7200
    assert got.sent == [10, 11, 12, 13, 14]
    assert got.resolution == 1.0
    assert got.covered_from == got.end[0]


def test_extra_columns_of_an_unknown_kind_are_no_durations() -> None:
    text = "\n".join(COMBINED.format(i, i, i, 1) + " 77 88" for i in range(5))
    got = read_access_log(text)
    assert (len(got), got.skipped) == (5, 0)
    assert got.upstream_duration == [None] * 5


def test_a_wrong_format_gives_way_to_what_the_lines_say() -> None:
    text = "\n".join(COMBINED.format(i, i, i, 1) for i in range(5))
    got = read_access_log(text, "$msec|$status|$request_time")
    assert (len(got), got.skipped) == (5, 0)


def test_nonsense_is_counted_not_read() -> None:
    got = read_access_log("what\nis\nthis\n")
    assert (len(got), got.skipped) == (0, 3)
    assert guess(["what", "is", "this"]) is None


@pytest.mark.parametrize(
    ("record", "duration", "end"),
    [
        # Caddy: seconds as fractions, names nested.
        (
            {
                "ts": 1796101159.25,
                "request": {"method": "GET", "uri": "/a", "remote_ip": "10.0.0.1"},
                "duration": 0.125,
                "status": 200,
            },
            0.125,
            1796101159.25,
        ),
        # Envoy: the start of a request, whole milliseconds.
        (
            {
                "start_time": "2026-12-01T04:59:19.000Z",
                "method": "GET",
                "path": "/a",
                "response_code": 200,
                "duration": 250,
            },
            0.25,
            1796101159.25,
        ),
        # Traefik: whole nanoseconds.
        (
            {
                "time": "2026-12-01T04:59:19Z",
                "RequestMethod": "GET",
                "RequestPath": "/a",
                "DownstreamStatus": 200,
                "Duration": 125_000_000,
            },
            0.125,
            1796101159.0,
        ),
        # A home-made one.
        (
            {
                "@timestamp": "2026-12-01T04:59:19+00:00",
                "verb": "GET",
                "url": "/a",
                "status_code": "200",
                "latency_ms": 125,
            },
            0.125,
            1796101159.0,
        ),
        (
            {
                "time": "2026-12-01T04:59:19+00:00",
                "method": "GET",
                "path": "/a",
                "status": 200,
                "latency": "125ms",
            },
            0.125,
            1796101159.0,
        ),
    ],
    ids=["caddy", "envoy", "traefik", "own", "units"],
)
def test_json_logs_are_recognised(record: dict[str, object], duration: float, end: float) -> None:
    got = read_access_log("\n".join([json.dumps(record)] * 4))
    assert got.skipped == 0
    assert got.duration == [pytest.approx(duration)] * 4
    assert got.end == [pytest.approx(end)] * 4
    assert (got.status, got.route, got.method) == ([200] * 4, ["/a"] * 4, ["GET"] * 4)


def test_json_that_is_no_access_log_is_not_taken_for_one() -> None:
    text = "\n".join(
        [json.dumps({"level": "info", "time": "2026-12-01T04:59:19Z", "msg": "x"})] * 4
    )
    assert len(read_access_log(text)) == 0


def test_the_client_is_the_one_that_asked_the_first_proxy() -> None:
    line = COMBINED.format(9, 1, 1, 1) + ' "{}"'
    for forwarded, client in [
        ("198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("-", "10.0.0.9"),
        ("<script>", "10.0.0.9"),
        ("2001:db8::1", "2001:db8::1"),
    ]:
        got = read_access_log(line.format(forwarded))
        assert got.client == [client]


def test_parts_are_put_together_in_order() -> None:
    lines = [COMBINED.format(i, i, i, 1) for i in range(6)]
    reader = reader_for("combined", lines)
    assert reader is not None
    routes = Routes()
    parts = []
    for half in (lines[:3], lines[3:]):
        part = Columns(reader, routes)
        part.add(half)
        parts.append(part)
    got = to_requests(parts, source="log:h/-/x", covered_from=5.0)
    assert got.end == sorted(got.end)
    assert (len(got), got.covered_from, got.source) == (6, 5.0, "log:h/-/x")


def test_secrets_of_a_query_are_gone() -> None:
    line = COMBINED.format(1, 1, "x?token=hunter2&mail=bob@example.com", 1)
    got = read_access_log(line)
    assert "hunter2" not in got.path[0]
    assert "bob" not in got.path[0]


def test_where_no_member_is_left_nobody_was_asked() -> None:
    """nginx then writes the name of the group where the address of a member stands else."""
    one = INGRESS.replace("10.0.0.1:80, 10.0.0.1:80, 10.0.0.1:80", "10.0.0.1:80, 10.0.0.2:80, pool")
    none = INGRESS.replace("10.0.0.1:80, 10.0.0.1:80, 10.0.0.1:80", "pool")
    got = read_access_log("\n".join([one, none, one]))
    assert got.upstream == ["10.0.0.2:80", "", "10.0.0.2:80"]
    assert got.tries == [2, 0, 2]
