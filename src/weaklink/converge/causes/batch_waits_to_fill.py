"""The server holds requests back to fill a batch that never fills."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="batch-waits-to-fill",
        layer="inference",
        title="waits for batches that do not fill",
        because="a request waits {engine_waits_to_fill_queue} ms for its batch and is computed in "
        "{engine_waits_to_fill_compute} ms; {engine_waits_to_fill_size} share one",
        explanation="Dynamic batching holds the first request back until others join it or a "
        "delay has passed. With few requests at a time nobody joins, and each waits the whole "
        "delay: the quieter the hour, the slower the service.",
        roles=("inference", "app", "unknown"),
        prior=-4.5,
        required=("engine.waits-to-fill",),
        signs=(
            Weighs(
                sign="engine.waits-to-fill",
                present=4.5,
                absent=-4.0,
                names_culprit=True,
                reason="its own counters: much waiting, small batches, no crowd",
            ),
            Weighs(sign="link.slower-than-before", present=0.7, reason="who calls it waits longer"),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                where="caller",
                reason="a stream begins at once and then makes wait: its caller holds what is open",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=0.5,
                where="caller",
                reason="who calls its caller waits longer",
            ),
            Weighs(sign="link.requests-pile-up", present=0.5, reason="requests stay inside it"),
            Weighs(sign="member.fails", present=0.5, reason="its requests are slow"),
            Weighs(
                sign="cpu.link-busy", present=-1.0, reason="who waits on purpose does not compute"
            ),
            Weighs(sign="load.rose", present=-1.5, where="users", reason="a crowd fills batches"),
            Weighs(sign="engine.no-tokens", present=-2.0, reason="then nothing is computed at all"),
        ),
        explains=(
            "users.*",
            "requests.*",
            "link.*",
            "engine.waits-to-fill",
            "engine.requests-wait",
            "engine.first-token-slower",
            "member.fails",
            "stack.*",
            "app.*",
        ),
        converges="the server and its delay (max_queue_delay_microseconds, batch_wait_timeout_s)",
        wrong_if="with the delay set to zero requests take as long",
        contained_by=("lower-batch-delay",),
        prevented_by=("batch-delay-limit",),
    )
)
