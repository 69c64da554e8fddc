"""Stops the one client that sends the commands which block the cache."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="stop-slow-caller",
        title="stop the caller of a slow command",
        harm="some-users",
        harm_note="harms that caller only",
        what="stop who sends {command}: {caller} (pid {caller_pid})",
        preview=(
            "{cli} CLIENT LIST | grep -F addr={client}",
            "{cli} CLIENT KILL ADDR {client}",
        ),
        after=("stop-next-run",),
        expect="the cache answers in under a millisecond again",
        cannot=(
            "a client that reconnects sends it again: then stop its process or its "
            "schedule; never kill all clients, they would all reconnect at once"
        ),
    )
)
