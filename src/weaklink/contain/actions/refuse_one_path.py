"""Refuses the one thing that hurts, for everybody, until it is understood."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="refuse-one-path",
        title="refuse that one thing",
        harm="some-users",
        harm_note="sheds who asks for it",
        what="answer 429 for the one path that the bad requests ask for, in {entry_proxy}, and "
        "keep one such request on file",
        expect="members stay up; requests for other things are fine at once",
        cannot="a body cannot be told by its path: where the poison is in a POST, find its sender",
    )
)
