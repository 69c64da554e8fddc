"""The list that `weaklink capture` puts into its bundle: nothing in it is a reading."""

from __future__ import annotations

from typing import Any

from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool


def _is_manifest(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("schema", "")).startswith("weaklink/capture/")


@tool("weaklink-capture", document=_is_manifest)
def manifest(passage: Passage) -> Take | None:
    """Known, and no fact: the texts beside it speak."""
    return Take()
