"""Lets ejected members take traffic again, after they were checked."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="return-peers",
        title="let ejected peers return",
        harm="nobody",
        harm_note="harms nobody if they are well",
        what="check the ejected peers of {link}, then let {proxy} send to them again",
        preview=("{reload}",),
        expect="load spreads over all members within seconds; the survivor's queue drains",
        cannot=(
            "it works by a reload, which makes nginx forget its ejections: a peer that is "
            "still sick gets traffic again too; check each with a real request first"
        ),
    )
)
