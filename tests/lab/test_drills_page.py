"""The page of drills: rows of several files, the later one of the same drill; nothing hidden."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[2] / "packaging" / "drills_page.py"


@pytest.fixture
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("drills_page", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(fault: str, cause: str, probability: float, **more: Any) -> dict[str, Any]:
    right = fault == cause
    felt = {"p99": 0.1, "error_share": 0.0}
    return {
        "fault": fault,
        "seed": 1,
        "control": False,
        "said": {"exit": 1, "cause": cause, "probability": probability, "onset": None},
        "hits": dict.fromkeys(("cause", "link", "target", "shape"), right),
        "hurt": {"before": felt, "during": felt},
        "broke": 4.0,
        "seconds": 7.0,
        **more,
    }


def test_of_two_rows_of_one_drill_the_later_file_counts(
    program: ModuleType, tmp_path: Path
) -> None:
    for name, cause in (("a", "other"), ("b", "oom-killed")):
        body = {"drills": [row("oom-killed", cause, 0.9, commit=name)]}
        (tmp_path / name).write_text(json.dumps(body))
    rows = program.merged([tmp_path / "a", tmp_path / "b"])
    assert [(one["commit"], one["said"]["cause"]) for one in rows] == [("b", "oom-killed")]


def test_misses_pairs_and_causes_that_do_not_exist_are_told(program: ModuleType) -> None:
    text = program.page(
        [
            row("oom-killed", "oom-killed", 0.96),
            row("hot-key", "cache-down", 0.97),
            row("dns-slow", "", 0.0, landed=False),
            row("hot-key+oom-killed", "hot-key", 0.9),
            row("oom-killed", "", 0.0, blindfold="no-log"),
        ],
        "## Read with care\n",
    )
    assert "Of 2: cause 1" in text
    assert "| 0.95 to 1.00 | 2 | 1 |" in text
    assert "## Faults whose cause is not in the catalogue" in text
    assert "Both named in 0 of 1." in text
    assert "oom-killed (no-log)" in text
    assert text.endswith("## Read with care\n")
