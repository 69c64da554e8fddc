"""One key draws so much traffic that the one thread of the cache is full."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="hot-key",
        layer="cache",
        title="is at the end of its one core",
        because="{cache_one_core_full_name} uses {cache_one_core_full_percent} % of the "
        "one CPU that it can use[; {requests_one_thing_asked_percent} % of all "
        "requests ask for {requests_one_thing_asked_path}]",
        explanation="A cache answers on one thread. When one key (or a few) draws most of "
        "the traffic, or a large value is fetched with every request, that "
        "thread is full, and more nodes do not help: the key lives on one of "
        "them. Every caller waits for innocent GETs.",
        roles=("cache",),
        prior=-5.0,
        required=("cache.one-core-full",),
        signs=(
            Weighs(
                sign="cache.one-core-full",
                present=5.5,
                absent=-5.0,
                names_culprit=True,
                reason="its main thread has no time left",
            ),
            Weighs(
                sign="cache.answers-late",
                present=1.5,
                absent=-1.0,
                reason="even a PING waits its turn",
            ),
            Weighs(
                sign="requests.one-thing-asked",
                present=2.0,
                absent=-0.3,
                where="users",
                reason="one thing draws a large share of the requests",
            ),
            Weighs(
                sign="link.waits-below",
                present=1.0,
                where="caller",
                reason="its callers wait for it",
            ),
            Weighs(
                sign="stack.waits-for-callee",
                present=1.0,
                where="caller",
                reason="they sit in their client library",
            ),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="commands wait in it"),
            Weighs(
                sign="cache.busy-with-scans",
                present=-4.0,
                reason="then expensive commands take its time, not many cheap ones",
            ),
            Weighs(
                sign="cache.slow-commands", present=-2.0, reason="then single commands block it"
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu", present=-2.0, reason="then it is starved, not full"
            ),
            Weighs(sign="cpu.throttled", present=-3.0, reason="then its quota is the limit"),
            Weighs(
                sign="cache.busier-than-ever",
                present=1.5,
                reason="many cheap commands, not few dear ones",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "member.*",
            "process.no-progress",
            "cpu.link-busy",
            "cpu.link-waits-for-cpu",
            "cpu.host-full",
            "log.*",
            "cache.answers-late",
        ),
        converges="the cache's thread, and the thing that most requests ask for",
        wrong_if="its main thread has time left while callers wait",
        contained_by=("pin-hot-key", "limit-route", "stop-slow-caller"),
        prevented_by=("local-cache-for-hot-keys", "split-hot-keys", "client-side-caching"),
    )
)
