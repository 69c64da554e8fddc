"""Gives a throttled group more CPU, where the host has some."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="raise-cpu-quota",
        title="raise a CPU quota",
        harm="nobody",
        harm_note="takes idle CPU",
        what="raise the CPU quota of {link} from {quota} to {new_quota} CPUs",
        preview=("{set_quota}",),
        undo=("{reset_quota}",),
        expires_after=86400.0,
        expect="throttled periods stop growing within seconds and P99 follows",
        cannot=(
            "on a host without idle CPU it only moves the wait; thread pools sized to the "
            "host stay too large for the group; it is lost when the group is made anew"
        ),
    )
)
