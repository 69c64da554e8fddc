"""Which destinations of the chain are asked for, and what the looks say of each."""

from __future__ import annotations

import ipaddress

import pytest

from weaklink.locate.chain import discover
from weaklink.model.case import grow
from weaklink.probes.net_ways import destinations, plain_ip, way
from weaklink.reach.route_netlink import Answer, LinkRow, NeighbourRow, Surroundings
from weaklink.testing.fake_chain import FakeChain, process_key

HERE = "10.0.0.2"
NET = ipaddress.ip_network("10.0.0.0/24")


def seen(answer: Answer, *, up: bool = True, state: str = "REACHABLE") -> Surroundings:
    links = {1: LinkRow(1, "eth0", up, True if up else None, 1500)}
    neighbours = [NeighbourRow(1, HERE, "02:00:00:00:00:02", state)]
    return Surroundings(links, [(1, NET)], neighbours, {HERE: answer})


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("10.0.0.2:80", "10.0.0.2"),
        ("[2001:db8::5]:80", "2001:db8::5"),
        ("[::ffff:10.0.0.2]:80", "10.0.0.2"),
        ("127.0.0.1:80", ""),
        ("[::1]:80", ""),
        ("cache:6379", ""),
        ("unix:/run/app.sock", ""),
        ("", ""),
    ],
)
def test_only_addresses_that_leave_this_machine_are_asked_for(address: str, host: str) -> None:
    assert plain_ip(address) == host


def test_members_of_the_proxy_are_asked_for_from_where_it_runs() -> None:
    case = FakeChain().case()
    found = destinations(grow(case, chain=discover(case)))
    assert {"10.0.0.1", "10.0.0.2", "10.0.0.3"} <= set(found["-"])


def test_an_interface_that_is_down_is_told_though_its_route_is_gone() -> None:
    gone = seen(Answer(error="ENETUNREACH"), up=False)
    told = way("-", HERE, process_key(100), [gone, gone], 1.0)
    assert (told.error, told.home_down) == ("ENETUNREACH", ["eth0"])


def test_a_next_hop_is_told_as_each_look_found_it() -> None:
    answer = Answer(device=1, kind="unicast")
    looks = [seen(answer, state="INCOMPLETE"), seen(answer, state="FAILED")]
    assert way("-", HERE, process_key(100), looks, 1.0).next_hop == ["INCOMPLETE", "FAILED"]
