"""Weaklink is never taught the lab: no word that the lab coined stands in its code."""

import re
from pathlib import Path

import pytest

from weaklink_lab import draw

SOURCE = Path(__file__).parents[2] / "src"
COMMON = {
    # Words that any program about services has, drawn here because real members bear them.
    *("edge", "front", "ingress", "www", "api", "gw", "pool", "relay", "mesh", "render", "frames"),
    *("cache", "store", "kv", "mem", "users", "batch", "cron", "bucket", "texts", "chat", "writer"),
    *("index", "runner", "vision", "spread", "portal", "preview", "still", "lookup", "recall"),
    *("visitors", "crowd", "toolbox", "maker", "poster", "thumb", "planner", "blob"),
}
ROUTES = (*draw.PREVIEW, *draw.ANALYZE, *draw.JOBS, *draw.EVENTS, *draw.VIDEOS, *draw.ASK)


def code() -> str:
    return "\n".join(path.read_text() for path in sorted(SOURCE.rglob("*.py")))


def whole(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w/]){re.escape(word)}(?![\w-])", text) is not None


def test_no_coined_word_and_no_route_of_the_lab_stands_in_the_code() -> None:
    text = code()
    names = {name for choices in draw.NAMES.values() for name in choices}
    coined = (names | {*draw.PREFIXES}) - COMMON
    assert coined, "every name of the lab would be a common word: nothing would be tested"
    assert not [word for word in sorted(coined) if whole(word, text)]
    coined_routes = {route for route in ROUTES if not route.startswith("/v1/")}
    assert not [route for route in sorted(coined_routes) if route in text]


@pytest.mark.parametrize("seed", range(4))
def test_no_name_that_a_seed_draws_stands_in_the_code(seed: int) -> None:
    text = code()
    spec = draw.draw(seed, draw.Wants(parts=("jobs", "store", "vector", "llm")))
    drawn = [member.name for member in spec.members] + [spec.root, spec.neighbour, spec.hub]
    assert not [name for name in drawn if name in text]
