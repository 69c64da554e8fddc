"""Stops a job for a few minutes, when lowering its priority was not enough."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import SAME_CULPRIT

action(
    Action(
        id="pause-process",
        title="pause a process",
        harm="some-users",
        harm_note="whoever waits for it waits",
        what="pause {culprit} (pid {culprit_pid}), if that was not enough",
        preview=(SAME_CULPRIT + "kill -STOP {culprit_pid}",),
        undo=(SAME_CULPRIT + "kill -CONT {culprit_pid}",),
        after=(
            "stop-next-run",
            "quiet-neighbour",
        ),
        expires_after=300.0,
        expect="its CPU falls to nothing at once",
        cannot=(
            "a stopped process keeps its transactions, row locks, leases and GPU memory, "
            "and blocks who writes into its pipe: keep it shorter than the shortest lease"
        ),
    )
)
