"""Limits are written where each version of cgroups expects them."""

from pathlib import Path

import pytest

from weaklink_lab.kernel import cgroups


@pytest.fixture(params=["v1", "v2"])
def mount(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    files: tuple[str, ...]
    folders: tuple[str, ...]
    if request.param == "v2":
        (tmp_path / "cgroup.controllers").write_text("cpu memory")
        files = ("cpu.weight", "cpu.max", "memory.max", "memory.stat", "memory.events")
        folders = ("",)
    else:
        files = (
            "cpu.shares",
            "cpu.cfs_quota_us",
            "memory.limit_in_bytes",
            "memory.stat",
            "memory.oom_control",
        )
        folders = cgroups.CONTROLLERS
    for folder in folders:
        group = tmp_path / folder / "pods/a"
        group.mkdir(parents=True)
        for name in (*files, "cgroup.procs"):
            if name.startswith(folder) or name == "cgroup.procs":
                (group / name).write_text("")
    return tmp_path


def found(mount: Path, name: str) -> str:
    return next(mount.rglob(name)).read_text()


def test_quota_memory_and_weight(mount: Path) -> None:
    version2 = cgroups.unified(mount)
    cgroups.set_quota("pods/a", 0.25, mount)
    cgroups.set_memory("pods/a", 1 << 20, mount)
    cgroups.set_share("pods/a", 2048, mount)
    if version2:
        assert found(mount, "cpu.max") == "25000 100000"
        assert found(mount, "memory.max") == "1048576"
        assert found(mount, "cpu.weight") == "200"
    else:
        assert found(mount, "cpu.cfs_quota_us") == "25000"
        assert found(mount, "memory.limit_in_bytes") == "1048576"
        assert found(mount, "cpu.shares") == "2048"
    cgroups.set_quota("pods/a", None, mount)
    assert found(mount, "cpu.max" if version2 else "cpu.cfs_quota_us").startswith(
        "max" if version2 else "-1"
    )


def test_what_is_used_and_killed_is_read(mount: Path) -> None:
    version2 = cgroups.unified(mount)
    stat, events = ("anon 42\nfile 7\n", "oom 3\noom_kill 2\n")
    if not version2:
        stat, events = "cache 7\nrss 42\n", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"
    next(mount.rglob("memory.stat")).write_text(stat)
    next(mount.rglob("memory.events" if version2 else "memory.oom_control")).write_text(events)
    assert cgroups.memory_used("pods/a", mount) == 42
    assert cgroups.kills("pods/a", mount) == 2


def test_processes_and_leftovers_are_found(mount: Path) -> None:
    next(mount.rglob("cgroup.procs")).write_text("12\n7\n")
    assert cgroups.pids("pods/a", mount) == [7, 12]
    assert cgroups.left("pods/a", mount)
    assert cgroups.left("pods/b", mount) == []
