"""Sends slow reads to a replica or replaces them by ones that do not block."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="move-slow-reads",
        title="move slow reads away",
        harm="nobody",
        harm_note="harms nobody",
        what="send {command} to a replica, or use the SCAN family instead",
        after=("stop-slow-caller",),
        expect="no entry of that command in the slow log any more",
        cannot="it is a change of the caller's code or configuration: no command here does it",
    )
)
