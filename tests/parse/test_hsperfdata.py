"""A JVM's own counter file: what it says of collections, and that no bytes at all break it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.hsperfdata import heap_counters, parse_hsperfdata
from weaklink.testing.perf_data import HEAP, SECOND, perf_data


def test_full_collections_are_told_from_young_ones() -> None:
    counted = heap_counters(parse_hsperfdata(perf_data(HEAP)))
    assert counted is not None
    assert (counted.collections, counted.full) == (52, 12)
    assert (counted.paused_seconds, counted.full_seconds) == (11.0, 9.0)
    assert (counted.old_used, counted.old_max) == (90, 100)
    assert counted.reason == "Allocation Failure"


def test_a_pause_that_still_lasts_counts_so_far() -> None:
    lasting = HEAP | {
        "sun.gc.collector.1.lastEntryTime": 93 * SECOND,
        "sun.gc.collector.1.lastExitTime": 80 * SECOND,
        "sun.gc.cause": "System.gc()",
    }
    counted = heap_counters(parse_hsperfdata(perf_data(lasting)))
    assert counted is not None
    assert counted.full_seconds == 16.0
    assert counted.reason == "System.gc()"


def test_a_collector_that_works_beside_the_application_is_no_full_collection() -> None:
    counted = heap_counters(parse_hsperfdata(perf_data(HEAP | {"sun.gc.collector.1.name": "CMS"})))
    assert counted is not None
    assert (counted.full, counted.full_seconds) == (0, 0.0)


@given(st.binary(max_size=400), st.integers(0, 500))
def test_no_bytes_break_it(noise: bytes, cut: int) -> None:
    whole = perf_data(HEAP)
    for raw in (noise, whole[:32] + noise, whole[:cut], whole[:cut] + noise + whole[cut:]):
        values = parse_hsperfdata(raw)
        assert all(name.isprintable() for name in values)
        heap_counters(values)
