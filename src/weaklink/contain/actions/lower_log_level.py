"""Stops a flood of log lines at its source."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="lower-log-level",
        title="lower the log level",
        harm="nobody",
        harm_note="fewer lines to read afterwards",
        what="set the log level of {link} to warnings, in its configuration or over its own "
        "switch, and let whoever reads its output catch up",
        expect="its log grows by kilobytes a second, and its threads leave the logging library",
        cannot="without a switch it takes a restart, one member at a time",
    )
)
