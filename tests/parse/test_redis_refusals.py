"""What INFO says of a server that answers and still serves nobody."""

from __future__ import annotations

from weaklink.parse.redis_info import info_readings, read_info

INFO = """# Server
redis_version:7.0.15
role:master
loading:0
rdb_last_bgsave_status:err
total_error_replies:31
# Commandstats
cmdstat_flushall:calls=1,usec=90,usec_per_call=90.00
cmdstat_set:calls=9,usec=90,usec_per_call=10.00
# Errorstats
errorstat_ERR:count=4
errorstat_MISCONF:count=20
errorstat_OOM:count=7
"""


def test_refusals_are_counted_by_kind_and_flushes_apart() -> None:
    values = {one.quantity: one.value for one in info_readings(read_info(INFO), "x", 0.0)}
    assert values["cache_refused_commands_total"] == 27
    assert values["cache_save_failed"] == 1
    assert values["cache_flush_commands_total"] == 1


def test_a_server_that_does_not_count_errors_claims_none() -> None:
    old = INFO.replace("total_error_replies:31\n", "")
    names = {one.quantity for one in info_readings(read_info(old), "x", 0.0)}
    assert "cache_refused_commands_total" not in names
