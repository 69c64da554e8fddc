"""Adds a member where the work is real and the members are full."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="add-member",
        title="add a member",
        harm="nobody",
        harm_note="costs a machine",
        what="add a member to {link}, now {all}",
        preview=(
            "? # in upstream {upstream} of {proxy_file}: server ADDRESS;",
            "? {reload}",
        ),
        after=("limit-route",),
        expect="load a member falls by its share once it has warmed up",
        cannot="it does not help where the members wait for one thing that they share",
    )
)
