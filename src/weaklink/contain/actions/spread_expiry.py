"""Gives keys of one lifetime different ones, so that they do not go together again."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="spread-expiry",
        title="spread the expiry of keys",
        harm="nobody",
        harm_note="harms nobody",
        what="spread the expiry of {prefix} keys over {ttl_spread} s",
        needs=(
            "cli",
            "pattern",
            "ttl_from",
            "ttl_spread",
        ),
        preview=(
            (
                "{cli} --scan --count 100 --pattern {pattern} | while IFS= read -r key; do "
                '{cli} EXPIRE "$key" $(( {ttl_from} + RANDOM % {ttl_spread} )) XX > /dev/null; '
                "done"
            ),
        ),
        after=(
            "stop-next-run",
            "limit-route",
            "warm-missing",
        ),
        expect="no second in which more than a few times the mean of keys expire",
        cannot=(
            "it cannot be taken back (values stay, only lifetimes differ); it needs Redis 7"
            " and walks all keys by SCAN; the job that sets one lifetime for all will do so"
            " again"
        ),
    )
)
