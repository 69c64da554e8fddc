"""Jobs go into a queue, and those who should take them are gone."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="dead-consumer",
        layer="app",
        title="fills a queue that nobody empties",
        because="{queue_not_taken_pushed} jobs went into queues of {queue_not_taken_name} "
        "and {queue_not_taken_popped} were taken; over its life "
        "{queue_not_taken_percent} % were",
        explanation="Jobs are accepted at once and put into a queue; whoever should take "
        "them is gone, stands still, or waits at another queue after a deploy. "
        "Every answer is quick and says `accepted`, and nothing is ever done: "
        "dashboards of the entry stay green.",
        roles=("app", "inference", "unknown", "job"),
        prior=-5.0,
        required=("queue.not-taken",),
        signs=(
            Weighs(
                sign="queue.not-taken",
                present=5.5,
                absent=-6.0,
                where="callee",
                names_culprit=True,
                reason="the server's own count of what goes in and out",
            ),
            Weighs(
                sign="load.rose",
                present=-0.5,
                where="users",
                reason="then more goes in than consumers can take",
            ),
            Weighs(
                sign="users.errors",
                present=0.3,
                where="users",
                reason="what waits for the job gives up",
            ),
            Weighs(
                sign="users.slow", present=0.3, where="users", reason="what waits for the job waits"
            ),
            Weighs(
                sign="log.errors-rose",
                present=0.7,
                where="any",
                reason="consumers that die say why",
            ),
            Weighs(
                sign="process.starts-again",
                present=0.5,
                where="any",
                reason="consumers that die are started again",
            ),
            Weighs(
                sign="cache.refuses",
                present=-2.0,
                where="callee",
                reason="then nobody can take from it",
            ),
            Weighs(
                sign="link.slower-than-before",
                present=0.5,
                reason="who waits for the job takes longer",
            ),
            Weighs(sign="link.requests-pile-up", present=0.5, reason="requests wait for their job"),
        ),
        explains=("users.*", "requests.*", "link.*", "stack.*", "log.*", "queue.*", "member.fails"),
        converges="the server, its queue, and who took from it before",
        wrong_if="jobs are taken as fast as they come",
        contained_by=("start-member", "restart-member", "limit-route"),
        prevented_by=("queue-age-alarm", "consumer-heartbeat", "bounded-queues"),
    )
)
