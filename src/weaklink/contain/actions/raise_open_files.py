"""Lets a running process hold more descriptors, without a restart."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import SAME_CULPRIT

action(
    Action(
        id="raise-open-files",
        title="raise a limit of open files",
        harm="nobody",
        harm_note="takes kernel memory",
        what="raise the limit of open files of {culprit} (pid {culprit_pid}) from {files_limit} "
        "to {files_more}",
        preview=(SAME_CULPRIT + "prlimit --pid {culprit_pid} --nofile={files_more}:",),
        undo=(SAME_CULPRIT + "prlimit --pid {culprit_pid} --nofile={files_limit}:",),
        expires_after=86400.0,
        expect="connections that wait to be accepted are served at once",
        cannot=(
            "it does not stop a leak of descriptors, it buys time; not beyond the hard limit "
            "without root; gone with the process"
        ),
    )
)
