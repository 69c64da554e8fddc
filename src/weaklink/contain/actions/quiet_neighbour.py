"""Lets a greedy neighbour run only when nobody else wants the CPU."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import SAME_CULPRIT

action(
    Action(
        id="quiet-neighbour",
        title="lower the priority of a neighbour",
        harm="nobody",
        harm_note="that job takes longer",
        what="lower the CPU and disk priority of {culprit} (pid {culprit_pid})",
        preview=(
            SAME_CULPRIT + "renice -n 19 -p {culprit_pid}",
            SAME_CULPRIT + "ionice -c 3 -p {culprit_pid}",
        ),
        undo=(
            SAME_CULPRIT + "renice -n {culprit_nice} -p {culprit_pid}",
            SAME_CULPRIT + "ionice -c 0 -p {culprit_pid}",
        ),
        after=("stop-next-run",),
        expires_after=7200.0,
        expect="the service's run delay falls within seconds",
        cannot=(
            "priority counts only among tasks of one group: where both sit in groups of "
            "their own, lower the weight of the group; its children that run already keep "
            "theirs"
        ),
    )
)
