"""kubectl describe, get pods, get events, get nodes: states, last ends, probes, why it waits."""

from __future__ import annotations

import re
from calendar import timegm
from typing import Any

from weaklink.model.fact_text_platform import ContainerState, KubeEvent, KubeNode
from weaklink.model.take import Take
from weaklink.parse.figures import whole
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

MAX_FACTS = 3000
_AGE = r"(?:\d{1,6}[smhdy]){1,3}|<unknown>|<invalid>"
_EVENT = re.compile(
    rf"\s{{0,4}}(Normal|Warning)\s{{1,20}}([A-Z][A-Za-z]{{2,50}})\s{{1,30}}"
    rf"({_AGE})(?: \(x(\d{{1,7}}) over (?:{_AGE})\))?\s{{1,30}}"
    r"(\S{1,80}(?:, \S{1,80})?)\s{1,10}(.{1,2000})$"
)
_GET_EVENT = re.compile(
    rf"(?:\S{{1,80}} {{2,30}})?({_AGE})(?: \(x(\d{{1,7}}) over (?:{_AGE})\))?\s{{1,20}}"
    r"(Normal|Warning)\s{1,20}([A-Z][A-Za-z]{2,50})\s{1,30}(\S{2,200}/\S{1,200})\s{1,30}(.{1,2000})$"
)
_POD = re.compile(
    r"(?:(\S{1,80})\s{1,30})?(\S{1,253})\s{1,40}(\d{1,4}/\d{1,4})\s{1,20}([A-Z][\w:/-]{1,60})"
    rf"\s{{1,20}}(\d{{1,7}})(?: \((?:{_AGE}) ago\))?\s{{1,20}}(?:{_AGE})(?:\s|$)"
)
_NODE = re.compile(
    r"(\S{1,253})\s{1,40}((?:Not)?Ready(?:,\w{1,40})?)\s{1,20}(\S{1,100})\s{1,20}\S{2,10}\s{1,20}v\d"
)
_CONDITION = re.compile(
    r"\s{0,4}(MemoryPressure|DiskPressure|PIDPressure|Ready|NetworkUnavailable)\s{1,10}"
    r"(True|False|Unknown)\s{1,10}.{0,160}?\s([A-Z]\w{3,60})\s{1,10}(.{1,300})$"
)
_FIELD = re.compile(r"(\s{0,12})([A-Z][A-Za-z ]{1,30}|[a-z][\w./-]{1,60}):\s{0,40}(.{0,400})$")
_CONTAINER = re.compile(r"(\s{2,4})([a-z0-9][a-z0-9.-]{0,120}):$")
_TIME = re.compile(r"\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) [+-]\d{4}")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DESCRIBE = ("State:", "Last State:", "Restart Count:", "Exit Code:", "Limits:", "Events:")


def _starts(line: str) -> bool:
    bare = line.strip()
    return (
        _EVENT.match(line) is not None
        or _GET_EVENT.match(bare) is not None
        or _POD.match(bare) is not None
        or _NODE.match(bare) is not None
        or (bare.startswith(("NAME ", "NAMESPACE ", "LAST SEEN ")) and "  " in bare)
        or bare.startswith(_DESCRIBE)
        or (bare.startswith("Reason:") and "OOMKilled" in bare)
    )  # fmt: skip


def _goes_on(line: str) -> bool:
    return (
        not line.strip()
        or _starts(line)
        or _FIELD.match(line[:500]) is not None
        or _CONTAINER.match(line) is not None
        or _CONDITION.match(line[:600]) is not None
        or line.startswith(("  ", "\t"))
    )


@tool(
    "kubectl",
    heads=("NAME ", "NAMESPACE ", "LAST SEEN ", "Name: ", "Normal ", "Warning ", "Reason:",
           *_DESCRIBE),
    needles=(" CrashLoopBackOff ", " OOMKilled ", " ImagePullBackOff "),
    starts=lambda line: _starts(line) or line.startswith("Name:   "),
    goes_on=_goes_on,
    commands=("kubectl", "oc", "k"),
)  # fmt: skip
def kubectl(passage: Passage) -> Take | None:
    """Pods, containers, events and nodes; None where not one of them can be read."""
    found: list[Any] = []
    containers = _Containers()
    for line in passage.lines:
        if len(found) >= MAX_FACTS:
            break
        bare = line.strip()
        if event := _EVENT.match(line[:2500]):
            kind, reason, age, count, _, message = event.groups()
            found.append(_event(kind, reason, age, count, "", message, line))
        elif event := _GET_EVENT.match(bare[:2500]):
            age, count, kind, reason, about, message = event.groups()
            found.append(_event(kind, reason, age, count, about, message, line))
        elif pod := _POD.match(bare[:700]):
            found.append(
                ContainerState(
                    source="kubectl get",
                    name=pod[2],
                    status=pod[4],
                    ready=pod[3],
                    restarts=int(pod[5]),
                    lines={"status": quoted(line)},
                )
            )
        elif node := _NODE.match(bare[:700]):
            found.append(
                KubeNode(node=node[1], condition="Ready", status=node[2], line=quoted(line))
            )
        elif (condition := _CONDITION.match(line[:700])) and containers.node:
            found.append(
                KubeNode(
                    node=containers.node,
                    condition=condition[1],
                    status=condition[2],
                    reason=condition[3],
                    line=quoted(line),
                )
            )
        else:
            containers.add(line)
    states = containers.states()
    facts = [*found, *states]
    return Take(software=facts) if facts else None


