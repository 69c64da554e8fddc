"""Stops a cache from forking under its users."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="save-elsewhere",
        title="stop a cache's automatic snapshots",
        harm="nobody",
        harm_note="a crash loses what no replica has saved",
        what="stop the automatic snapshots of {cache}; let a replica save, or save at night",
        needs=("cli",),
        preview=(
            "{cli} CONFIG GET save  # note it down: it is the undo",
            "{cli} CONFIG SET save ''",
        ),
        undo=("# {cli} CONFIG SET save with what CONFIG GET said before",),
        expires_after=86400.0,
        expect="no further stall at the period of its saves",
        cannot="rewrites of the append-only file fork as well; where it is the only copy, do not",
    )
)
