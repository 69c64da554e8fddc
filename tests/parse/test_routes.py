"""Routes: what is asked for, without which one of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.routes import (
    MAX_ROUTES,
    OTHER,
    Routes,
    may_be_asked_again,
    route_of,
    settle,
    stored_path,
)


@pytest.mark.parametrize(
    ("target", "route"),
    [
        ("/", "/"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/v1/videos/417/frames?n=3", "/v1/videos/{}/frames"),
        ("/x/550e8400-e29b-41d4-a716-446655440000", "/x/{}"),
        ("/x/8f14e45fceea167a", "/x/{}"),
        ("/jobs/job-17", "/jobs/{}"),
        ("/a/frame-000123.jpg", "/a/{}.jpg"),
        ("/static/app.css", "/static/app.css"),
        ("/h264/mp4/s3/v2", "/h264/mp4/s3/v2"),
        ("/u/bob@example.com/x", "/u/{}/x"),
        ("/t/q7Rk2LmX9vTb4NcZ8sWd1YhG", "/t/{}"),
        ("/wp-admin/index.php", "/wp-admin/index.php"),
        ("http://host/v1/x?y=1", "/v1/x"),
        ("*", "*"),
        ("", "/"),
        ("nonsense", "{}"),
    ],
)
def test_route(target: str, route: str) -> None:
    assert route_of(target) == route


def test_a_stored_path_tells_resources_apart_without_naming_them() -> None:
    one = stored_path("/v1/s/8f14e45fceea167a?user=alice&n=1")
    two = stored_path("/v1/s/8f14e45fceea167b?user=alice&n=1")
    assert one != two
    assert one == stored_path("/v1/s/8f14e45fceea167a?user=alice&n=1")
    assert one.startswith("/v1/s/{")
    assert "?user={" in one
    assert "alice" not in one
    assert "8f14" not in one
    assert stored_path("/v1/videos/417") == "/v1/videos/417"


def test_only_a_path_that_still_is_what_was_asked_may_be_asked_again() -> None:
    assert may_be_asked_again(stored_path("/healthz"))
    assert may_be_asked_again(stored_path("/v1/videos/417"))
    assert not may_be_asked_again(stored_path("/v1/s/8f14e45fceea167a"))
    assert not may_be_asked_again(stored_path("/v1/x?token=abc"))
    assert not may_be_asked_again("/v1/password/reset")


def test_siblings_that_are_objects_become_one_route() -> None:
    column = [f"/v1/p/v{i:03}" for i in range(30)] + ["/v1/p/list", "/v1/q"]
    settled = settle(column)
    assert set(settled) == {"/v1/p/{}", "/v1/p/list", "/v1/q"}
    assert len(settled) == len(column)


def test_few_siblings_stay_what_they_are() -> None:
    column = ["/v1/a", "/v2/a", "/v1/b"]
    assert settle(column) == column


def test_a_scanner_does_not_fill_the_memory() -> None:
    routes = Routes()
    column = [
        routes(f"/{'abcdefghij'[i % 10]}x{'y' * (i % 40)}/{'z' * (i % 23)}q")[0]
        for i in range(20_000)
    ]
    column += ["/v1/real"] * 500
    settled = settle(column)
    assert len(set(settled)) <= MAX_ROUTES + 1
    assert settled[-1] == "/v1/real"
    assert set(settled) <= {*column, OTHER} or any("{}" in route for route in settled)


@given(st.text(max_size=200))
def test_any_target_has_a_route_and_a_path(target: str) -> None:
    assert route_of(target)
    assert stored_path(target)
