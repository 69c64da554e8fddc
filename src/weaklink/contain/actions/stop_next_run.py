"""Keeps a scheduled job from starting again: what has ended cannot be paused."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="stop-next-run",
        title="stop the next run of a scheduled job",
        harm="nobody",
        harm_note="harms nobody",
        what="stop the next run of {job}",
        preview=(
            "cp -p {cron_file} {cron_copy}",
            (
                'JOB={job} awk \'index($0, ENVIRON["JOB"]) && !/^#/ {{$0 = "# held: " $0}} 1\' '
                "{cron_copy} > {cron_file}"
            ),
            "grep -n 'held:' {cron_file}",
        ),
        undo=("cp -p {cron_copy} {cron_file}",),
        expect="nothing now; the next run does not start, so the trigger does not come back",
        cannot="it does not mend what the last run did, and a run that is going on goes on",
    )
)
