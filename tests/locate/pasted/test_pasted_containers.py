"""Containers in pasted text: kubectl describe, get and events, docker inspect and ps."""

from __future__ import annotations

import json

import pytest

from weaklink.testing.pasted import read_pasted, said

DESCRIBE = (
    "Name:             gen-0\n"
    "Namespace:        ai\n"
    "Containers:\n"
    "  server:\n"
    "    State:          {state}\n"
    "    Last State:     Terminated\n"
    "      Reason:       {reason}\n"
    "      Exit Code:    {code}\n"
    "      Started:      Mon, 02 Mar 2026 10:00:00 +0000\n"
    "      Finished:     Mon, 02 Mar 2026 10:00:09 +0000\n"
    "    Ready:          False\n"
    "    Restart Count:  {restarts}\n"
    "    Limits:\n"
    "      memory:  512Mi\n"
)
PROBE = "  Warning  Unhealthy  9m (x9 over 20m)  kubelet  {probe} probe failed: {why}\n"


def describe(
    state: str = "Running", reason: str = "Error", code: int = 1, restarts: int = 6
) -> str:
    return DESCRIBE.format(state=state, reason=reason, code=code, restarts=restarts)


def test_a_container_at_its_limit_is_told_with_limit_and_life() -> None:
    first = read_pasted(describe(reason="OOMKilled", code=137)).findings[0]
    assert (first.verdict, first.cause) == ("critical", "oom-killed")
    assert "512Mi" in first.text
    assert "9 s after its start" in first.text
    assert "6 restarts" in first.text


def test_137_alone_is_no_oom() -> None:
    reading = read_pasted(describe(reason="Error", code=137))
    assert reading.verdict == "critical"
    assert {one.cause for one in reading.findings} == {"worker-crash-loop"}
    assert "not for memory as far as the text says" in reading.findings[0].text


@pytest.mark.parametrize(
    ("probe", "why", "verdict", "words"),
    [
        ("Liveness", "HTTP probe failed with statuscode: 404", "critical", "wrong or not there"),
        ("Startup", "dial tcp 10.0.0.1:80: connect: connection refused", "critical", "not listen"),
        ("Liveness", "context deadline exceeded", "critical", "no answer in time"),
        ("Readiness", "HTTP probe failed with statuscode: 503", "warn", "HTTP 503"),
    ],
)
def test_a_health_probe_can_itself_be_the_outage(
    probe: str, why: str, verdict: str, words: str
) -> None:
    reading = read_pasted(PROBE.format(probe=probe, why=why))
    assert reading.verdict == verdict
    assert words in reading.findings[0].text


PODS = "NAME          READY   STATUS             RESTARTS        AGE\n"


def test_a_crash_loop_beside_a_failing_probe_is_the_probes_doing() -> None:
    text = PODS + "gen-0         0/1     CrashLoopBackOff   9 (1m ago)      30m\n"
    assert "its own log of the last life" in said(text)
    text += PROBE.format(probe="Startup", why="dial tcp 10.0.0.1:80: connect: connection refused")
    assert "by its startup probe" in said(text)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("gen-0         1/1     Running            0               30m", "healthy"),
        ("gen-0         1/2     Running            0               30m", "warn"),
        ("gen-0         1/1     Running            41 (2m ago)     3d", "warn"),
        ("gen-0         0/1     OOMKilled          2 (9s ago)      3d", "critical"),
        ("gen-0         0/1     ImagePullBackOff   0               3m", "critical"),
        ("gen-0         0/1     Pending            0               3m", "warn"),
        ("gen-0         0/1     Completed          0               3m", "healthy"),
    ],
)
def test_rows_of_pods(row: str, verdict: str) -> None:
    assert read_pasted(f"{PODS}{row}\n").verdict == verdict


def test_events_without_a_warning_are_quiet() -> None:
    head = "LAST SEEN   TYPE      REASON      OBJECT      MESSAGE\n"
    calm = "5m          Normal    Scheduled   pod/gen-0   Successfully assigned ai/gen-0 to n1\n"
    assert read_pasted(head + calm).verdict == "healthy"
    none = "2m          Warning   FailedScheduling   pod/gen-1   0/3 nodes are available: 3 "
    assert read_pasted(f"{head}{calm}{none}Insufficient nvidia.com/gpu.\n").verdict == "critical"


def test_a_node_that_is_not_ready() -> None:
    text = (
        "NAME   STATUS     ROLES    AGE   VERSION\n"
        "n1     Ready      <none>   90d   v1.29.1\n"
        "n2     NotReady   <none>   90d   v1.29.1\n"
    )
    assert "node n2 is not ready" in said(text)


def inspect(**state: object) -> str:
    value = {"Status": "exited", "OOMKilled": False, "ExitCode": 0, "Error": ""} | state
    return json.dumps(
        [{"Id": "a", "Name": "/gen", "RestartCount": 1, "State": value,
          "HostConfig": {"Memory": 1 << 31}}], indent=4
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "verdict", "cause"),
    [
        ({"OOMKilled": True, "ExitCode": 137}, "critical", "oom-killed"),
        ({"ExitCode": 137}, "critical", "worker-crash-loop"),
        ({"ExitCode": 139}, "critical", "worker-crash-loop"),
        ({"ExitCode": 143}, "warn", "worker-crash-loop"),
        ({"Status": "running"}, "healthy", ""),
        ({"Status": "running", "Health": {"Status": "unhealthy"}}, "critical", "worker-frozen"),
    ],
)
def test_docker_inspect(state: dict[str, object], verdict: str, cause: str) -> None:
    reading = read_pasted(inspect(**state))
    assert (reading.verdict, reading.findings[0].cause) == (verdict, cause)


def test_the_same_from_kubectls_json() -> None:
    pod = {
        "kind": "Pod",
        "spec": {"containers": [{"name": "s", "resources": {"limits": {"memory": "1Gi"}}}]},
        "status": {
            "containerStatuses": [
                {
                    "name": "s",
                    "restartCount": 3,
                    "ready": False,
                    "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                    "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
                }
            ]
        },
    }
    assert "limit 1Gi" in said(json.dumps(pod, indent=2))


def test_a_kill_in_a_group_is_not_the_nodes_memory() -> None:
    text = (
        "LAST SEEN   TYPE      REASON       OBJECT     MESSAGE\n"
        "2m          Warning   OOMKilling   node/n1    Memory cgroup out of memory: Killed process "
        "41 (python) total-vm:900kB\n"
    )
    first = read_pasted(text).findings[0]
    assert first.cause == "oom-killed"
    assert "its container's memory limit" in first.text
    system = text.replace("Memory cgroup out", "System ran out").replace("OOMKilling", "SystemOOM ")
    assert "the node itself" in said(system)
