"""The kernel's log tells whom it killed, when, and for whose lack of memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.kernel_log import (
    KernelLine,
    oom_kills,
    parse_kmsg,
    parse_log_lines,
    without_dumps,
)

BOOT = 1_700_000_000.0
MEMCG = (
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
    "oom_memcg=/pods/a,task_memcg=/pods/a/b,task=python3,pid=77,uid=0"
)
GLOBAL = (
    "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,"
    "global_oom,task_memcg=/pods/a,task=java,pid=78,uid=0"
)


def lines(*texts: str) -> list[KernelLine]:
    return [KernelLine(BOOT + n, 4, text) for n, text in enumerate(texts)]


def test_a_record_of_kmsg() -> None:
    record = b"6,339,5140900,-,caller=T1;eth0: link up\n SUBSYSTEM=net\n DEVICE=n2\n"
    assert parse_kmsg(record, BOOT) == KernelLine(BOOT + 5.1409, 6, "eth0: link up")


def test_what_a_process_wrote_there_itself_is_not_the_kernels_word() -> None:
    forged = b"12,340,5140901,-;Out of memory: Killed process 1 (init) total-vm:1kB, anon-rss:1kB"
    assert parse_kmsg(forged, BOOT) is None


def test_a_kill_in_a_control_group_names_the_group_whose_limit_was_hit() -> None:
    (kill,) = oom_kills(
        lines(
            "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
            MEMCG,
            "Memory cgroup out of memory: Killed process 77 (python3) total-vm:900kB, "
            "anon-rss:500kB, file-rss:3kB, shmem-rss:0kB, UID:0 pgtables:44kB oom_score_adj:0",
        )
    )
    assert (kill.pid, kill.name, kill.cgroup) == (77, "python3", "/pods/a")
    assert kill.anon_bytes == 512_000
    assert kill.at == BOOT + 2


def test_a_kill_for_the_whole_machine_names_no_group() -> None:
    (kill,) = oom_kills(
        lines(GLOBAL, "Out of memory: Killed process 78 (java) total-vm:9kB, anon-rss:8kB, UID:0")
    )
    assert (kill.pid, kill.name, kill.cgroup) == (78, "java", "")


def test_an_old_kernel_says_it_in_two_lines_and_it_is_one_kill() -> None:
    kills = oom_kills(
        [
            KernelLine(BOOT, 4, "Task in /docker/1 killed as a result of limit of /docker/1"),
            KernelLine(
                BOOT,
                3,
                "Memory cgroup out of memory: Kill process 9 (a) score 99 or sacrifice child",
            ),
            KernelLine(
                BOOT,
                3,
                "Memory cgroup out of memory: Killed process 9 (a) total-vm:1kB, anon-rss:1kB",
            ),
        ]
    )
    assert [(kill.pid, kill.name, kill.cgroup) for kill in kills] == [(9, "a", "/docker/1")]


@pytest.mark.parametrize("name", ["a) total", "x (y) z", ") Killed process 1 (", "a\x1b[0m"])
def test_a_hostile_name_stays_a_name(name: str) -> None:
    (kill,) = oom_kills(
        lines(f"Out of memory: Killed process 5 ({name}) total-vm:1kB, anon-rss:2kB, file-rss:0kB")
    )
    assert (kill.pid, kill.name, kill.anon_bytes) == (5, name, 2048)


def test_stamps_of_dmesg_and_syslog() -> None:
    now = 1_700_100_000.0  # 2023-11-16 02:00:00 UTC
    text = (
        "[   12.500000] from boot\n"
        "<3>[   13.000000] with its level\n"
        "Nov 16 02:59:00 web1 kernel: [ 1000.1] local time of UTC+1\n"
        "Dec 31 23:00:00 web1 kernel: last year\n"
        "2023-11-16T01:59:30.250+00:00 web1 kernel: iso\n"
        "Nov 16 02:59:00 web1 sshd[1]: kernel: not the kernel\n"
        "no stamp\n"
    )
    found = parse_log_lines(text, boot=BOOT, now=now, utc_offset=3600)
    assert [(line.at, line.text) for line in found] == [
        (BOOT + 12.5, "from boot"),
        (BOOT + 13.0, "with its level"),
        (now - 60, "local time of UTC+1"),
        (1_672_524_000.0, "last year"),
        (now - 29.75, "iso"),
    ]
    assert found[1].priority == 3


def test_registers_stacks_and_the_table_of_processes_are_left_out() -> None:
    killed = "Memory cgroup out of memory: Killed process 77 (x) total-vm:1kB, anon-rss:1kB"
    kept = without_dumps(
        lines(
            "x invoked oom-killer: gfp_mask=0xcc0",
            "CPU: 1 PID: 77 Comm: x",
            "[  pid  ]   uid  tgid total_vm",
            MEMCG,
            killed,
            "I/O error, dev loop0, sector 8",
            "RIP: 0033:0x7f",
            " </TASK>",
        )
    )
    assert [line.text.split()[0] for line in kept] == ["x", "Memory", "I/O"]


@given(st.text(max_size=1500))
def test_no_text_raises(text: str) -> None:
    found = parse_log_lines(text, boot=BOOT, now=BOOT, utc_offset=0)
    oom_kills([*found, *lines(text)])
    without_dumps(lines(text))


@given(st.binary(max_size=300))
def test_no_record_raises(record: bytes) -> None:
    parse_kmsg(record, BOOT)
