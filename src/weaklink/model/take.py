"""What a probe or source brings home: facts, readings, requests and events, all frozen."""

from __future__ import annotations

from typing import Any

from weaklink.model.base import Record
from weaklink.model.event import Event
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
from weaklink.model.look import Look
from weaklink.model.requests import Requests
from weaklink.model.series import Reading


class Take(Record, frozen=True):
    """Everything that one look saw. Empty lists cost nothing; a look fills in what it knows."""

    host: Host | None = None
    readings: list[Reading] = []
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
    looks: list[Look] = []
    """Parts of the look that did not give a value: what was not here, not allowed, late."""


def merged(takes: list[Take]) -> Take:
    """One Take that holds what all of them hold, in order."""
    if len(takes) == 1:
        return takes[0]
    found: dict[str, Any] = {}
    for take in takes:
        for name in take.__struct_fields__:
            value = getattr(take, name)
            if isinstance(value, list):
                if value:
                    found.setdefault(name, []).extend(value)
            elif value is not None:
                found[name] = value
    return Take(**found)
