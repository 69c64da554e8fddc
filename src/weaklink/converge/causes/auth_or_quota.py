"""Requests are turned away: a key or token has expired, or somebody's quota is spent."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="auth-or-quota",
        layer="entry",
        title="does not let requests in, or is not let in",
        because="[{users_not_let_in_percent} % of the requests are answered "
        "{users_not_let_in_status}, before {users_not_let_in_before} %]"
        "[; its log says that it is not authorized, {log_unauthorized_count} times]"
        "[: {log_unauthorized_about}]",
        explanation="A certificate, key or token reached its end, a secret was rotated on one "
        "side only, or a quota is spent. Every link is healthy and quick; only the answers are "
        "refusals.",
        roles=("proxy", "app", "inference", "unknown"),
        prior=-4.5,
        required=("users.not-let-in", "log.unauthorized"),
        signs=(
            Weighs(
                sign="users.not-let-in",
                present=3.0,
                absent=-2.0,
                where="users",
                reason="the entry's own answers",
            ),
            Weighs(
                sign="log.unauthorized",
                present=3.0,
                absent=-2.0,
                names_culprit=True,
                reason="the link's own words: whom it does not let in, or who refuses it",
            ),
            Weighs(sign="member.fails", present=0.5, reason="its requests fail"),
            Weighs(
                sign="link.requests-pile-up",
                present=-1.0,
                reason="a refusal comes at once: nothing piles up",
            ),
            Weighs(sign="log.rate-limited", present=-1.5, reason="then it is a limit, not a key"),
            Weighs(
                sign="users.refused-as-wrong",
                present=-1.0,
                where="users",
                reason="refused for what they sent, not for who they are",
            ),
            Weighs(
                sign="deploy.just-before",
                present=-0.5,
                reason="then what was changed may have lost the secret",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "member.fails",
            "log.unauthorized",
            "log.errors-rose",
            "log.exception",
            "app.*",
            "answers.*",
        ),
        converges="the link that refuses or is refused, and the host that refuses it",
        wrong_if="a request with a fresh key is refused as well",
        contained_by=("roll-back",),
        prevented_by=("expiry-alerts",),
    )
)
