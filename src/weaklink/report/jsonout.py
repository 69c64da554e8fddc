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
    """Anything of ours as indented JSON; half a surrogate becomes the text `\\udc80`."""
    try:
        encoded = msgspec.json.encode(data)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_whole_characters(msgspec.to_builtins(data)))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def _whole_characters(data: Any) -> Any:
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode()
    if isinstance(data, list):
        return [_whole_characters(one) for one in data]
    if isinstance(data, dict):
        return {_whole_characters(key): _whole_characters(one) for key, one in data.items()}
    return data


def schema_text(name: str) -> str:
    """One JSON Schema as indented JSON; raises KeyError for a name that is not in SCHEMAS."""
    schema = msgspec.json.schema(SCHEMAS[name])
    top = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    return msgspec.json.format(msgspec.json.encode({**top, **schema}), indent=2).decode() + "\n"