def _event(
    kind: str, reason: str, age: str, count: str | None, about: str, message: str, line: str
) -> KubeEvent:
    return KubeEvent(
        kind=kind,
        reason=reason,
        message=quoted(message),
        object=about[:200],
        count=int(count or 1),
        age=age,
        line=quoted(line),
    )


class _Containers:
    """The containers of a `kubectl describe`, from its indented fields."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.part = ""
        self.name = self.node = ""

    def row(self) -> dict[str, Any]:
        if not self.rows:
            self.rows.append({"lines": {}})
        return self.rows[-1]

    def add(self, line: str) -> None:
        if found := _CONTAINER.match(line):
            if found[2] not in {"limits", "requests"}:
                self.rows.append({"name": found[2], "lines": {}})
                self.part = ""
            return
        found = _FIELD.match(line[:500])
        if found is None or len(self.rows) > 500:
            return
        key, value = found[2].strip(), found[3].strip()
        if key == "Name" and not found[1]:
            self.name = value
        elif key in {"Roles", "Addresses", "Conditions"} and not found[1] and self.name:
            self.node = self.name
        elif key in {"Limits", "Requests", "State", "Last State"}:
            self._part(key, value, line)
        else:
            self._value(key, value, line)

    def _part(self, key: str, value: str, line: str) -> None:
        row = self.row()
        # Without the container's name a new State after a Restart Count begins the next one.
        seen = "status" if key == "State" else "limits" if key == "Limits" else ""
        if seen and seen in row and "restarts" in row:
            row = {"lines": {}}
            self.rows.append(row)
        self.part = key
        if key == "Limits":
            row["limits"] = True
        if key == "State":
            row["status"] = value
            row["lines"]["status"] = quoted(line)
        elif key == "Last State" and value:
            row["last_status"] = value

    def _value(self, key: str, value: str, line: str) -> None:
        row, lines = self.row(), self.row()["lines"]
        last = self.part == "Last State"
        if key == "Reason":
            row["last_reason" if last else "reason"] = value
            lines["last_reason" if last else "reason"] = quoted(line)
        elif key == "Exit Code":
            row["exit_code"] = whole(value)
            lines["exit_code"] = quoted(line)
        elif key in {"Started", "Finished"} and (last or row.get("status") == "Terminated"):
            row[key] = _seconds(value)
        elif key == "Restart Count":
            row["restarts"] = whole(value)
            lines["restarts"] = quoted(line)
        elif key == "Ready" and value in {"True", "False"}:
            row["ready"] = value
        elif self.part == "Limits" and key in {"memory", "cpu", "nvidia.com/gpu"}:
            name = {"memory": "memory_limit", "cpu": "cpu_limit"}.get(key, "gpu_limit")
            row[name] = value
            lines[name] = quoted(line)

    def states(self) -> list[ContainerState]:
        found = []
        for row in self.rows:
            begun, ended = row.pop("Started", None), row.pop("Finished", None)
            row.pop("last_status", None)
            row.pop("limits", None)
            if not {"status", "last_reason", "reason", "restarts", "exit_code"} & row.keys():
                continue
            lived = ended - begun if begun is not None and ended is not None else None
            found.append(ContainerState(source="kubectl describe", lived=lived, **row))
        return found


def _seconds(text: str) -> float | None:
    found = _TIME.match(text)
    if found is None or found[2] not in _MONTHS:
        return None
    day, month, year = int(found[1]), _MONTHS.index(found[2]) + 1, int(found[3])
    if not (1 <= day <= 31 and 1970 <= year <= 2200):
        return None
    return float(timegm((year, month, day, int(found[4]), int(found[5]), int(found[6]))))


def _is_pods(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return value.get("kind") in {"Pod", "List", "PodList"} and (
        "status" in value or isinstance(value.get("items"), list)
    )


@tool("kubectl-json", document=_is_pods, commands=("kubectl",))
def kubectl_json(passage: Passage) -> Take | None:
    """Container states of `kubectl get pod -o json`."""
    value = passage.document
    items = value.get("items", [value]) if isinstance(value, dict) else []
    found: list[ContainerState] = []
    for item in items if isinstance(items, list) else []:
        for row in _dig(item, "status", "containerStatuses", list) or []:
            if isinstance(row, dict) and len(found) < MAX_FACTS:
                found.append(_json_state(item, row))
    return Take(software=list(found)) if found else None


def _dig(value: Any, *path: Any) -> Any:
    """A nested value of the wanted type (the last argument), None where it is missing."""
    for name in path[:-1]:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, path[-1]) else None


def _json_state(item: Any, row: dict[str, Any]) -> ContainerState:
    last = (
        _dig(row, "lastState", "terminated", dict) or _dig(row, "state", "terminated", dict) or {}
    )
    waiting = _dig(row, "state", "waiting", dict) or {}
    name = str(row.get("name", ""))[:120]
    code, restarts = last.get("exitCode"), row.get("restartCount")
    limits = [
        _dig(one, "resources", "limits", "memory", str)
        for one in _dig(item, "spec", "containers", list) or []
        if isinstance(one, dict) and one.get("name") == row.get("name")
    ]
    reason = str(waiting.get("reason", ""))[:80]
    last_reason = str(last.get("reason", ""))[:80]
    return ContainerState(
        source="kubectl get",
        name=name,
        status="Waiting" if waiting else "Running" if _dig(row, "state", "running", dict) else "",
        reason=reason,
        last_reason=last_reason,
        exit_code=code if isinstance(code, int) else None,
        restarts=restarts if isinstance(restarts, int) else None,
        ready=str(row.get("ready", "")),
        memory_limit=next((limit for limit in limits if limit), ""),
        lines={"status": f"{name}: {reason} {last_reason}".strip()},
    )
