"""Any log_format becomes a matcher; lines below are as nginx 1.22 writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.access_log import read_access_log
from weaklink.parse.log_format import COMBINED, FormatError, LineFormat, compile_format

AGENT = "we\\x22ird \\x5C agent 1.0 [x] | (\\xC3\\xA9)"

TIMED = COMBINED + (
    ' rt=$request_time ua="$upstream_addr" us="$upstream_status" '
    'urt="$upstream_response_time" uct="$upstream_connect_time"'
)
TIMED_LINE = (
    f'127.0.0.1 - - [01/Dec/2026:04:59:19 +0000] "GET /dead/1?k=v HTTP/1.1" 502 157 "-" "{AGENT}" '
    'rt=0.012 ua="127.0.0.1:18098, 127.0.0.1:18099" us="502, 502" urt="0.000, 0.012" uct="-, -"'
)
LOOSE = (
    "$time_iso8601 $remote_addr $http_user_agent $request_time $status $upstream_addr "
    "$upstream_status $upstream_response_time $request_uri"
)
LOOSE_LINE = (
    f"2026-12-01T04:59:19+00:00 127.0.0.1 {AGENT} 0.012 502 127.0.0.1:18098, 127.0.0.1:18099 "
    "502, 502 0.000, 0.012 /dead/1?k=v"
)
JSON = (
    'escape=json {"msec":$msec,"req":"$request","ua":"$http_user_agent","status":$status,'
    '"rt":$request_time,"up":"$upstream_addr","urt":"$upstream_response_time",'
    '"ust":"$upstream_status","sent":$bytes_sent}'
)
JSON_LINE = (
    '{"msec":1796101159.000,"req":"GET /dead/1?k=v HTTP/1.1","ua":"we\\"ird \\\\ agent",'
    '"status":502,"rt":0.012,"up":"127.0.0.1:18098, 127.0.0.1:18099","urt":"0.000, 0.012",'
    '"ust":"502, 502","sent":309}'
)
RAW = "escape=none $msec|$request|$http_user_agent|$status|$request_time|$upstream_addr"
RAW_LINE = (
    '1796101159.000|GET /dead/1?k=v HTTP/1.1|we"ird \\ agent 1.0 [x] (é)|502|0.012|'
    "127.0.0.1:18098, 127.0.0.1:18099"
)
TABS = "$msec\t$request_method\t$request_uri\t$status\t$request_time\t$upstream_addr\t$host"
TABS_LINE = (
    "1796101159.000\tGET\t/dead/1?k=v\t502\t0.012\t127.0.0.1:18098, 127.0.0.1:18099\ta.example"
)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (TIMED, TIMED_LINE),
        (LOOSE, LOOSE_LINE),
        (JSON, JSON_LINE),
        (RAW, RAW_LINE),
        (TABS, TABS_LINE),
    ],
    ids=["quoted", "loose", "json", "none", "tabs"],
)
def test_every_format_gives_the_same_request(pattern: str, line: str) -> None:
    got = read_access_log(line + "\n", pattern)
    assert got.skipped == 0
    assert got.end == [1796101159.0]
    assert got.duration == [0.012]
    assert got.start == [1796101159.0 - 0.012]
    assert (got.route, got.status) == (["/dead/{}"], [502])
    assert got.method == (
        ["GET"] if "$request" in pattern.replace("$request_", "") or "method" in pattern else [""]
    )
    assert (got.upstream, got.tries) == (["127.0.0.1:18099"], [2])


def test_lists_over_tries_and_groups() -> None:
    line = TIMED_LINE.replace(
        'ua="127.0.0.1:18098, 127.0.0.1:18099" us="502, 502" urt="0.000, 0.012" uct="-, -"',
        'ua="10.0.0.1:80, 10.0.0.2:80 : 10.0.0.3:80" us="502, 504 : 200" '
        'urt="0.001, 5.000 : 0.250" uct="0.001, - : 0.002"',
    )
    got = read_access_log(line, TIMED)
    assert got.upstream == ["10.0.0.3:80"]
    assert got.tries == [3]
    assert got.upstream_status == [200]
    assert got.upstream_duration == [pytest.approx(5.251)]
    assert got.connect == [pytest.approx(0.003)]


def test_whole_seconds_are_said() -> None:
    assert read_access_log(TIMED_LINE, TIMED).resolution == 1.0
    assert read_access_log(RAW_LINE, RAW).resolution == 0.001


def test_empty_and_dashed_values_are_unknown_not_zero() -> None:
    line = TIMED_LINE.partition(" rt=")[0] + ' rt=0.000 ua="-" us="-" urt="-" uct="-"'
    got = read_access_log(line, TIMED)
    assert (got.upstream, got.tries, got.upstream_duration) == ([""], [0], [None])
    empty = JSON_LINE.replace('"127.0.0.1:18098, 127.0.0.1:18099"', '""').replace(
        '"0.000, 0.012"', '""'
    )
    got = read_access_log(empty, JSON)
    assert (got.skipped, got.upstream_duration) == (0, [None])


def test_garbage_requests_are_requests_without_a_method() -> None:
    line = '10.0.0.1 - - [01/Dec/2026:04:59:19 +0000] "\\x16\\x03\\x01" 400 157 "-" "-"'
    got = read_access_log(line, "combined")
    assert (got.status, got.method, got.route) == ([400], [""], ["-"])


@pytest.mark.parametrize(
    ("pattern", "key"),
    [
        ("$status $request", "log.no-time"),
        ("nothing at all", "log.no-variables"),
        ("$msec " * 5000, "log.too-long"),
    ],
)
def test_a_format_that_cannot_be_used_says_why(pattern: str, key: str) -> None:
    with pytest.raises(FormatError) as raised:
        compile_format(pattern)
    assert raised.value.reason.key == key


def test_the_better_of_two_variables_is_taken() -> None:
    got = read_access_log(
        "1796101159.000 /b /a?x=1 7 200", "$msec $uri $request_uri $body_bytes_sent $status"
    )
    assert got.path[0].startswith("/a")
    assert isinstance(compile_format("combined"), LineFormat)


VARIABLES = st.sampled_from(
    [
        "$msec",
        "$request",
        "$status",
        "$http_user_agent",
        "$upstream_addr",
        "$request_time",
        "$x",
        "${upstream_response_time}",
        "$remote_user",
        "$time_local",
    ]
)


@given(
    st.lists(st.tuples(VARIABLES, st.text(max_size=3)), min_size=1, max_size=8),
    st.text(max_size=200),
)
def test_no_format_and_no_line_raises(pieces: list[tuple[str, str]], line: str) -> None:
    pattern = "$msec " + "".join(name + literal for name, literal in pieces)
    got = read_access_log(line, pattern)
    assert len(got.start) == len(got.end) == len(got.route) == len(got.sent)


@pytest.mark.parametrize("piece", [" ", '"', ", ", " : ", "1", "\\", "a ", "0.1, ", "] "])
@pytest.mark.parametrize("pattern", [TIMED, LOOSE, JSON, RAW, "combined"])
def test_a_hostile_line_ends(pattern: str, piece: str) -> None:
    # Anything that backtracks far would take minutes here.
    text = "\n".join(TIMED_LINE[:40] + piece * 10_000 for _ in range(3))
    assert read_access_log(text, pattern).skipped <= 3
