"""The machine itself, frozen."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaklink.probes.host import host_name, look_at_counters, look_at_host, utc_offset
from weaklink.reach.host import NotHere
from weaklink.reach.root import Root
from weaklink.testing.frozen_host import FrozenHost


def test_the_fact(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path, name="web1", cpus=4).memory(total=8 * 2**30)
    host = look_at_host(frozen.reach(), frozen.case()).host
    assert host is not None
    assert (host.name, host.cpus, host.kernel, host.frozen) == ("web1", 4, "6.1.0-test", True)
    assert host.memory_bytes == 8 * 2**30
    assert host.boot == frozen.boot


def test_counters_move_with_the_moments(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).cpu(user=100.0).cpu(user=101.5, at=1.0)
    frozen.pressure("cpu", some=2.5)
    frozen.write("/proc/loadavg", "3.50 1.00 1.00 4/200 9\n")
    root = frozen.root()
    case = frozen.case()
    seen = []
    for at in (0.0, 1.0):
        root.advance(at)
        take = look_at_counters(frozen.reach(root=root), case)
        values = {one.quantity: one.value for one in take.readings}
        seen.append((values["host_cpu_user_seconds_total"], take.readings[0].at))
    assert seen[1][0] - seen[0][0] == pytest.approx(1.5)
    assert seen[1][1] - seen[0][1] == 1.0
    assert values["host_pressure_cpu_some_seconds_total"] == 2.5
    assert values["host_load1"] == 3.5
    assert {one.target for one in take.readings} == {"host:h1/-/-"}


def test_a_folder_without_proc_is_not_a_machine(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    (tmp_path / "proc/stat").unlink()
    for look in (look_at_host, look_at_counters):
        with pytest.raises(NotHere):
            look(frozen.reach(), frozen.case())


@pytest.mark.parametrize(
    ("written", "name"),
    [("a/b\n", "a_b"), ("", "localhost"), ("(none)\n", "localhost"), ("x" * 500, "x" * 64)],
)
def test_a_hostile_name_does_not_break_a_key(tmp_path: Path, written: str, name: str) -> None:
    frozen = FrozenHost(tmp_path).write("/proc/sys/kernel/hostname", written)
    assert host_name(frozen.root()) == name


def test_local_time_of_a_frozen_root(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    assert utc_offset(frozen.root()) == 0
    frozen.write("/etc/localtime", b"not a zone")
    assert utc_offset(frozen.root()) == 0
    zone = Path("/usr/share/zoneinfo/Asia/Shanghai")
    if not zone.exists():
        pytest.skip("no zone files on this machine")
    frozen.write("/etc/localtime", zone.read_bytes())
    assert utc_offset(frozen.root()) == 8 * 3600


def test_live() -> None:
    from weaklink.testing.live import live_case, live_reach

    reach = live_reach()
    host = look_at_host(reach, live_case()).host
    assert host is not None
    assert host.boot < reach.now()
    assert host.memory_bytes > 0
    assert isinstance(reach.root, Root)
