"""Memory in pasted text: OOM kills, control groups, free and swap, with figures of our own."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said

GROUP = "/kubepods/burstable/pod7/ctr"
KILL = (
    "[100.5] Memory cgroup out of memory: Killed process {pid} ({name}) total-vm:{vm}kB, "
    "anon-rss:{anon}kB, file-rss:900kB, shmem-rss:0kB, UID:0 pgtables:90kB oom_score_adj:0\n"
).replace("[100.5]", "[  100.500001]")
MEMCG = (
    "[  100.100001] worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n"
    "[  100.200001] memory: usage 4194304kB, limit 4194304kB, failcnt 77\n"
    "[  100.300001] Tasks state (memory values in pages):\n"
    "[  100.300002] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents "
    "oom_score_adj name\n"
    "[  100.300003] [    900]     0   900   990000  1000100    99000        0             0 wrk\n"
    f"[  100.400001] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c,"
    f"oom_memcg={GROUP},task_memcg={GROUP},task=worker,pid=900,uid=0\n"
)
GLOBAL = (
    "[  100.400001] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,"
    "global_oom,task_memcg={group},task=trainer,pid=901,uid=0\n"
    "[  100.500001] Out of memory: Killed process 901 (trainer) total-vm:999999999kB, "
    "anon-rss:20971520kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0\n"
)


def test_a_groups_own_limit_is_told_from_the_hosts_memory() -> None:
    reading = read_pasted(MEMCG + KILL.format(pid=900, name="worker", vm=9, anon=4000400))
    first = reading.findings[0]
    assert reading.verdict == "critical"
    assert first.cause == "oom-killed"
    assert first.target.endswith(GROUP)
    assert "4 GiB" in first.text
    assert "the machine's own memory is not the problem" in first.text
    assert first.line.count("\n") == 1


@pytest.mark.parametrize(
    ("group", "words"),
    [("/init.scope", "no group's limit"), ("/system.slice/docker-aa.scope", "will not help")],
)
def test_a_global_kill_is_not_cured_by_a_larger_limit(group: str, words: str) -> None:
    first = read_pasted(GLOBAL.format(group=group)).findings[0]
    assert words in first.text
    assert "the whole host" in first.text
    # What it held counts, not what it could address.
    assert "20 GiB" in first.text
    assert "953" not in first.text


def test_small_victims_one_after_another_are_not_what_fills_the_group() -> None:
    text = "".join(
        KILL.format(pid=pid, name="python3", vm=12000, anon=4096) for pid in range(70, 75)
    )
    first = read_pasted(text).findings[0]
    assert "5 python3" in first.text
    assert "kernel memory" in first.text


def test_the_one_that_held_most_is_named_beside_the_victim() -> None:
    text = GLOBAL.format(group="/") .replace("[  100.400001]", (
        "[  100.300001] [    700]     0   700  9000000  8000000    99000        0             0 "
        "postgres\n[  100.300002] [    901]     0   901   9000   5000    99        0             "
        "0 trainer\n[  100.400001]"
    )).replace("anon-rss:20971520kB", "anon-rss:20000kB")  # fmt: skip
    assert "postgres (pid 700) held most" in said(text)


def test_a_kill_line_of_old_kernels_is_read_too() -> None:
    text = (
        "Jan  2 03:04:05 h kernel: Task in /docker/ab killed as a result of limit of /docker/ab\n"
        "Jan  2 03:04:05 h kernel: memory: usage 262144kB, limit 262144kB, failcnt 9\n"
        "Jan  2 03:04:05 h kernel: Memory cgroup out of memory: Kill process 12 (api) score 9 or "
        "sacrifice child\n"
    )
    first = read_pasted(text).findings[0]
    assert "256 MiB" in first.text
    assert "api (pid 12)" in first.text


def test_max_is_no_limit_and_version_ones_largest_number_neither() -> None:
    assert read_pasted("$ cat memory.max\nmax\n").findings[0].text.startswith("this control group")
    v1 = "$ cat /sys/fs/cgroup/memory/x/memory.limit_in_bytes\n9223372036854771712\n"
    assert read_pasted(v1).verdict == "healthy"
    assert "has no limit" in said(v1)


def test_page_cache_at_the_limit_is_not_yet_danger() -> None:
    files = "==> memory.max <==\n1073741824\n==> memory.current <==\n1073700000\n"
    assert read_pasted(files).verdict == "unknown"
    cache = files + "==> memory.stat <==\nanon 104857600\nfile 900000000\nshmem 0\n"
    assert read_pasted(cache).verdict == "healthy"
    anon = files + "==> memory.stat <==\nanon 1060000000\nfile 9000000\nshmem 0\n"
    assert read_pasted(anon).verdict == "critical"


def test_kills_counted_in_the_groups_own_file() -> None:
    text = (
        "/sys/fs/cgroup/a.slice/memory.max:1073741824\n"
        "/sys/fs/cgroup/a.slice/memory.events:oom 2\n"
        "/sys/fs/cgroup/a.slice/memory.events:oom_kill 2\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "oom_kill 2" in reading.findings[0].text


@pytest.mark.parametrize(
    ("throttled", "verdict"), [(5, "healthy"), (1200, "warn"), (6000, "critical")]
)
def test_throttling_is_a_share_of_the_periods(throttled: int, verdict: str) -> None:
    text = f"nr_periods 10000\nnr_throttled {throttled}\nthrottled_usec 91000000\n"
    assert read_pasted(text).verdict == verdict


def test_meminfo_inside_a_container_is_the_hosts() -> None:
    text = (
        "$ cat /sys/fs/cgroup/memory.max\n4294967296\n"
        "$ head -3 /proc/meminfo\nMemTotal:       65536000 kB\nMemFree:        50000000 kB\n"
        "MemAvailable:   60000000 kB\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "warn"
    assert "4 GiB" in reading.findings[0].text
    assert "the host's memory" in reading.findings[0].text


FREE = (
    "               total        used        free      shared  buff/cache   available\n"
    "Mem:        16000000    {used}      {free}       10000      {cache}    {available}\n"
    "Swap:        4000000     {swap}      {left}\n"
)


def test_little_free_with_much_cache_is_healthy() -> None:
    text = FREE.format(
        used=3000000, free=100000, cache=12900000, available=12500000, swap=0, left=4000000
    )
    assert read_pasted(text).verdict == "healthy"


def test_full_swap_and_nothing_available_is_critical() -> None:
    text = FREE.format(
        used=15700000, free=100000, cache=200000, available=90000, swap=4000000, left=0
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "swap is full" in reading.findings[0].text


def test_free_speaks_chinese_and_decimal_commas() -> None:
    text = (
        "              总计         已用        空闲      共享    缓冲/缓存    可用\n"
        "内存：    16000000     3000000     9000000       30000     4000000    12700000\n"
        "交换：     2000000           0     2000000\n"
    )
    assert "12.1 GiB of 15.3 GiB" in said(text)
    human = (
        "               total        used        free      shared  buff/cache   available\n"
        "Mem:            31Gi        30Gi       410Mi       1,2Gi       1,9Gi       512Mi\n"
    )
    assert read_pasted(human).verdict == "critical"


def test_figures_that_do_not_add_up_are_not_frees() -> None:
    text = FREE.format(used=99000000, free=1, cache=1, available=1, swap=0, left=0)
    assert read_pasted(text).verdict == "unknown"


VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)


def test_the_first_report_of_vmstat_is_not_now() -> None:
    busy = " 9  0      0  90000   1000  90000    0    0     0     0 9000 9000 90 10  0  0  0\n"
    calm = " 0  0      0  90000   1000  90000    0    0     0     0  100  200  1  1 98  0  0\n"
    assert read_pasted(VMSTAT + busy + calm + calm).verdict == "healthy"
    assert read_pasted(VMSTAT + busy).verdict == "unknown"


def test_swapping_both_ways_all_the_time_is_thrashing() -> None:
    first = " 1  0 900000  90000   1000  90000    1    1     9     9  100  200  1  1 98  0  0\n"
    row = " 1 12 900000  90000   1000  90000 30000 28000 40000 39000 9000 9000  5 15  1 79  0\n"
    reading = read_pasted(VMSTAT + first + row + row + row)
    assert {one.cause for one in reading.findings if one.verdict == "critical"} >= {"swap-thrash"}
    one_way = row.replace("30000 28000", "    0 28000")
    mild = read_pasted(VMSTAT + first + one_way + one_way)
    assert "swap-thrash" in {one.cause for one in mild.findings if one.verdict == "warn"}


def test_pressure_says_for_which_resource_and_whether_it_lasts() -> None:
    text = (
        "/proc/pressure/memory:some avg10=44.00 avg60=30.00 avg300=9.00 total=1\n"
        "/proc/pressure/memory:full avg10=31.00 avg60=20.00 avg300=6.00 total=1\n"
        "/proc/pressure/cpu:some avg10=0.50 avg60=0.20 avg300=0.10 total=1\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "memory" in reading.findings[0].text
    over = "some avg10=0.00 avg60=3.00 avg300=70.00 total=1\n"
    assert "no longer" in said(f"$ cat /proc/pressure/cpu\n{over}")
