"""Control groups of version 1, of version 2 and of both, on folders; and on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaklink.model.take import Take
from weaklink.probes.cgroup import MAX_GROUPS, look_at_cgroups
from weaklink.reach.host import NotHere
from weaklink.testing.frozen_host import FrozenHost
from weaklink.testing.live import live_case, live_reach

V1_MOUNTS = """1 0 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
2 0 0:2 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct
3 0 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
4 0 0:4 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer
"""
V2_MOUNT = "5 0 0:5 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"


def value(take: Take, quantity: str, path: str) -> float | None:
    key = f"cgroup:h1/-/{path}"
    found = [one.value for one in take.readings if (one.quantity, one.target) == (quantity, key)]
    return found[0] if found else None


def test_version_2(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/self/mountinfo", V2_MOUNT)
    frozen.process(100, cgroup={"unified": "/kube/pod1/app"})
    folder = "/sys/fs/cgroup/unified/kube/pod1"
    frozen.write(f"{folder}/cpu.max", "150000 100000\n")
    frozen.write(f"{folder}/cpu.stat", "usage_usec 5000000\nnr_periods 9\nnr_throttled 4\n")
    frozen.write(f"{folder}/app/memory.max", "1000000\n")
    frozen.write(f"{folder}/app/memory.stat", "anon 700\nfile 9000\nshmem 100\n")
    frozen.write(f"{folder}/app/memory.events", "max 3\noom_kill 1\n")
    frozen.write(f"{folder}/app/cgroup.events", "populated 1\nfrozen 1\n")
    take = look_at_cgroups(frozen.reach(), frozen.case())
    facts = {fact.path: fact for fact in take.cgroups}
    assert sorted(facts) == ["/kube/pod1", "/kube/pod1/app"]
    pod, app = facts["/kube/pod1"], facts["/kube/pod1/app"]
    assert (pod.version, pod.cpu_quota, pod.pids) == (2, 1.5, [])
    assert (app.memory_limit, app.frozen, app.pids) == (1_000_000, True, [100])
    assert value(take, "cgroup_cpu_throttled_periods_total", "/kube/pod1") == 4
    assert value(take, "cgroup_memory_working_bytes", "/kube/pod1/app") == 800
    assert value(take, "cgroup_oom_kills_total", "/kube/pod1/app") == 1


@pytest.mark.parametrize("hybrid", [False, True])
def test_version_1_and_hybrid(tmp_path: Path, *, hybrid: bool) -> None:
    mounts = V1_MOUNTS + (V2_MOUNT if hybrid else "")
    frozen = FrozenHost(tmp_path).write("/proc/self/mountinfo", mounts)
    paths = {"cpu": "/a", "cpuacct": "/a", "memory": "/b", "freezer": "/a"}
    frozen.process(100, cgroup=paths | ({"unified": "/a"} if hybrid else {}))
    frozen.write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n")
    frozen.write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n")
    frozen.write("/sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 5\nthrottled_time 2000000000\n")
    frozen.write("/sys/fs/cgroup/cpuacct/a/cpuacct.usage", "3000000000\n")
    frozen.write("/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "4096\n")
    if hybrid:
        frozen.write("/sys/fs/cgroup/unified/a/cgroup.events", "frozen 1\n")
    else:
        frozen.write("/sys/fs/cgroup/freezer/a/freezer.state", "FROZEN\n")
    take = look_at_cgroups(frozen.reach(), frozen.case())
    facts = {fact.path: fact for fact in take.cgroups}
    assert (facts["/a"].version, facts["/a"].cpu_quota, facts["/a"].frozen) == (1, 0.5, True)
    assert facts["/b"].memory_limit == 4096
    assert value(take, "cgroup_cpu_throttled_seconds_total", "/a") == 2
    assert value(take, "cgroup_cpu_seconds_total", "/a") == 3
    assert value(take, "cgroup_cpu_quota", "/a") == 0.5


def test_a_fact_is_told_again_only_when_it_changed(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/self/mountinfo", V2_MOUNT)
    frozen.process(100, cgroup={"unified": "/a"})
    frozen.write("/sys/fs/cgroup/unified/a/cpu.max", "50000 100000\n")
    frozen.write("/sys/fs/cgroup/unified/a/cpu.max", "20000 100000\n", at=2.0)
    root, told = frozen.root(), []
    for at in (0.0, 1.0, 2.0):
        root.advance(at)
        take = look_at_cgroups(frozen.reach(root=root), frozen.case())
        told.append([fact.cpu_quota for fact in take.cgroups])
    assert told == [[0.5], [], [0.2]]


def test_hundreds_of_groups_are_read_in_part_and_it_is_said(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/self/mountinfo", V2_MOUNT)
    for n in range(MAX_GROUPS + 6):
        frozen.process(100 + n, cgroup={"unified": f"/g{n}"}, sockets=[n] if n > 66 else [])
        frozen.write(f"/sys/fs/cgroup/unified/g{n}/cpu.max", "max 100000\n")
        frozen.write(f"/sys/fs/cgroup/unified/g{n}/memory.current", "5\n")
    take = look_at_cgroups(frozen.reach(), frozen.case())
    assert len(take.cgroups) == MAX_GROUPS
    assert [look.reason.args for look in take.looks if look.reason] == [{"count": 6}]


def test_none_mounted_is_not_here(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).process(100)
    with pytest.raises(NotHere):
        look_at_cgroups(frozen.reach(), frozen.case())


def test_live() -> None:
    if not Path("/sys/fs/cgroup").exists():
        pytest.skip("no control groups on this machine")
    take = look_at_cgroups(live_reach(), live_case())
    assert all(one.value >= 0 for one in take.readings)
    assert all(fact.path != "/" for fact in take.cgroups)
