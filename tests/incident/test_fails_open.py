"""Whatever fails while it looks, there is a report, and silence never reads as health."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from weaklink import incident
from weaklink.cli.rooms import all_probes
from weaklink.model.case import Case
from weaklink.model.take import Take
from weaklink.reach import registry
from weaklink.reach.host import Reach
from weaklink.report.verdict import exit_code
from weaklink.testing.frozen_host import FrozenHost

NAMES = [probe.name for probe in all_probes()]


@pytest.fixture(name="host")
def _host(tmp_path: Path) -> FrozenHost:
    host = FrozenHost(tmp_path)
    host.cpu(user=1.0, idle=3.0).memory()
    host.process(10, name="nginx", start_ticks=10, sockets=[71]).listen("0.0.0.0:80", inode=71)
    host.process(20, name="redis-server", start_ticks=20, sockets=[72])
    host.listen("127.0.0.1:6379", inode=72)
    return host


@pytest.fixture(name="broken")
def _broken(monkeypatch: pytest.MonkeyPatch) -> dict[str, registry.Look]:
    """Probes to be replaced, by name; they come back afterwards."""
    replaced: dict[str, registry.Look] = {}
    real = registry.probes()

    def probes() -> list[registry.Probe]:
        return [
            probe._replace(run=replaced[probe.name]) if probe.name in replaced else probe
            for probe in real
        ]

    monkeypatch.setattr("weaklink.incident.collecting.probes", probes)
    return replaced


def diagnosis(host: FrozenHost) -> Case:
    return incident.diagnose(incident.Options(root=str(host.root().path), window=0.1))


def explode(reach: Reach, case: Case) -> Take:
    raise RuntimeError(f"\x1b[31mbroken on {reach.root.path}\nsecond line")


@pytest.mark.parametrize("name", NAMES)
def test_each_probe_may_break(
    name: str, host: FrozenHost, broken: dict[str, registry.Look]
) -> None:
    """P25: a report all the same, with the broken look in it, in one clean line."""
    broken[name] = explode
    case = diagnosis(host)
    assert case.diagnoses
    looks = [look for look in case.looks if look.name == name]
    assert looks
    for look in looks:
        assert look.outcome in ("failed", "absent")
        if look.outcome == "failed" and look.reason is not None:
            assert "\n" not in str(look.reason.args)
            assert "\x1b" not in str(look.reason.args)


def test_without_anything_it_is_not_known_how_users_fare(
    host: FrozenHost, broken: dict[str, registry.Look]
) -> None:
    for name in NAMES:
        broken[name] = explode
    case = diagnosis(host)
    assert case.pain is not None
    assert not case.pain.looked_at
    assert exit_code(case) == 3


def test_half_of_the_looks_hang_and_there_is_a_verdict(
    host: FrozenHost, broken: dict[str, registry.Look]
) -> None:
    """P5: each hanging look is given up at its deadline; nothing waits for it twice."""
    release = threading.Event()

    def hang(reach: Reach, case: Case) -> Take:
        release.wait(60)
        return Take()

    for name in NAMES[::2]:
        if name not in ("host", "process"):
            broken[name] = hang
    try:
        case = diagnosis(host)
    finally:
        release.set()
    late = {look.name for look in case.looks if look.outcome == "timeout"}
    assert late
    assert late <= set(NAMES[::2])
    assert case.diagnoses
