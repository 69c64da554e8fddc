"""`weaklink/report/1` is complete, keeps its schema, and names no cause where nothing hurts."""

from __future__ import annotations

import importlib
import json
from typing import Any

import msgspec
from msgspec import structs

from weaklink.model.case import encode_case, grow
from weaklink.report.jsonout import SCHEMAS, json_report, pretty, schema_text
from weaklink.report.project import report
from weaklink.report.report1 import Report1
from weaklink.report.screen import Wish
from weaklink.testing.recorded_case import healthy, worked_incident

jsonschema: Any = importlib.import_module("jsonschema")  # it ships no types


def as_data(text: str) -> Any:
    return json.loads(text)


def test_it_fits_its_schema() -> None:
    schema = as_data(schema_text("weaklink-report-1"))
    for case in (worked_incident(), healthy()):
        jsonschema.validate(as_data(json_report(case, Wish())), schema)


def test_a_case_fits_its_schema() -> None:
    schema = as_data(schema_text("weaklink-case-1"))
    jsonschema.validate(as_data(encode_case(worked_incident()).decode()), schema)


def test_schemas_are_valid_schemas() -> None:
    for name in SCHEMAS:
        jsonschema.Draft202012Validator.check_schema(as_data(schema_text(name)))


def test_every_field_is_always_written() -> None:
    data = as_data(json_report(healthy(), Wish()))
    assert set(data) == set(Report1.__struct_fields__)
    assert data["onset"] is None
    assert data["case"] is None


def test_causes_are_empty_where_nothing_hurts() -> None:
    data = as_data(json_report(healthy(), Wish()))
    assert data["causes"] == []
    assert data["shape"]["id"] == "none"
    assert data["exit"] == 0


def test_the_worked_incident_as_programs_see_it() -> None:
    data = as_data(json_report(worked_incident(), Wish(filed="/x/y.json.gz")))
    assert data["schema"] == "weaklink/report/1"
    assert data["case"] == "/x/y.json.gz"
    assert data["onset"] == {
        "at": "2026-03-01T07:04:10.000Z",
        "plus_minus_seconds": 2.0,
        "kind": "step",
    }
    cause = data["causes"][0]
    assert cause["id"] == "cache-mass-expiry"
    assert cause["named"] is True
    assert [member["pids"] for member in cause["members"]] == [[930], [931], [932]]
    assert cause["link"] in [link["key"] for link in data["chain"]["links"]]
    assert cause["for"][0]["text"]
    assert [one["id"] for one in data["candidates"]] == ["preprocess-on-cpu"]
    assert all(step["applied"] is False for step in data["plan"])
    assert data["unseen"][0]["remedy"] == "sudo weaklink"


def test_half_a_surrogate_does_not_stop_it() -> None:
    case = grow(worked_incident(), note="\udc80")
    assert as_data(json_report(case, Wish()))["note"] == "\\udc80"
    assert as_data(pretty([{"a\ud800": 1}])) == [{"a\\ud800": 1}]


def test_evidence_that_the_case_lacks_is_left_out() -> None:
    case = grow(worked_incident(), evidence=[])
    assert report(case, Wish()).causes[0].for_ == []


def test_reading_it_back_gives_the_same() -> None:
    made = report(worked_incident(), Wish())
    again = msgspec.json.decode(msgspec.json.encode(made), type=Report1)
    assert structs.asdict(again)["causes"] == structs.asdict(made)["causes"]
