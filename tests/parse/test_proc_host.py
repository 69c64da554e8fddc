"""The machine's counters come out in seconds and bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_host import (
    parse_boot,
    parse_loadavg,
    parse_meminfo,
    parse_pressure,
    parse_stat,
    parse_vmstat,
)

STAT = b"""cpu  1000 200 300 4000 50 6 7 80 0 0
cpu0 500 100 150 2000 25 3 3 40 0 0
cpu1 500 100 150 2000 25 3 4 40 0 0
intr 12345 0 0
ctxt 987
btime 1700000000
processes 321
procs_running 3
procs_blocked 1
"""


def test_cpu_times_are_seconds_and_interrupts_are_summed() -> None:
    values = parse_stat(STAT, 100)
    assert values["host_cpu_user_seconds_total"] == 10
    assert values["host_cpu_nice_seconds_total"] == 2
    assert values["host_cpu_idle_seconds_total"] == 40
    assert values["host_cpu_irq_seconds_total"] == 0.13
    assert values["host_cpu_steal_seconds_total"] == 0.8
    assert values["host_runnable"] == 3
    assert values["host_forks_total"] == 321


def test_an_old_kernel_without_steal_says_nothing_of_it() -> None:
    assert "host_cpu_steal_seconds_total" not in parse_stat(b"cpu 1 2 3 4 5 6 7\n", 100)


def test_boot_and_cpus() -> None:
    assert parse_boot(STAT) == (1_700_000_000.0, 2)
    assert parse_boot(b"") == (0.0, 1)


def test_memory_is_bytes_and_swap_used_is_the_difference() -> None:
    values = parse_meminfo(
        b"MemTotal: 1000 kB\nMemAvailable: 400 kB\nDirty: 3 kB\nWriteback: 4 kB\n"
        b"SwapTotal: 100 kB\nSwapFree: 60 kB\n"
    )
    assert values == {
        "host_memory_total_bytes": 1_024_000,
        "host_memory_available_bytes": 409_600,
        "host_memory_dirty_bytes": 7 * 1024,
        "host_swap_total_bytes": 102_400,
        "host_swap_used_bytes": 40_960,
    }


def test_pressure_is_the_total_in_seconds() -> None:
    raw = b"some avg10=1.00 avg60=0.00 avg300=0.00 total=2500000\nfull avg10=0.00 total=1\n"
    assert parse_pressure(raw) == {"some": 2.5, "full": 1e-6}


def test_vmstat_and_load() -> None:
    values = parse_vmstat(b"pgpgin 5\npswpin 6\npswpout 7\npgmajfault 8\noom_kill 9\n")
    assert values["host_swap_in_pages_total"] == 6
    assert values["host_oom_kills_total"] == 9
    assert parse_loadavg(b"1.25 1.00 0.50 3/400 999\n") == {"host_load1": 1.25}
    assert parse_loadavg(b"") == {}


@given(st.binary(max_size=1500))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_stat(raw, 100)
    parse_boot(raw)
    parse_meminfo(raw)
    parse_vmstat(raw)
    parse_pressure(raw)
    parse_loadavg(raw)
