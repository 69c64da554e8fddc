"""Hosts and processes in pasted tables: top, mpstat, uptime, ps, pidstat, strace, maps."""

from __future__ import annotations

import pytest

from weaklink.testing.pasted import read_pasted, said

TOP = (
    "top - 10:00:00 up 9 days,  1:02,  1 user,  load average: {load}\n"
    "{what}: 300 total,   2 running, 298 sleeping,   0 stopped,   0 zombie\n"
    "%Cpu(s): {us} us,  1.0 sy,  0.0 ni, {idle} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
    "MiB Mem :  64000.0 total,  40000.0 free,  10000.0 used,  14000.0 buff/cache\n"
    "MiB Swap:      0.0 total,      0.0 free,      0.0 used.  50000.0 avail Mem\n"
    "\n"
    "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
)
ROW = "{pid:>7} svc       20   0   90.1g   4.0g   1.0g R {cpu:>5}   1.0 100:00.00 {name}\n"


def top(*rows: tuple[int, str, str], idle: str = "90.0", what: str = "Tasks") -> str:
    head = TOP.format(load="2.00, 2.00, 2.00", us="9.0", idle=idle, what=what)
    return head + "".join(ROW.format(pid=pid, cpu=cpu, name=name) for pid, cpu, name in rows)


def test_an_idle_machine_with_a_busy_process_is_healthy() -> None:
    assert read_pasted(top((7, "98.0", "python"), (8, "3.0", "redis"))).verdict == "healthy"


def test_ranks_that_spin_alike_on_an_idle_machine_wait_for_each_other() -> None:
    text = top((7, "402.1", "sglang::schedul"), (8, "401.0", "sglang::schedul"))
    reading = read_pasted(text)
    first = reading.findings[0]
    assert (reading.verdict, first.cause) == ("critical", "collective-hang")
    assert "no lack of CPU" in first.text
    assert first.sure < 0.8
    # One thread each is how an engine polls.
    assert read_pasted(text.replace("402.1", "100.1").replace("401.0", " 99.9")).verdict == (
        "healthy"
    )


def test_a_single_hot_thread_is_told_from_a_busy_machine() -> None:
    rows = [(7, "99.7", "tokenizer"), (8, "2.0", "grpc"), (9, "0.3", "python")]
    assert "one thread is the limit" in said(top(*rows, what="Threads"))
    assert read_pasted(top(*rows)).verdict == "healthy"


def test_a_full_machine_is_critical_also_with_decimal_commas() -> None:
    text = top((7, "98.0", "python"), idle=" 0.5")
    assert read_pasted(text).verdict == "critical"
    assert read_pasted(text.replace(" 0.5 id", " 0,5 id").replace("9.0 us", "98,5 us")).verdict == (
        "critical"
    )


def test_of_several_frames_the_last_counts() -> None:
    text = top((7, "98.0", "python"), idle=" 0.5") + "\n" + top((7, "1.0", "python"))
    assert read_pasted(text).verdict == "healthy"


MPSTAT = (
    "10:00:00     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   "
    "%idle\n"
)


def test_interrupts_that_fill_one_cpu_are_found_beside_idle_ones() -> None:
    rows = "".join(
        f"10:00:01     {cpu:>3}    2.00    0.00    1.00    0.00    0.00   {soft:5.2f}    0.00    "
        f"0.00    0.00   {97 - soft:5.2f}\n"
        for cpu, soft in (("all", 23.0), ("0", 92.0), ("1", 0.0), ("2", 0.0), ("3", 0.0))
    )
    first = read_pasted(MPSTAT + rows).findings[0]
    assert (first.verdict, first.cause) == ("critical", "softirq-bound")
    assert "CPU 0" in first.text


def test_time_stolen_by_the_hypervisor() -> None:
    row = (
        "Average:     all   30.00    0.00    5.00    0.00    0.00    0.00   25.00    0.00    0.00  "
        "40.00\n"
    )
    reading = read_pasted(MPSTAT + row)
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "cpu-steal")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (" 10:00:00 up 1 day,  1:02,  1 user,  load average: 0.12, 0.20, 0.10\n", "healthy"),
        (" 10:00:00 up 1 day,  1:02,  1 user,  load average: 30.00, 20.00, 9.00\n", "unknown"),
        (
            "$ nproc\n64\n$ uptime\n 10:00:00 up 1 day,  1:02,  load average: 30.00, 20.0, 9.00\n",
            "healthy",
        ),
        (
            "$ nproc\n2\n$ uptime\n 10:00:00 up 1 day,  1:02,  load average: 30.00, 20.0, 9.00\n",
            "critical",
        ),
        (" 10:00:00 up 1 day,  1:02,  1 user,  load average: 0,12, 0,20, 0,10\n", "healthy"),
    ],
)
def test_a_load_needs_the_number_of_cpus(text: str, verdict: str) -> None:
    assert read_pasted(text).verdict == verdict


PS = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"


def test_a_stopped_worker_is_found_and_a_stopped_editor_is_not() -> None:
    worker = "svc         700 40.0  1.0 900000 90000 ?        Tl   10:00   1:00 python -m work\n"
    reading = read_pasted(PS + worker)
    assert (reading.verdict, reading.findings[0].cause) == ("critical", "worker-frozen")
    editor = worker.replace("python -m work", "vim notes.txt").replace("Tl", "T ")
    assert read_pasted(PS + editor).verdict == "unknown"


def test_one_process_in_d_state_is_a_disk_at_work_and_many_are_not() -> None:
    row = "svc        {pid} 1.0  1.0 900000 90000 ?        D    10:00   1:00 python loader.py\n"
    assert read_pasted(PS + row.format(pid=710)).verdict == "unknown"
    many = PS + "".join(row.format(pid=pid) for pid in range(710, 717))
    assert "7 processes wait" in said(many)


def test_waiting_for_a_cpu_is_read_from_pidstats_averages() -> None:
    text = (
        "10:00:00      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
        "10:00:01     1000       800    9.00    1.00    0.00    0.00   10.00     1  api\n"
        "\nAverage:      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
        "Average:     1000       800   50.00    1.00    0.00   61.00   51.00     -  api\n"
    )
    reading = read_pasted(text)
    assert reading.verdict == "critical"
    assert "61 %" in reading.findings[0].text


STRACE = (
    "% time     seconds  usecs/call     calls    errors syscall\n"
    "------ ----------- ----------- --------- --------- ----------------\n"
    " {share}    3.000000         300     10000       {errors} {name}\n"
    "  4.00    0.120000           1     90000           read\n"
    "------ ----------- ----------- --------- --------- ----------------\n"
    "100.00    3.120000                100000       {errors} total\n"
)


def test_time_in_futex_tells_nothing_for_certain() -> None:
    assert (
        read_pasted(STRACE.format(share="96.00", errors="   ", name="futex")).verdict == "unknown"
    )
    synced = STRACE.format(share="96.00", errors="   ", name="fdatasync")
    assert read_pasted(synced).findings[0].cause == "disk-saturated"


def test_files_replaced_under_a_process() -> None:
    row = "7f0000{n:06x}-7f0000{m:06x} r-xp 00000000 08:01 4242    /opt/app/lib/{name}\n"
    rows = [row.format(n=n * 4096, m=(n + 1) * 4096, name="libav.so.1") for n in range(3)]
    assert read_pasted("".join(rows)).verdict == "healthy"
    rows.append(row.format(n=9 << 12, m=10 << 12, name="libtorch_cuda.so (deleted)"))
    assert "is not what runs" in said("".join(rows))
