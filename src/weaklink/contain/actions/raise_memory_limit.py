"""Gives a group more memory before the kernel kills in it again."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="raise-memory-limit",
        title="raise a memory limit",
        harm="nobody",
        harm_note="takes free memory",
        what="raise the memory limit of {link} from {limit:bytes} to {new_limit:bytes}",
        preview=("{set_limit}",),
        undo=("{reset_limit}",),
        expires_after=86400.0,
        expect="no further kill in the group",
        cannot=(
            "it does not stop a leak, it buys time; the host must have the memory free; "
            "lowering it again later fails or kills where the memory is in use"
        ),
    )
)
