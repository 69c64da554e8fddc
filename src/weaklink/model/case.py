"""A Case: all that is known of one incident, as one file, `weaklink/case/1`.

It only grows: facts, readings, evidence, findings, diagnoses, actions. Judging a Case again
(another day, another version) needs nothing but the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from weaklink.model.base import Record
from weaklink.model.chain import Chain
from weaklink.model.diagnosis import Diagnosis, Pain
from weaklink.model.event import Event
from weaklink.model.evidence import Evidence
from weaklink.model.fact import (
    Cgroup,
    ConfigFile,
    Connection,
    CpuSamples,
    Device,
    Host,
    Keyspace,
    Listener,
    LogFile,
    Mount,
    ProbeAnswer,
    Process,
    ProxyServer,
    SlowCommand,
    Stack,
    Thread,
    Upstream,
)
from weaklink.model.fact_hardware import Hardware
from weaklink.model.fact_software import Software
from weaklink.model.finding import Finding
from weaklink.model.look import Look
from weaklink.model.requests import Requests
from weaklink.model.series import Series

SCHEMA: Final = "weaklink/case/1"


class CaseError(ValueError):
    """A file is not a Case that this version can read; the message is one line for a person."""


class Case(Record, frozen=True):
    """See the module. `window` is when we looked, (from, to), epoch seconds."""

    schema: Literal["weaklink/case/1"]
    id: str
    created: float
    version: str
    host: Host
    window: tuple[float, float]
    entry: str = ""
    """URL that the user gave, '' where none."""
    note: str = ""
    looks: list[Look] = []
    series: list[Series] = []
    past: list[Series] = []
    """Before the window, from our own recording: every ten seconds."""
    processes: list[Process] = []
    threads: list[Thread] = []
    listeners: list[Listener] = []
    connections: list[Connection] = []
    upstreams: list[Upstream] = []
    servers: list[ProxyServer] = []
    logs: list[LogFile] = []
    configs: list[ConfigFile] = []
    stacks: list[Stack] = []
    cpu_samples: list[CpuSamples] = []
    mounts: list[Mount] = []
    devices: list[Device] = []
    cgroups: list[Cgroup] = []
    keyspaces: list[Keyspace] = []
    slow_commands: list[SlowCommand] = []
    answers: list[ProbeAnswer] = []
    requests: list[Requests] = []
    events: list[Event] = []
    hardware: list[Hardware] = []
    software: list[Software] = []
    chain: Chain = Chain()
    pain: Pain | None = None
    evidence: list[Evidence] = []
    findings: list[Finding] = []
    diagnoses: list[Diagnosis] = []
    actions: list[dict[str, Any]] = []


def grow(case: Case, **more: Any) -> Case:
    """The same Case with these fields replaced."""
    return msgspec.structs.replace(case, **more)


def encode_case(case: Case) -> bytes:
    """The Case as JSON."""
    return msgspec.json.encode(case)


def decode_case(data: bytes, where: str | Path) -> Case:
    """A Case from JSON; raises CaseError with one line that says what and where."""
    try:
        return msgspec.json.decode(data, type=Case)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise CaseError(f"{where}: not a {SCHEMA} file: {error}") from None
