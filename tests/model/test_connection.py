"""Which end of a connection owes an answer is told by the ages of its last bytes."""

from __future__ import annotations

import pytest

from weaklink.model.chain import Link
from weaklink.model.fact import Connection


@pytest.mark.parametrize(
    ("received", "sent", "state", "owed", "awaited"),
    [
        (3.0, 9.0, "established", 3.0, None),
        (9.0, 3.0, "established", None, 3.0),
        (3.0, 3.0, "established", None, None),
        (None, 3.0, "established", None, None),
        (3.0, 9.0, "time-wait", None, None),
    ],
)
def test_owed_and_awaited(
    received: float | None, sent: float, state: str, owed: float | None, awaited: float | None
) -> None:
    connection = Connection(
        local="10.0.0.1:80",
        remote="10.0.0.2:999",
        netns="-",
        state=state,
        received_age=received,
        sent_age=sent,
    )
    assert connection.owed_age == owed
    assert connection.awaited_age == awaited


def test_a_link_serves_at_the_ports_that_it_listens_at() -> None:
    link = Link(key="k", name="n", role="app", listen=["0.0.0.0:80", "unix:/run/x"])
    assert link.serves("10.0.0.1:80")
    assert not link.serves("10.0.0.1:8080")


@pytest.mark.parametrize(
    ("received", "sent", "owed", "awaited"),
    [(900, 1, 3.0, None), (0, 901, None, 3.0), (900, 400, None, None), (0, 1, None, None)],
)
def test_the_first_request_of_a_connection_is_told_by_its_bytes(
    received: int, sent: int, owed: float | None, awaited: float | None
) -> None:
    """Made for one request only, both ages still count from the handshake."""
    connection = Connection(
        local="10.0.0.1:80", remote="10.0.0.2:999", netns="-", received_age=3.0, sent_age=3.0,
        bytes_received=received, bytes_sent=sent,
    )  # fmt: skip
    assert (connection.owed_age, connection.awaited_age) == (owed, awaited)
