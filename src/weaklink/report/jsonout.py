"""The report as JSON text, and the JSON Schemas of what Weaklink writes."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.model.base import Whole
from weaklink.model.case import Case
from weaklink.report.project import report
from weaklink.report.report1 import Report1
from weaklink.report.screen import Wish

SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "weaklink-report-1": Report1,
    "weaklink-case-1": Case,
}
"""File name, without `.json`, to the struct whose schema it holds."""


def json_report(case: Case, wish: Wish) -> str:
    """`weaklink/report/1` as indented JSON, with a newline at its end."""
    return pretty(report(case, wish))


def pretty(data: Whole | list[Any] | dict[str, Any]) -> str:
    """Anything of ours as indented JSON; half surrogates are written as escapes."""
    try:
        encoded = msgspec.json.encode(data)
    except UnicodeEncodeError:
        import json

        text = json.dumps(msgspec.to_builtins(data), ensure_ascii=True)
        encoded = text.encode("ascii")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def schema_text(name: str) -> str:
    """One JSON Schema as indented JSON; raises KeyError for a name that is not in SCHEMAS."""
    schema = msgspec.json.schema(SCHEMAS[name])
    top = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    return msgspec.json.format(msgspec.json.encode({**top, **schema}), indent=2).decode() + "\n"
