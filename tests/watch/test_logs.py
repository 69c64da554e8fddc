"""A followed log whose servers have names gives addresses, as a log that is read whole does."""

from __future__ import annotations

from pathlib import Path

from weaklink.model.fact import LogFile
from weaklink.parse.haproxy_access import FORMAT
from weaklink.watch.logs import Followed

LINE = (
    "10.0.1.2:33317 [06/Feb/2026:12:14:14.655] web apps/a 10/5/3/69/1109 200 2750 - - ---- "
    '1/1/1/1/0 0/0 "GET /v1/preview/77 HTTP/1.1"\n'
)


def test_its_servers_have_their_addresses(tmp_path: Path) -> None:
    path = tmp_path / "haproxy.log"
    path.write_text(LINE * 3)
    servers = {"apps/a": "10.0.0.7:8000"}
    log = LogFile(owner="p", path=str(path), kind="access", format=FORMAT, servers=servers)
    followed = Followed(log, str(path))
    with path.open("a") as file:
        file.write(LINE * 2)
    grown = followed.grown()
    followed.close()
    assert grown is not None
    assert grown.requests.upstream == ["10.0.0.7:8000"] * 2
