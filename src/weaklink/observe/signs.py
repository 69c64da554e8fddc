"""Signs of the users' side, with their texts."""

from __future__ import annotations

from weaklink.words import sign, texts

ERRORS = sign(
    "users.errors",
    "users",
    "Users get errors that they did not get before.",
    "{percent} % of requests fail",
)
SLOW = sign(
    "users.slow",
    "users",
    "Requests take several times what is normal for their route.",
    "P99 is {p99:seconds}",
)
RATE_ROSE = sign(
    "load.rose",
    "access-logs",
    "More requests arrive than before.",
    "requests come {growth} times as often as before",
)
ONE_RESOURCE = sign(
    "requests.one-resource",
    "access-logs",
    "The bad requests ask for one and the same thing, others of its route are fine.",
    "{percent} % of the bad requests ask for {path}; others of {route} are fine",
)
COMES_AND_GOES = sign(
    "requests.one-resource-comes-and-goes",
    "access-logs",
    "One thing is quick most of the time, and now and then slow for several who ask at once.",
    "{path} is quick {percent} % of the time, and slow for several at once in between",
)
ONE_THING_ASKED = sign(
    "requests.one-thing-asked",
    "access-logs",
    "One thing draws a large share of all requests, quick or slow.",
    "{percent} % of all requests ask for {path}",
)
MANY_RESOURCES = sign(
    "requests.many-resources",
    "access-logs",
    "The bad requests of a route ask for many different things.",
    "bad requests of {route} ask for {distinct} different things",
)

AFTER_RETRY = sign(
    "requests.fail-after-retry",
    "access-logs",
    "Bad requests were tried on one member after another and failed on each.",
    "{count} of the bad requests failed on two members or more",
)
SHRANK = sign(
    "answers.shrank",
    "access-logs",
    "Answers of a route with status 200 are far smaller than they were.",
    "answers of {route} have {now} bytes, before {before}",
    hurts=True,
)
NOT_LET_IN = sign(
    "users.not-let-in",
    "access-logs",
    "Far more requests than before are answered 401, 403 or 429: users are not let in.",
    "{percent} % of the requests are answered {status}, before {before} %",
)
REFUSED = sign(
    "users.refused-as-wrong",
    "access-logs",
    "Far more requests than before are answered 400, 413 or 422: as wrong or too large.",
    "{percent} % of the requests are answered {status}, before {before} %",
)
TURNED_AWAY = sign(
    "users.turned-away",
    "access-logs",
    "The proxy itself answers far more requests than before with 503, at once.",
    "{percent} % of the requests get {status} from the proxy itself, before {before} %",
    hurts=True,
)
REPEATED = sign(
    "requests.repeated",
    "access-logs",
    "Clients ask for the same thing again within seconds, far more often than before.",
    "{percent} % of the requests repeat what the same client had just asked for, before {before} %",
    hurts=True,
)
LARGER = sign(
    "requests.answers-larger",
    "access-logs",
    "Answers of a route are several times as large as before: each request is more work.",
    "answers of {route} have {now:bytes}, before {before:bytes} (median)",
    hurts=True,
)

texts({"baseline.log": "own log, {minutes} min before"})
