"""Block devices in seconds and bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.proc_disk import parse_diskstats

LINES = b"""   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 100 5 2000 1500 40 2 800 400 3 1200 1900 7 0 56 2 4 1
   8       1 cut 1 2
"""


def test_sectors_are_512_bytes_and_times_milliseconds() -> None:
    loop, disk = parse_diskstats(LINES)
    assert loop.idle
    assert not disk.idle
    assert (disk.name, disk.major_minor) == ("vda", "254:0")
    assert disk.values == {
        "disk_reads_total": 100,
        "disk_read_bytes_total": 2000 * 512,
        "disk_read_seconds_total": 1.5,
        "disk_writes_total": 40,
        "disk_written_bytes_total": 800 * 512,
        "disk_write_seconds_total": 0.4,
        "disk_busy_seconds_total": 1.2,
        "disk_queue_seconds_total": 1.9,
    }


@given(st.binary(max_size=800))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_diskstats(raw)
