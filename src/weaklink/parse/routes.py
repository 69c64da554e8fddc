"""Turns the path of a request into its route, and into a form that may be stored.

`/v1/videos/8f14e45fceea167a/frames?n=3` has the route `/v1/videos/{}/frames`; the stored path is
`/v1/videos/{a1b2c3}/frames?n={0d9e8f}`: values are gone, distinct resources stay distinct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from weaklink.parse.mask import is_identifier, is_short_number, mark
from weaklink.parse.redact import is_secret_name, redact

MAX_ROUTES = 200
"""Distinct routes kept for one log; the rarest beyond are `(other)`: a scanner tries thousands."""
OTHER = "(other)"
MAX_BEFORE = 5_000
"""Distinct routes remembered before siblings are put together."""
MANY_NUMBERED = 12
"""So many siblings with a digit in their name (`v001`, `v002` …) are objects of one route."""
MANY_NAMED = 50
"""So many siblings of any name are objects too: no service has fifty verbs in one place."""
MAX_SEGMENTS = 12
MAX_PATH = 512
MAX_MEMO = 20_000


class Routes:
    """Remembers what it has seen: a log repeats itself, so most look-ups are one dictionary get."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str]] = {}
        self._routes: set[str] = set()

    def __call__(self, target: str) -> tuple[str, str]:
        """(route, stored path) of a request target."""
        found = self._seen.get(target)
        if found is None:
            found = route_of(target), stored_path(target)
            if found[0] not in self._routes:
                if len(self._routes) >= MAX_BEFORE:
                    found = OTHER, found[1]
                else:
                    self._routes.add(found[0])
            if len(self._seen) < MAX_MEMO:
                self._seen[target] = found
        return found


def settle(routes: list[str]) -> list[str]:
    """The same column: siblings that are objects put together, at most 200 distinct routes."""
    counts = Counter(routes)
    renamed = _gather(counts)
    after: Counter[str] = Counter()
    for name, count in counts.items():
        after[renamed.get(name, name)] += count
    kept = {name for name, _ in after.most_common(MAX_ROUTES)}
    final = {
        name: (new if new in kept else OTHER)
        for name in counts
        for new in (renamed.get(name, name),)
    }
    return [final[name] for name in routes]


def _gather(routes: Iterable[str]) -> dict[str, str]:
    siblings: dict[tuple[str, ...], set[str]] = {}
    parts = {route: route.split("/") for route in routes}
    for segments in parts.values():
        for index, segment in enumerate(segments):
            if segment and segment != "{}":
                siblings.setdefault(_family(segments, index), set()).add(segment)
    renamed: dict[str, str] = {}
    for route, segments in parts.items():
        new = list(segments)
        for index, segment in enumerate(segments):
            if not segment or segment == "{}":
                continue
            family = siblings[_family(segments, index)]
            numbered = sum(any(c.isdigit() for c in name) for name in family)
            if len(family) >= MANY_NAMED or (
                numbered >= MANY_NUMBERED and any(c.isdigit() for c in segment)
            ):
                new[index] = "{}"
        if new != segments:
            renamed[route] = "/".join(new)
    return renamed


def _family(segments: list[str], index: int) -> tuple[str, ...]:
    return (*segments[:index], "\0", *segments[index + 1 :])


def route_of(target: str) -> str:
    """The route: query dropped, every segment that names one object replaced by `{}`."""
    path = _path(target)[0]
    if not path.startswith("/"):
        return path if path in ("*", "-") else "{}"
    segments = path.split("/")
    if len(segments) > MAX_SEGMENTS:
        segments = [*segments[:MAX_SEGMENTS], "…"]
    return "/".join(_route_segment(segment) for segment in segments) or "/"


def stored_path(target: str) -> str:
    """The path as it may be kept: identifiers and query values as marks, short numbers as they are.

    A path that names no secret comes back unchanged, so that it can be asked for again.
    """
    path, query = _path(target)
    kept = "/".join(
        f"{{{mark(segment)}}}"
        if is_identifier(segment) and not is_short_number(segment)
        else segment
        for segment in path.split("/")
    )
    if "@" in kept or "=" in kept or ":" in kept:
        kept = redact(kept)
    kept = kept or "/"
    if not query:
        return kept
    pairs = []
    for pair in query[:MAX_PATH].split("&")[:20]:
        name, equals, value = pair.partition("=")
        if not equals:
            name, value = ("", name) if is_identifier(name) or len(name) > 24 else (name, "")
        safe = name if not is_identifier(name) else f"{{{mark(name)}}}"
        hidden = f"{{{mark(value)}}}" if value else ""
        pairs.append(f"{safe}={hidden}" if equals else f"{safe}{hidden}")
    return f"{kept}?{'&'.join(pairs)}"


def may_be_asked_again(path: str) -> bool:
    """Whether a stored path still is what the user asked, and holds nothing that looks secret."""
    if not path.startswith("/") or any(c in path for c in "{}*?…#\\") or len(path) > 200:
        return False
    return (
        path.isprintable()
        and " " not in path
        and not any(is_secret_name(segment) for segment in path.split("/"))
    )


def _route_segment(segment: str) -> str:
    # `frame-000123.jpg`: the extension tells the kind, the rest the object.
    if "@" in segment:
        return "{}"
    name, dot, extension = segment.rpartition(".")
    if dot and name and extension.isalnum() and len(extension) <= 5 and is_identifier(name):
        return f"{{}}.{extension}" if not extension.isdigit() else "{}"
    return "{}" if is_identifier(segment) else segment


def _path(target: str) -> tuple[str, str]:
    """(path, query) of a request target, which may be an absolute URL or nonsense."""
    target = target[: 8 * MAX_PATH]
    if "://" in target[:16]:
        target = "/" + target.split("://", 1)[1].partition("/")[2]
    target = target.partition("#")[0]
    path, _, query = target.partition("?")
    path = path.partition(";")[0]
    if len(path) > MAX_PATH:
        path = path[:MAX_PATH] + "…"
    return path or "/", query
