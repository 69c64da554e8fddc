"""Lets a stopped or frozen process run on."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="resume-process",
        title="resume a stopped process",
        harm="nobody",
        harm_note="harms nobody",
        what="resume {culprit} (pid {culprit_pid})",
        preview=(
            "? {thaw}",
            "? {go_on}",
        ),
        undo=(
            "? {halt}",
            "? {freeze}",
        ),
        expect=(
            "its queue drains within seconds; requests whose clients are gone are worked off first"
        ),
        cannot=(
            "it does not say who stopped it: a debugger, a job control or a freezer may do so again"
        ),
    )
)
