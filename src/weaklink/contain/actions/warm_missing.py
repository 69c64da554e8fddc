"""Fills the cache with what is missing, slowly, so that users need not."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="warm-missing",
        title="warm the missing keys",
        harm="nobody",
        harm_note="harms nobody",
        what="warm only the {prefix} keys still missing, {warm_rate} a second",
        preview=(
            (
                "# by the application's own path, each: SET key value NX EX lifetime plus up to"
                " a fifth"
            ),
            "? {cli} INFO stats | grep -E 'keyspace_(hits|misses)'",
        ),
        after=(
            "stop-next-run",
            "limit-route",
        ),
        expect="hits rise and P99 falls; stop where P99 rises instead",
        cannot=(
            "only the application knows how to compute a value, so no command here does it;"
            " live traffic refills the hottest keys by itself; stay below the cache's "
            "maxmemory"
        ),
    )
)
