"""A member closes idle connections a moment before the proxy uses them again."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="keepalive-race",
        layer="entry",
        title="closes idle connections that the proxy is about to use",
        because="error log: {member_breaks_off_address} closed the connection before it "
        "answered, {member_breaks_off_count} times",
        explanation="The proxy keeps idle connections to its members; a member closes its "
        "side a moment before the proxy sends the next request on it. A small "
        "share of requests fails at once with 502, at quiet times most of all, "
        "and the member knows nothing of them.",
        roles=("app", "inference", "unknown", "store"),
        prior=-4.5,
        required=("member.breaks-off",),
        signs=(
            Weighs(
                sign="member.breaks-off",
                present=2.5,
                absent=-5.0,
                names_culprit=True,
                reason="the proxy's own words: closed before an answer",
            ),
            Weighs(
                sign="proxy.keeps-connections",
                present=2.5,
                absent=-5.0,
                where="caller",
                reason="without kept connections there is no race",
            ),
            Weighs(
                sign="users.errors",
                present=1.0,
                absent=-1.5,
                where="users",
                reason="they fail at once, they are not slow",
            ),
            Weighs(
                sign="users.slow", present=-1.5, where="users", reason="then something takes long"
            ),
            Weighs(sign="link.requests-pile-up", present=-2.0, reason="then requests wait in it"),
            Weighs(
                sign="process.starts-again",
                present=-4.0,
                reason="then it dies with requests in its hands",
            ),
            Weighs(
                sign="process.began-as-it-hurt", present=-3.0, reason="then it was started anew"
            ),
            Weighs(sign="memory.oom-killed", present=-4.0, reason="then the kernel killed it"),
            Weighs(
                sign="member.refused", present=-3.0, reason="then nobody listens there for a while"
            ),
            Weighs(sign="member.not-listening", present=-4.0, reason="then it is down"),
            Weighs(sign="log.exception", present=-1.5, reason="then its own code breaks off"),
            Weighs(sign="log.workers-die", present=-3.0, reason="then its workers die"),
            Weighs(
                sign="deploy.just-before",
                present=-1.5,
                where="any",
                reason="then what was deployed may break off",
            ),
        ),
        explains=("users.errors", "member.*", "link.slower-than-before"),
        converges="the member's idle timeout against the proxy's",
        wrong_if="502s go on with keepalive switched off at the proxy",
        contained_by=(),
        prevented_by=("idle-timeout-longer-than-the-proxys", "retry-idempotent-once"),
    )
)
