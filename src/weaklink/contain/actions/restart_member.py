"""Restarts one member, after its state is on file."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="restart-member",
        title="restart one member",
        harm="some-users",
        harm_note="its requests are lost",
        what="restart one member, {link} at {member}, and wait until it answers",
        preview=("{restart}",),
        after=(
            "eject-member",
            "resume-process",
        ),
        expect="it answers after its load time, then the next member, never two at once",
        cannot=(
            "what it knew is gone: the Case on file holds its stacks and counters; a cause "
            "outside of it comes back; a large model may take minutes to load"
        ),
    )
)
