"""The proxy itself turns requests away, with all behind it idle."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="gateway-limit",
        layer="entry",
        title="turns requests away by itself",
        because="[{users_turned_away_percent} % of the requests get "
        "{users_turned_away_status} from it, before {users_turned_away_before} "
        "%][; its error log says that it limits, {proxy_limits_count} times][; its "
        "worker_connections were not enough, {proxy_connections_used_up_count} "
        "times]",
        explanation="The proxy answers by itself: a limit of requests or connections that "
        "was set for other days, or its own capacity (worker_connections, "
        "descriptors). Everything behind it is idle and healthy, which makes "
        "the model's charts look as if users had gone.",
        roles=("proxy",),
        prior=-5.0,
        required=("users.turned-away", "proxy.limits", "proxy.connections-used-up"),
        signs=(
            Weighs(
                sign="users.turned-away",
                present=3.0,
                absent=-1.5,
                where="users",
                reason="its own answers, at once, with nobody asked behind it",
            ),
            Weighs(
                sign="proxy.limits",
                present=3.0,
                absent=-1.0,
                names_culprit=True,
                reason="its own words",
            ),
            Weighs(
                sign="proxy.connections-used-up",
                present=4.0,
                absent=-0.5,
                names_culprit=True,
                reason="its own words",
            ),
            Weighs(sign="proxy.has-limits", present=1.0, absent=-0.3, reason="its configuration"),
            Weighs(
                sign="users.errors",
                present=1.0,
                absent=-1.0,
                where="users",
                reason="users are turned away, not slow",
            ),
            Weighs(
                sign="load.rose",
                present=0.5,
                where="users",
                reason="more come than the limit was set for",
            ),
            Weighs(
                sign="member.none-left",
                present=-3.0,
                reason="then it turns away because no member is left",
            ),
            Weighs(
                sign="member.refused",
                present=-1.5,
                where="callee",
                reason="then what is behind it is down",
            ),
            Weighs(
                sign="member.not-listening",
                present=-3.0,
                where="callee",
                reason="then what is behind it is down",
            ),
        ),
        explains=("users.*", "requests.*", "load.*", "proxy.*", "link.*", "log.queue-full"),
        converges="the limit, the zone or worker_connections, and its file",
        wrong_if="it forwards all that it gets, and users are still turned away",
        contained_by=("add-member",),
        prevented_by=("limits-from-load-test", "limit-alarm", "429-with-retry-after"),
    )
)
