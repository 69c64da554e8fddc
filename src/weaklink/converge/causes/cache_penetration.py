"""Requests ask for what does not exist, so the cache never holds it and each goes through."""

from weaklink.model.cause import Cause, Weighs, cause

cause(
    Cause(
        id="cache-penetration",
        layer="cache",
        title="is asked again and again for what does not exist",
        because="{cache_misses_never_stored_misses} look-ups of "
        "{cache_misses_never_stored_name} missed and only "
        "{cache_misses_never_stored_sets} values were stored",
        explanation="Requests ask for things that do not exist (deleted, guessed, an "
        "attack, a bug in a client). The cache holds nothing for them, so each "
        "goes through to what computes or stores, which finds nothing, stores "
        "nothing, and is asked again.",
        roles=("inference", "app", "unknown", "job"),
        prior=-5.0,
        required=("cache.misses-never-stored",),
        signs=(
            Weighs(
                sign="cache.misses-never-stored",
                present=4.0,
                absent=-5.0,
                where="callee",
                names_culprit=True,
                reason="misses without stores: nothing is there to store",
            ),
            Weighs(
                sign="cache.hit-ratio-fell",
                present=1.5,
                absent=-0.5,
                where="callee",
                reason="such look-ups always miss",
            ),
            Weighs(
                sign="load.rose",
                present=1.0,
                where="users",
                reason="whoever asks for them comes on top",
            ),
            Weighs(
                sign="requests.many-resources",
                present=0.7,
                where="users",
                reason="many different things are asked for",
            ),
            Weighs(
                sign="link.requests-pile-up",
                present=0.7,
                reason="each of them goes through to here",
            ),
            Weighs(
                sign="link.slower-than-before", present=0.5, reason="the way through takes longer"
            ),
            Weighs(
                sign="cache.many-keys-refilled",
                present=-2.0,
                where="callee",
                reason="then what missed is stored: it does exist",
            ),
            Weighs(
                sign="cache.refuses",
                present=-3.0,
                where="callee",
                reason="then stores fail, whatever is asked for",
            ),
            Weighs(
                sign="cache.emptied",
                present=-1.5,
                where="callee",
                reason="then it misses because it began anew",
            ),
            Weighs(
                sign="cache.fewer-keys-than-usual",
                present=-1.0,
                where="callee",
                reason="then keys expired",
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
            "cache.hit-ratio-fell",
        ),
        converges="the cache, and the route whose answers are never stored",
        wrong_if="the missing things are stored a moment later",
        contained_by=("limit-route",),
        prevented_by=("cache-the-absence", "validate-ids-first", "bloom-filter"),
    )
)
