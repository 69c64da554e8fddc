"""What people and programs read changes only on purpose: `make golden` writes these files anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from weaklink.model.case import encode_case
from weaklink.report.explain import catalogue_markdown
from weaklink.report.jsonout import SCHEMAS, json_report, pretty, schema_text
from weaklink.report.markdown import markdown
from weaklink.report.screen import Wish
from weaklink.report.text import screen
from weaklink.testing.recorded_case import healthy, worked_incident

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = Path("tests/golden")
RECORDED = REPOSITORY / "tests" / "recorded"


def catalogue() -> str:
    from weaklink.cli.rooms import all_causes
    from weaklink.contain.plan import actions

    titles = {id_: one.title for id_, one in actions().items()}
    recorded = sorted(path.name.partition(".")[0] for path in RECORDED.glob("*.json.gz"))
    return catalogue_markdown(all_causes(), titles, recorded)


def case_json() -> str:
    import json

    return pretty(json.loads(encode_case(worked_incident())))


FILES: dict[Path, Callable[[], str]] = {
    GOLDEN / "worked-incident.txt": lambda: screen(worked_incident()),
    GOLDEN / "worked-incident-verbose.txt": lambda: screen(worked_incident(), Wish(verbose=True)),
    GOLDEN / "worked-incident.md": lambda: markdown(worked_incident(), Wish()),
    GOLDEN / "worked-incident.report.json": lambda: json_report(worked_incident(), Wish()),
    GOLDEN / "worked-incident.case.json": case_json,
    GOLDEN / "healthy.txt": lambda: screen(healthy()),
    Path("docs/catalogue.md"): catalogue,
} | {Path(f"docs/schema/{name}.json"): partial(schema_text, name) for name in SCHEMAS}


@pytest.fixture(autouse=True, scope="module")
def _all_signs_known() -> None:
    from weaklink.cli.rooms import all_words

    all_words()


@pytest.mark.parametrize("path", sorted(FILES), ids=str)
def test_it_is_as_it_was(path: Path) -> None:
    made = FILES[path]()
    file = REPOSITORY / path
    if os.environ.get("WEAKLINK_GOLDEN") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made, encoding="utf-8")
    assert made == file.read_text(encoding="utf-8"), f"{path} differs: `make golden` if meant"


def test_the_readme_shows_the_screen_as_it_is() -> None:
    file = REPOSITORY / "README.md"
    shown = file.read_text(encoding="utf-8")
    start = shown.index("$ weaklink\n") + len("$ weaklink\n")
    end = shown.index("```", start)
    made = shown[:start] + screen(worked_incident()) + shown[end:]
    if os.environ.get("WEAKLINK_GOLDEN") == "write":
        file.write_text(made, encoding="utf-8")
        return
    assert made == shown, "README.md shows another screen: `make golden` if meant"
