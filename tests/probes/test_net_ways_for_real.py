"""The kernel's own answers in a network namespace of our own that is broken in several ways."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from weaklink.model.fact_net import Way
from weaklink.probes.net_ways import way
from weaklink.reach.namespaces import in_netns
from weaklink.reach.route_netlink import surroundings

THERE = "198.51.100.2"
MAKES = (
    "ip link add out type veth peer name far && ip addr add 198.51.100.1/24 dev out && "
    "ip link set out up && ip link set far up && {more} && echo made && exec sleep 60"
)


def broken(more: str) -> Iterator[int]:
    """A process in a namespace with one cable to nobody, and what else was done to it."""
    command = ["unshare", "--net", "sh", "-c", MAKES.format(more=more)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        if process.stdout.readline() != b"made\n":
            pytest.skip("needs root, ip and veth to make a network of its own")
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def asked(more: str) -> Way:
    if shutil.which("ip") is None or shutil.which("unshare") is None:
        pytest.skip("needs ip and unshare")
    for pid in broken(more):
        seen = in_netns(pid, lambda: surroundings([THERE], deadline=time.monotonic() + 5))
        return way("n", THERE, "p", [seen], 1.0)
    raise AssertionError("no namespace")


def test_a_way_that_is_fine_goes_by_the_interface_in_its_network() -> None:
    found = asked("true")
    assert (found.device, found.error, found.home) == ("out", "", ["out"])


@pytest.mark.parametrize(
    ("kind", "error"),
    [("unreachable", "EHOSTUNREACH"), ("blackhole", "EINVAL"), ("prohibit", "EACCES")],
)
def test_a_route_that_refuses_is_told_with_its_kind(kind: str, error: str) -> None:
    assert asked(f"ip route add {kind} {THERE}").error == error


def test_an_interface_that_is_down_is_told_though_it_took_its_route_along() -> None:
    found = asked("ip link set out down")
    assert (found.error, found.home_down) == ("ENETUNREACH", ["out"])


def test_a_cable_that_was_pulled_at_the_far_end_is_told() -> None:
    found = asked("ip link set far down")
    assert (found.up, found.carrier) == (True, False)


def test_a_more_exact_route_by_another_card_is_told() -> None:
    more = (
        "ip link add two type veth peer name three && ip link set two up && "
        f"ip link set three up && ip route add {THERE} dev two"
    )
    found = asked(more)
    assert (found.device, found.home) == ("two", ["out"])


def test_a_next_hop_that_nobody_answers_for_is_told() -> None:
    ask = (
        f'({sys.executable} -c "import socket; s = socket.socket(socket.AF_INET, 2); '
        f"s.sendto(b'x', ('{THERE}', 9))\")"
    )
    assert asked(ask).next_hop[0] in {"INCOMPLETE", "FAILED"}
