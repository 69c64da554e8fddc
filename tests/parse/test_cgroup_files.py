"""Both versions of control groups give the same quantities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.cgroup import (
    Hierarchy,
    Read,
    flat,
    folder_of,
    hierarchies,
    merged,
    parse_v1,
    parse_v2,
    with_ancestors,
)
from weaklink.parse.mountinfo import parse_mountinfo

MOUNTS = rb"""30 1 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
35 30 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
40 30 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd
41 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
50 1 8:1 / /srv/with\040blank rw,relatime shared:5 master:2 - ext4 /dev/sda1 rw
nonsense
"""


def reader(files: dict[str, bytes]) -> Read:
    return lambda name: files.get(name, b"")


V1 = {
    "cpu": reader(
        {
            "cpu.stat": b"nr_periods 100\nnr_throttled 40\nthrottled_time 2500000000\n",
            "cpu.cfs_quota_us": b"50000\n",
            "cpu.cfs_period_us": b"100000\n",
        }
    ),
    "cpuacct": reader({"cpuacct.usage": b"7000000000\n"}),
    "memory": reader(
        {
            "memory.stat": b"cache 9\nrss 1\ntotal_rss 600\ntotal_shmem 50\n",
            "memory.usage_in_bytes": b"5000\n",
            "memory.limit_in_bytes": b"8192\n",
            "memory.failcnt": b"3\n",
            "memory.oom_control": b"oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        }
    ),
    "freezer": reader({"freezer.state": b"FROZEN\n"}),
}
V2 = {
    "cpu.stat": b"usage_usec 7000000\nnr_periods 100\nnr_throttled 40\nthrottled_usec 2500000\n",
    "cpu.max": b"50000 100000\n",
    "memory.stat": b"anon 600\nfile 99\nshmem 50\n",
    "memory.current": b"5000\n",
    "memory.max": b"8192\n",
    "memory.events": b"low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\n",
    "cgroup.events": b"populated 1\nfrozen 1\n",
}


def test_version_1_and_2_say_the_same() -> None:
    first, second = parse_v1(V1), parse_v2(reader(V2))
    assert first == second
    assert first.cpu_quota == 0.5
    assert first.memory_limit == 8192
    assert first.frozen
    assert first.values["cgroup_cpu_throttled_seconds_total"] == 2.5
    assert first.values["cgroup_memory_working_bytes"] == 650
    assert first.values["cgroup_oom_kills_total"] == 2


def test_no_limit_is_none_and_gives_no_reading() -> None:
    v1 = parse_v1(
        {
            "cpu": reader({"cpu.cfs_quota_us": b"-1\n", "cpu.cfs_period_us": b"100000\n"}),
            "memory": reader({"memory.limit_in_bytes": b"9223372036854771712\n"}),
        }
    )
    v2 = parse_v2(reader({"cpu.max": b"max 100000\n", "memory.max": b"max\n"}))
    for state in (v1, v2):
        assert state.cpu_quota is None
        assert state.memory_limit is None
        assert "cgroup_cpu_quota" not in state.values


def test_pressure_of_a_group_is_version_2_only() -> None:
    state = parse_v2(reader({"cpu.pressure": b"some avg10=0.00 total=1500000\n"}))
    assert state.values == {"cgroup_pressure_cpu_some_seconds_total": 1.5}


def test_on_a_hybrid_machine_version_1_counts_and_version_2_freezes() -> None:
    state = merged(parse_v1({"cpu": V1["cpu"]}), parse_v2(reader({"cgroup.events": b"frozen 1\n"})))
    assert state.cpu_quota == 0.5
    assert state.frozen


def test_where_the_hierarchies_are() -> None:
    found = hierarchies(parse_mountinfo(MOUNTS))
    assert found == {
        "cpu": Hierarchy("/sys/fs/cgroup/cpu,cpuacct", "/"),
        "cpuacct": Hierarchy("/sys/fs/cgroup/cpu,cpuacct", "/"),
        "memory": Hierarchy("/sys/fs/cgroup/memory", "/"),
        "unified": Hierarchy("/sys/fs/cgroup/unified", "/"),
    }


def test_the_folder_of_a_group_inside_a_container_and_out_of_reach() -> None:
    assert folder_of(Hierarchy("/c/memory", "/"), "/a/b") == "/c/memory/a/b"
    assert folder_of(Hierarchy("/c/memory", "/docker/1"), "/docker/1/x") == "/c/memory/x"
    assert folder_of(Hierarchy("/c/memory", "/docker/1"), "/docker/12") is None
    assert folder_of(Hierarchy("/c/memory", "/"), "/../../other") is None


def test_every_group_on_the_way_up_counts_but_the_root() -> None:
    assert with_ancestors("/a/b/c") == ["/a", "/a/b", "/a/b/c"]
    assert with_ancestors("/") == []


def test_mounts_with_blanks_and_optional_fields() -> None:
    last = parse_mountinfo(MOUNTS)[-1]
    assert (last.path, last.kind, last.device) == ("/srv/with blank", "ext4", "/dev/sda1")
    assert "rw" in last.options


@given(st.binary(max_size=800))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_mountinfo(raw)
    flat(raw)
    parse_v2(lambda name: raw)
    parse_v1(dict.fromkeys(("cpu", "cpuacct", "memory", "freezer"), lambda name: raw))
