"""Goes back to the version that served before the change."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="roll-back",
        title="go back to the version before",
        harm="some-users",
        harm_note="requests in flight on each member end as it restarts",
        what="deploy the version of {link} that ran before, one member at a time",
        expect="the first member on the old version fares as before: then the others",
        cannot=(
            "what the new version has written (schemas, caches, queues) may not fit the old one: "
            "look at one member before the rest"
        ),
    )
)
