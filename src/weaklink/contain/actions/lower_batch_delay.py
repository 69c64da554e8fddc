"""Lets the server compute what it has instead of waiting for more."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="lower-batch-delay",
        title="do not wait for batches to fill",
        harm="nobody",
        harm_note="harms nobody at this load",
        what="set the batching delay of {link} to 0 (max_queue_delay_microseconds, "
        "batch_wait_timeout_s) and reload the model",
        expect="the time in its queue falls to that of one computation",
        cannot="under a crowd small batches cost throughput: put it back then",
    )
)
