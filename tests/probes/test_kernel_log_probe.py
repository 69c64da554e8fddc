"""The kernel's log, from a file of a frozen root, and where it may not be read."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from weaklink.model.fact import Process
from weaklink.probes.kernel_log import look_at_kernel_log
from weaklink.reach.host import NotAllowed, NotHere
from weaklink.testing.frozen_host import UPTIME, FrozenHost
from weaklink.testing.live import live_case, live_reach
from weaklink.testing.nobody import run_as_nobody

AT = UPTIME - 60
LOG = f"""[{AT:.6f}] python3 invoked oom-killer: gfp_mask=0xcc0, order=0, oom_score_adj=0
[{AT:.6f}] CPU: 1 PID: 77 Comm: python3
[{AT:.6f}] oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/pods/a,task=python3,pid=77,uid=0
[{AT:.6f}] Memory cgroup out of memory: Killed process 77 (python3) total-vm:9kB, anon-rss:500kB
[{AT + 30:.6f}] I/O error, dev sdb, sector 8 op 0x0:(READ) token=abcdefabcdef0123456789abcdef
[5.000000] a line of the boot
"""


def test_an_oom_kill_with_its_victim(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/var/log/dmesg", LOG)

    def victim(start_ticks: int, start: float) -> Process:
        return Process(
            key=f"process:h1/-/77@{start_ticks}",
            pid=77,
            start_ticks=start_ticks,
            start=start,
            ppid=1,
            name="python3",
            state="S",
        )

    before, after = victim(5, frozen.boot + 9), victim(9_999_999, frozen.boot + AT + 20)
    case = msgspec.structs.replace(frozen.case(), processes=[before, after])
    take = look_at_kernel_log(frozen.reach(), case)
    (kill,) = [event for event in take.events if event.kind == "oom-kill"]
    assert kill.target == before.key
    assert kill.at == pytest.approx(frozen.boot + AT, abs=0.01)
    assert kill.details == {
        "pid": 77,
        "name": "python3",
        "scope": "cgroup",
        "cgroup": "/pods/a",
        "anon_bytes": 512_000,
    }
    assert kill.source == "/var/log/dmesg"
    lines = [event.text for event in take.events if event.kind == "kernel"]
    assert len(lines) == 3
    assert not any("boot" in line or "CPU:" in line for line in lines)


def test_an_unknown_victim_has_a_key_all_the_same(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path).write("/var/log/dmesg", LOG)
    take = look_at_kernel_log(frozen.reach(), frozen.case())
    assert [e.target for e in take.events if e.kind == "oom-kill"] == ["process:h1/-/77@0"]


def test_no_log_is_not_here(tmp_path: Path) -> None:
    frozen = FrozenHost(tmp_path)
    with pytest.raises(NotHere):
        look_at_kernel_log(frozen.reach(), frozen.case())


def test_live_or_not_allowed() -> None:
    reach, case = live_reach(), live_case()
    try:
        take = look_at_kernel_log(reach, case)
    except (NotAllowed, NotHere) as outcome:
        pytest.skip(f"no kernel log to be read here: {outcome.reason.key}")
    assert all(event.at <= reach.now() + 60 for event in take.events)


def test_without_rights_it_says_so_or_reads_what_anybody_may() -> None:
    ran = run_as_nobody(
        "from weaklink.probes.kernel_log import look_at_kernel_log\n"
        "from weaklink.reach.host import NotAllowed\n"
        "from weaklink.testing.live import live_case, live_reach\n"
        "def look():\n"
        "    try:\n"
        "        look_at_kernel_log(live_reach(), live_case())\n"
        "        return 'value'\n"
        "    except NotAllowed as outcome:\n"
        "        return f'{outcome.reason.key} {outcome.remedy}'\n"
        "look()\n"
        "become_nobody()\n"
        "print(look())\n"
    )
    assert ran in ("value\n", "kernel-log.denied sudo weaklink\n")
