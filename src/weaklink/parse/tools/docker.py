"""docker inspect (JSON) and docker ps: ends, OOM kills, health checks, limits."""

from __future__ import annotations

import re
from typing import Any

from weaklink.model.fact_text_platform import ContainerState
from weaklink.model.take import Take
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_CONTAINERS = 1000
_STATUS = re.compile(
    r"\s{2,}(Up \S.{0,60}?|Exited \((\d{1,3})\) .{0,40}?|Restarting \((\d{1,3})\) .{0,40}?|Created|"
    r"Dead|Removal In Progress)(?:\s{2,}|$)"
)


def _is_inspect(value: Any) -> bool:
    rows = value if isinstance(value, list) else [value]
    return bool(rows) and all(
        isinstance(row, dict) and isinstance(row.get("State"), dict) and "Status" in row["State"]
        for row in rows[:50]
    )


@tool("docker-inspect", document=_is_inspect, commands=("inspect",))
def docker_inspect(passage: Passage) -> Take | None:
    """One fact a container."""
    value = passage.document
    if not _is_inspect(value):
        return None
    rows = value if isinstance(value, list) else [value]
    return Take(software=[_state(row) for row in rows[:MAX_CONTAINERS]])


def _state(row: dict[str, Any]) -> ContainerState:
    state = row["State"]
    host = row.get("HostConfig") if isinstance(row.get("HostConfig"), dict) else {}
    health = state.get("Health") if isinstance(state.get("Health"), dict) else {}
    log = health.get("Log") if isinstance(health, dict) else None
    last = log[-1] if isinstance(log, list) and log and isinstance(log[-1], dict) else {}
    memory = host.get("Memory") if isinstance(host, dict) else None
    oom, code = state.get("OOMKilled"), state.get("ExitCode")
    restarts = row.get("RestartCount")
    status = str(state.get("Status", ""))[:40]
    return ContainerState(
        source="docker inspect",
        name=quoted(str(row.get("Name", "")).lstrip("/"))[:120],
        status=status,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        oom_killed=oom if isinstance(oom, bool) else None,
        restarts=restarts if isinstance(restarts, int) else None,
        memory_limit=_bytes(memory) if isinstance(memory, int) and memory > 0 else "",
        health=str(health.get("Status", ""))[:40] if isinstance(health, dict) else "",
        health_log=quoted(str(last.get("Output", ""))[:400]),
        error=quoted(str(state.get("Error", ""))[:400]),
        started=str(state.get("StartedAt", ""))[:40],
        lines={
            "status": f'"Status": "{status}"',
            "exit_code": f'"ExitCode": {code}',
            "oom_killed": f'"OOMKilled": {str(oom).lower()}',
        },
    )


def _bytes(value: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if value >= size:
            return f"{value / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{value} B"


@tool("docker-ps", heads=("CONTAINER ID ",), goes_on=lambda line: bool(_STATUS.search(line[:800])),
      commands=("docker", "podman"))  # fmt: skip
def docker_ps(passage: Passage) -> Take | None:
    """One fact a row of docker ps."""
    found = []
    for line in passage.lines[: MAX_CONTAINERS + 1]:
        row = _STATUS.search(line[:800])
        if row is None or line.startswith("CONTAINER ID"):
            continue
        code = row[2] or row[3]
        health = re.search(r"\((healthy|unhealthy|health: starting)\)", row[1])
        found.append(
            ContainerState(
                source="docker ps",
                name=quoted(line.split()[-1])[:120],
                status=row[1].split(" ", 1)[0].lower(),
                exit_code=int(code) if code else None,
                health=health[1] if health else "",
                lines={"status": quoted(line)},
            )
        )
    return Take(software=list(found)) if found else None
