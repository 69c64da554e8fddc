"""Lets each member work on fewer requests at a time."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import RESTORE_PROXY, SAVE_PROXY

action(
    Action(
        id="lower-concurrency",
        title="lower the concurrency of each member",
        harm="some-users",
        harm_note="some users wait or are shed",
        what="give each member of {upstream} {each} requests at a time in {proxy}",
        needs=("proxy_file",),
        preview=(
            SAVE_PROXY,
            "# in its upstream {upstream}, on each server: max_conns={each}",
            "{reload}",
        ),
        undo=(
            RESTORE_PROXY,
            "{reload}",
        ),
        after=(
            "raise-memory-limit",
            "raise-cpu-quota",
        ),
        expires_after=3600.0,
        expect="memory and run queue of the members fall; what exceeds it fails fast with 502",
        cannot=(
            "without a shared memory `zone` each nginx worker counts on its own; a reload "
            "forgets passive ejections and drops idle upstream connections"
        ),
    )
)
