"""One expensive command after another keeps the cache's only thread from answering anybody."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="slow-command",
        layer="cache",
        title="is blocked by expensive commands",
        because="[{cache_busy_with_scans_percent} % of its time goes into commands such as "
        "{cache_busy_with_scans_command_}][, the longest took {cache_slow_commands_longest} ms: "
        "{cache_slow_commands_command_}]",
        explanation="The cache executes one command at a time. A command whose cost grows with "
        "the keyspace or with one big key (KEYS, SORT, a script, a large range) makes all others "
        "wait; every caller looks slow at once, each with an innocent GET.",
        roles=("cache",),
        prior=-5.0,
        required=("cache.busy-with-scans", "cache.slow-commands"),
        signs=(
            Weighs(
                sign="cache.slow-commands",
                present=3.0,
                absent=-1.5,
                names_culprit=True,
                reason="its own slow log",
            ),
            Weighs(
                sign="cache.busy-with-scans",
                present=3.0,
                absent=-1.5,
                names_culprit=True,
                reason="its own count of time per command",
            ),
            Weighs(
                sign="cache.answers-late",
                present=1.5,
                absent=-0.5,
                reason="even a PING waits",
            ),
            Weighs(
                sign="stack.waits-for-callee",
                present=1.0,
                where="caller",
                reason="its callers sit in their client library",
            ),
            Weighs(sign="link.requests-pile-up", present=0.7, reason="requests wait in it"),
            Weighs(sign="cpu.link-busy", present=1.0, reason="its one thread is busy"),
            Weighs(
                sign="link.waits-below",
                present=1.0,
                where="caller",
                reason="its callers wait for what they call",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=-1.0,
                reason="then misses make its callers slow",
            ),
            Weighs(
                sign="cpu.link-waits-for-cpu",
                present=-1.5,
                reason="a starved server is late with everything",
            ),
            Weighs(
                sign="schedule.runs-before-each",
                present=0.7,
                where="any",
                reason="who sends them comes again and again",
            ),
        ),
        explains=(
            "users.*",
            "requests.*",
            "load.*",
            "link.*",
            "stack.*",
            "cpu.link-busy",
            "member.fails",
            "member.times-out",
            "cache.*",
            "process.no-progress",
        ),
        converges="the command and, where the server tells it, the client that sends it",
        wrong_if="the slow log stays empty while callers still wait",
        contained_by=("stop-slow-caller", "move-slow-reads"),
        prevented_by=("scan-instead-of-keys", "bounded-collections", "acl-for-jobs"),
    )
)
