"""Drills in which Weaklink may not see something that it would like to see."""

from weaklink_lab import hands
from weaklink_lab.spec import Member
from weaklink_lab.state import State

KINDS = ("no-root", "no-log", "no-cache")


def put_on(state: State, kind: str) -> None:
    """Take something out of sight, before any user comes."""
    if kind == "no-log":
        for member in (*state.spec.of("front"), *state.spec.of("balancer")):
            _without_log(state, member)
    elif kind == "no-cache":
        cache = state.spec.one("cache")
        # Members come over the wire; a look from the cache's own namespace comes over lo.
        hands.nft(state, cache, "add", "table", "inet", "own")
        hook = "{ type filter hook input priority 0 ; }"
        hands.nft(state, cache, "add", "chain", "inet", "own", "in", hook)
        port = str(cache.port)
        words = ["add", "rule", "inet", "own", "in", "iif", "lo", "tcp", "dport", port]
        hands.nft(state, cache, *words, "reject", "with", "tcp", "reset")


def user(kind: str) -> str | None:
    """Give as whom Weaklink runs, or None for root."""
    return "nobody" if kind == "no-root" else None


def _without_log(state: State, member: Member) -> None:
    path = state.folder(member) / "nginx.conf"
    lines = path.read_text().splitlines(keepends=True)
    logged = next(line for line in lines if line.lstrip().startswith("access_log "))
    hands.edit_proxy(state, member, logged, "    access_log off;\n")
    (state.folder(member) / "access.log").unlink(missing_ok=True)
