"""Connections are turned away by the kernel because a short queue of a listener is full."""

from weaklink.model.cause import Cause, Weighs, cause

STUCK = "then it does not accept because it is stuck: the queue only shows it"

cause(
    Cause(
        id="listen-overflow",
        layer="network",
        title="has too short a queue for new connections",
        because="{net_listen_queue_overflows_dropped} connections were dropped in "
        "{net_listen_queue_overflows_span} s: only {net_listen_queue_overflows_backlog} may wait "
        "at {net_listen_queue_overflows_address}",
        explanation="The backlog of the listener holds a handful of connections. A burst fills it, "
        "the kernel drops what comes next without a word, and the caller tries again after 1, 3 "
        "and 7 seconds: users see waits of just those lengths, and the service's own times are "
        "fine. A queue that is long and full is another story: then accepting is what is slow.",
        roles=(),
        prior=-4.5,
        required=("net.listen-queue-overflows",),
        signs=(
            Weighs(
                sign="net.listen-queue-overflows",
                present=4.0,
                absent=-5.0,
                names_culprit=True,
                reason="the kernel's own counter, and the queue seen full",
            ),
            Weighs(
                sign="net.listen-queue-short",
                present=3.0,
                absent=-3.0,
                reason="a long queue that is full tells of slow accepting",
            ),
            Weighs(
                sign="net.connect-unanswered", present=1.0, reason="dropped connections hang so"
            ),
            Weighs(sign="process.stopped", present=-6.0, reason=STUCK),
            Weighs(sign="process.no-progress", present=-3.0, reason=STUCK),
            Weighs(sign="process.descriptors-full", present=-5.0, reason=STUCK),
            Weighs(sign="stack.loop-blocked", present=-4.0, reason=STUCK),
            Weighs(sign="stack.pool-taken", present=-4.0, reason=STUCK),
            Weighs(sign="stack.locked", present=-4.0, reason=STUCK),
            Weighs(sign="cpu.throttled", present=-3.0, reason=STUCK),
            Weighs(sign="cpu.link-waits-for-cpu", present=-2.0, reason=STUCK),
            Weighs(
                sign="stack.waits-for-callee",
                present=-2.0,
                reason="then what it calls is slow, and the queue is a consequence",
            ),
        ),
        explains=("users.*", "requests.*", "load.*", "link.*", "member.*", "net.*", "log.*"),
        converges="the listener's address, its backlog, and who listens there",
        wrong_if="with a backlog of 511 the same load waits as long",
        contained_by=("restart-member", "limit-route"),
        prevented_by=("longer-backlog", "keepalive-to-upstreams"),
    )
)
