"""The commands are what a person would type, one for each thing of the chain."""

from __future__ import annotations

import shlex

import pytest

from weaklink.capture.wanted import MAX_VALUES, Value, wanted


def commands(**here: list[Value]) -> list[str]:
    return [one.command for one in wanted(here)]


def test_a_word_without_a_value_gives_no_command() -> None:
    assert not [one for one in commands() if "{" in one or "py-spy" in one or "smartctl" in one]


def test_one_command_for_each_value() -> None:
    found = commands(device=[Value("sda"), Value("nvme0n1")])
    assert [one for one in found if one.startswith("smartctl")] == [
        "smartctl -a /dev/sda",
        "smartctl -a /dev/nvme0n1",
    ]


def test_a_host_with_hundreds_of_disks_is_not_asked_about_each() -> None:
    found = commands(device=[Value(f"sd{i}") for i in range(400)])
    assert len([one for one in found if one.startswith("smartctl")]) == MAX_VALUES


@pytest.mark.parametrize(
    ("address", "typed"),
    [
        ("127.0.0.1:7000", "redis-cli -h 127.0.0.1 -p 7000 info all"),
        ("[::1]:6379", "redis-cli -h ::1 -p 6379 info all"),
        ("unix:/run/a b.sock", "redis-cli -s '/run/a b.sock' info all"),
    ],
)
def test_a_cache_is_asked_where_it_listens(address: str, typed: str) -> None:
    assert typed in commands(redis=[Value(address, 1)])


def test_a_hostile_name_stays_one_argument() -> None:
    name = "/var/log/a;rm -rf $(b) `c`.log"
    found = [one for one in wanted({"log": [Value(name)]}) if one.tool == "tail"]
    assert found[0].words[-1] == name
    assert shlex.split(found[0].command)[-1] == name


def test_nothing_that_slows_its_target() -> None:
    harmful = ("strace", "tcpdump", "jstack", "perf", "--bigkeys", "--hotkeys", "monitor", "keys")
    here = {name: [Value("1")] for name in ("pid", "python", "redis", "netns", "cgroup", "log")}
    assert not [one.command for one in wanted(here) if set(one.words) & set(harmful)]
