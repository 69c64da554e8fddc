"""Every text that the code asks for is there, and other languages want the same arguments."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import weaklink
from weaklink import words
from weaklink.cli.rooms import all_causes
from weaklink.contain.action import action_texts, actions
from weaklink.model.cause import Layer
from weaklink.model.chain import LinkState
from weaklink.model.diagnosis import ShapeId, Sureness
from weaklink.model.evidence import signs
from weaklink.model.finding import Verdict
from weaklink.model.look import Outcome
from weaklink.model.plan import Harm
from weaklink.report.view import cause_texts

SOURCE = Path(words.__file__).resolve().parents[1]
LANGUAGES = [path.stem for path in Path(words.__file__).parent.glob("*.toml")]
ELSEWHERE = ("testing",)
"""Rooms whose texts are not for users."""


def everything() -> dict[str, str]:
    for module in pkgutil.walk_packages(weaklink.__path__, "weaklink."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    all_causes()
    actions()
    return words.catalogue()


def asked() -> Iterator[tuple[str, str, set[str] | None]]:
    """(where, key, argument names or None where they are not literal) of every `say("…", …)`."""
    for file in sorted(SOURCE.rglob("*.py")):
        if file.relative_to(SOURCE).parts[0] in ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            first = node.args[0]
            if name == "say" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                names = {word.arg for word in node.keywords if word.arg}
                literal = all(word.arg for word in node.keywords)
                where = f"{file.relative_to(SOURCE)}:{node.lineno}"
                yield where, first.value, names if literal else None


def test_every_key_that_is_said_is_there_and_gets_its_arguments() -> None:
    known = everything()
    wrong = []
    for where, key, given in asked():
        if key not in known:
            wrong.append(f"{where}: no text {key}")
        elif given is not None:
            text = words.OPTIONAL.sub("", known[key])
            lacking = words.placeholders(text) - given
            if lacking:
                wrong.append(f"{where}: {key} lacks {sorted(lacking)}")
    assert not wrong


def test_every_sign_cause_and_action_has_its_texts() -> None:
    known = everything()
    wanted = {f"sign.{id_}" for id_ in signs() if not id_.startswith("test.")}
    for cause in all_causes().values():
        wanted |= set(cause_texts(cause))
    for one in actions().values():
        wanted |= set(action_texts(one))
    assert not wanted - known.keys()


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [
        ("shape", ShapeId),
        ("sure", Sureness),
        ("harm", Harm),
        ("outcome", Outcome),
        ("verdict-word", Verdict),
        ("layer", Layer),
        ("chain", LinkState),
    ],
)
def test_every_word_of_the_model_has_a_text(prefix: str, kind: object) -> None:
    known = everything()
    missing = [value for value in get_args(kind) if value and f"{prefix}.{value}" not in known]
    assert not missing


def test_every_block_of_the_screen_has_a_label() -> None:
    known = everything()
    labels = {
        node.value
        for file in (SOURCE / "report").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("label.")
    }
    assert not labels - known.keys()


def test_texts_can_be_filled_in() -> None:
    for key, text in everything().items():
        assert words.placeholders(words.OPTIONAL.sub(r"\1", text)) >= set(), key


@pytest.mark.parametrize("language", LANGUAGES or ["en"])
def test_another_language_wants_the_same_arguments(language: str) -> None:
    known = everything()
    for key, text in words.translation(language).items():
        assert key in known, f"{language}: {key} is no text of ours"
        assert words.placeholders(text) == words.placeholders(known[key]), f"{language}: {key}"
