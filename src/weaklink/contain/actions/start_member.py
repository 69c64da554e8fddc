"""Starts a member that is down."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="start-member",
        title="start a member that is down",
        harm="nobody",
        harm_note="harms nobody",
        what="start {link} again and wait until it answers",
        preview=("? {start_service}",),
        expect="connections are accepted again and errors end",
        cannot="it does not say why it ended: look at its last log lines and exit code first",
    )
)
