"""A log belongs to the process that writes it, also where two have one path."""

from __future__ import annotations

from weaklink.locate.chain import discover
from weaklink.locate.entry import log_writers
from weaklink.model.case import grow
from weaklink.model.fact import LogFile
from weaklink.model.requests import Requests
from weaklink.testing.fake_chain import FRONT, GATE, FakeChain, process_key

PATH = "/var/log/access.log"
ONE, OTHER = f"log:h1/11/{PATH}", f"log:h1/22/{PATH}"


def test_two_logs_of_one_path_are_told_apart_by_their_keys() -> None:
    made = FakeChain().case()
    logs = [
        LogFile(owner=process_key(FRONT), path=PATH, kind="access", key=ONE),
        LogFile(owner=process_key(GATE), path=PATH, kind="access", key=OTHER),
    ]
    rows = [Requests(source=OTHER, end=[1.0]), Requests(source=ONE, end=[1.0])]
    case = grow(made, logs=logs, requests=rows)
    chain = discover(case)
    by_pid = {pid: link.key for link in chain.links for pid in link.pids}
    assert log_writers(case, chain.links) == {ONE: by_pid[FRONT], OTHER: by_pid[GATE]}


def test_a_log_without_a_key_is_known_by_its_path() -> None:
    case = FakeChain().case()
    chain = discover(case)
    front = next(link.key for link in chain.links if FRONT in link.pids)
    assert list(log_writers(case, chain.links).values()) == [front]
