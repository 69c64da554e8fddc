"""Containers and pods: why they ended, whether their own probe kills them, why they wait.

Exit code 137 is SIGKILL, and alone no proof of OOM: a failed liveness probe ends the same way. A
health probe can itself be the outage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, known, lasting
from weaklink.locate.view import View
from weaklink.model.fact_text_platform import ContainerState, KubeEvent, KubeNode
from weaklink.model.finding import Finding, Verdict
from weaklink.words import texts

texts(
    {
        "finding.kube.oom": "{name} was killed at its memory limit (OOMKilled)[, limit {limit}]"
        "[, {lived} after its start][, {restarts} restarts]: the limit is too small for it, "
        "whatever the machine has free",
        "finding.kube.crash-loop": "{name} starts and ends again and again (CrashLoopBackOff)"
        "[, {restarts} restarts][, last exit code {code}]: why, its own log of the last life says "
        "(kubectl logs --previous)",
        "finding.kube.probe-loop": "{name} is restarted again and again by its {probe} probe: "
        "{why}",
        "finding.kube.image": "{name} cannot get its image ({status})",
        "finding.kube.pending": "{name} is not running yet ({status})",
        "finding.kube.killed": "{name} ended by SIGKILL (137)[, {restarts} restarts], and not for "
        "memory as far as the text says: a failed liveness probe, or a stop that took too long",
        "finding.kube.ended": "{name} ended with code {code}[ ({meaning})][, {restarts} restarts]",
        "finding.kube.not-ready": "{name} runs but is not ready ({ready})",
        "finding.kube.restarted": "{name} runs, but was restarted {restarts} times",
        "finding.kube.runs": "{name} runs[, ready {ready}][, {restarts} restarts]",
        "finding.kube.unhealthy": "{name} is unhealthy by its own check[: {log}]",
        "finding.kube.error": "{name} did not start: {error}",
        "finding.probe.wrong-path": "its own {probe} probe gets {code}: the path is wrong or not "
        "there (yet), and the server answered; the probe itself stops it[ ({count} times)]",
        "finding.probe.refused": "the {probe} probe is refused[ {count} times]: the server does "
        "not listen yet; if it only needs longer to load its model, the probe gives up too early",
        "finding.probe.timeout": "the {probe} probe gets no answer in time[ {count} times]: it is "
        "busy, hung, or the probe's timeout is shorter than a busy step",
        "finding.probe.failed": "the {probe} probe fails[ {count} times]: {why}",
        "finding.event.scheduling": "it finds no node: {message}",
        "finding.event.mount": "a volume is not mounted: {message}",
        "finding.event.image": "its image cannot be pulled: {message}",
        "finding.event.evicted": "it was evicted: {message}",
        "finding.event.oom": "a process was killed at its container's memory limit: {message}",
        "finding.event.node-oom": "the node itself ran out of memory: {message}",
        "finding.event.node": "its node is in trouble: {message}",
        "finding.event.sandbox": "its network or sandbox could not be made: {message}",
        "finding.event.backoff": "it ends again and again; Kubernetes waits between the tries",
        "finding.event.warning": "{reason}: {message}",
        "finding.event.quiet": "{count} events, none of them a warning",
        "finding.node.not-ready": "node {node} is {status}",
        "finding.node.pressure": "node {node} has {condition}",
    }
)
SIGNALS = {
    126: "cannot be executed",
    127: "not found",
    132: "illegal instruction",
    134: "abort",
    135: "bus error",
    139: "segmentation fault",
    143: "SIGTERM: it was asked to stop",
}
EVENTS: dict[str, tuple[str, Verdict, str, str]] = {
    "FailedScheduling": ("scheduling", "critical", "", "kubectl describe node: free, taints"),
    "FailedMount": ("mount", "critical", "", "the volume and its node plugin"),
    "FailedAttachVolume": ("mount", "critical", "", "the volume and its node plugin"),
    "Evicted": ("evicted", "critical", "", "kubectl describe node: pressure"),
    "OOMKilling": ("node-oom", "critical", "oom-killed", "dmesg on the node: whose limit it was"),
    "SystemOOM": ("node-oom", "critical", "oom-killed", "dmesg on the node"),
    "NodeNotReady": ("node", "critical", "", "kubelet on that node"),
    "FailedCreatePodSandBox": ("sandbox", "critical", "", "the network plugin on that node"),
    "BackOff": ("backoff", "critical", "worker-crash-loop", "kubectl logs --previous"),
}  # fmt: skip
_PROBE = re.compile(r"(Liveness|Readiness|Startup) probe (?:failed|errored)", re.IGNORECASE)
_KILLING = re.compile(r"failed (liveness|startup) probe")
_CODE = re.compile(r"statuscode: (\d{3})")
MANY_RESTARTS = 5


@look("container")
def containers(view: View) -> Iterable[Judged]:
    """Containers, pods and nodes."""
    said = Said(view, "container", "container")
    events = [fact for fact in view.case.software if isinstance(fact, KubeEvent)]
    killer = _killer(events)
    states = [fact for fact in view.case.software if isinstance(fact, ContainerState)]
    worse: list[Finding] = []
    for fact in states:
        worse += _judge(said, fact, killer)
    bad = [one for one in worse if one.verdict != "healthy"]
    told = [*(bad or worse[:1]), *_events(said, events), *_nodes(said, view)]
    if any(one.verdict not in {"healthy", "unknown"} for one in told):
        told = [one for one in told if one.verdict != "healthy"]
    yield from told


def _killer(events: list[KubeEvent]) -> KubeEvent | None:
    """The event of a probe that ends containers: liveness, or a startup probe that failed."""
    probes = [one for one in events if (found := _PROBE.search(one.message))
              and found[1].lower() != "readiness"]  # fmt: skip
    return max(probes, key=lambda one: one.count, default=None)


def _judge(said: Said, fact: ContainerState, killer: KubeEvent | None) -> Iterator[Finding]:
    name = fact.name or "the container"
    lines = fact.lines
    status = f"{fact.status} {fact.reason}"
    restarts = str(fact.restarts) if fact.restarts else ""
    if "OOMKilled" in (fact.last_reason, fact.reason, fact.status) or fact.oom_killed:
        yield said.finding(
            "critical",
            "finding.kube.oom",
            name,
            lines.get("last_reason") or lines.get("reason") or lines.get("oom_killed")
            or lines.get("status", ""),
            lines.get("memory_limit", ""),
            cause="oom-killed",
            sure=0.95,
            next="raise the limit, or let it use less (workers, cache, batch); then its peak",
            name=name,
            more=known(
                limit=fact.memory_limit,
                lived=lasting(fact.lived) if fact.lived is not None and fact.lived > 0 else "",
                restarts=restarts,
            ),
        )  # fmt: skip
    elif "CrashLoopBackOff" in status:
        yield _crash_loop(said, fact, name, killer)
    elif any(word in status for word in ("ImagePullBackOff", "ErrImagePull", "InvalidImageName")):
        yield said.finding(
            "critical", "finding.kube.image", name, lines.get("status", ""), sure=0.95,
            next="kubectl describe pod: the event's message", name=name, status=status.strip(),
        )  # fmt: skip
    elif fact.error:
        yield said.finding(
            "critical", "finding.kube.error", name, lines.get("status", ""), sure=0.9,
            name=name, error=fact.error,
        )  # fmt: skip
    elif fact.health == "unhealthy":
        yield said.finding(
            "critical", "finding.kube.unhealthy", name, lines.get("status", ""),
            cause="worker-frozen", sure=0.6, next="that check by hand; is the process busy or hung",
            name=name, more=known(log=fact.health_log),
        )  # fmt: skip
    else:
        yield _state(said, fact, name, status, restarts)


def _crash_loop(
    said: Said, fact: ContainerState, name: str, killer: KubeEvent | None
) -> Finding:  # fmt: skip
    line = fact.lines.get("status", "")
    if killer is not None and (probe := _PROBE.search(killer.message)):
        return said.finding(
            "critical", "finding.kube.probe-loop", name, line, killer.line,
            cause="worker-crash-loop", sure=0.8,
            next="kubectl logs --previous: still loading, or failed? lengthen the startup probe",
            name=name, probe=probe[1].lower(), why=_why(killer.message),
        )  # fmt: skip
    return said.finding(
        "critical", "finding.kube.crash-loop", name, line, fact.lines.get("exit_code", ""),
        cause="worker-crash-loop", sure=0.85, next="kubectl logs --previous; kubectl describe pod",
        name=name,
        more=known(
            restarts=str(fact.restarts) if fact.restarts else "",
            code=str(fact.exit_code) if fact.exit_code is not None else "",
        ),
    )  # fmt: skip


def _why(message: str) -> str:
    if code := _CODE.search(message):
        return f"it gets {code[1]}, so its path is wrong or not there yet"
    if "connection refused" in message:
        return "nothing listens yet when the probe gives up (a model that still loads?)"
    if "timeout" in message or "deadline exceeded" in message or "Timeout" in message:
        return "it gets no answer in time"
    return message.partition(": ")[2][:160] or "it fails"


def _state(
    said: Said, fact: ContainerState, name: str, status: str, restarts: str
) -> Finding:  # fmt: skip
    line = fact.lines.get("status", "")
    code = fact.exit_code
    running = fact.status.lower() in {"running", "up"}
    ended = fact.status.lower() in {"exited", "terminated", "error", "restarting", "dead"}
    more = known(restarts=restarts, ready=fact.ready)
    if code == 137 and (ended or fact.restarts):
        return said.finding(
            "critical", "finding.kube.killed", name, fact.lines.get("exit_code", "") or line,
            cause="worker-crash-loop", sure=0.6,
            next="kubectl get events: probe failed? dmesg on the node: an OOM line?", name=name,
            more=more,
        )  # fmt: skip
    if code not in {None, 0} and (ended or fact.restarts):
        return said.finding(
            "warn" if code == 143 else "critical", "finding.kube.ended", name,
            fact.lines.get("exit_code", "") or line, cause="worker-crash-loop", sure=0.7,
            next="its log of the last life (logs --previous)", name=name, code=code or 0,
            more=more | known(meaning=SIGNALS.get(code or 0, "")),
        )  # fmt: skip
    if not running and status.strip() not in {"Completed", "Succeeded", ""}:
        return said.finding(
            "warn", "finding.kube.pending", name, line, sure=0.7, next="kubectl describe pod",
            name=name, status=status.strip(),
        )  # fmt: skip
    have, _, want = fact.ready.partition("/")
    if fact.ready == "False" or (want and have != want and running):
        return said.finding(
            "warn", "finding.kube.not-ready", name, line, sure=0.8,
            next="kubectl describe pod: the readiness probe", name=name, ready=fact.ready,
        )  # fmt: skip
    if fact.restarts and fact.restarts >= MANY_RESTARTS:
        return said.finding(
            "warn", "finding.kube.restarted", name, line or fact.lines.get("restarts", ""),
            cause="worker-crash-loop", sure=0.6, next="kubectl describe pod: Last State", name=name,
            more=more,
        )  # fmt: skip
    return said.finding("healthy", "finding.kube.runs", name, line, sure=0.6, name=name, more=more)


def _events(said: Said, events: list[KubeEvent]) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    found = False
    for event in events:
        one = _event(said, event, events)
        if one is None:
            continue
        found = True
        key = (one.message.key, str(one.message.args.get("probe", event.message[:60])))
        if key not in seen:
            seen.add(key)
            yield one
    if events and not found:
        yield said.finding(
            "healthy", "finding.event.quiet", "-", events[-1].line, sure=0.5, count=len(events)
        )


def _event(said: Said, event: KubeEvent, events: list[KubeEvent]) -> Finding | None:
    name = event.object or "-"
    if probe := _PROBE.search(event.message):
        return _probe(said, event, probe[1].lower(), events)
    if event.kind != "Warning" and event.reason not in {"BackOff"}:
        return None
    if event.reason in EVENTS:
        key, verdict, cause, after = EVENTS[event.reason]
        if event.reason == "OOMKilling" and "cgroup" in event.message:
            # The node's problem detector reports the kills of any group under this name.
            key, after = "oom", "the container's memory limit against what it needs"
        if event.reason == "BackOff" and "image" in event.message:
            key, cause, after = "image", "", "kubectl describe pod"
    elif "pull" in event.message.lower() and "image" in event.message.lower():
        key, verdict, cause, after = "image", "critical", "", "the registry and its secret"
    else:
        key, verdict, cause, after = "warning", "warn", "", ""
    return said.finding(
        verdict, f"finding.event.{key}", name, event.line, cause=cause, sure=0.8, next=after,
        message=event.message[:240], reason=event.reason,
    )  # fmt: skip


def _probe(said: Said, event: KubeEvent, probe: str, events: list[KubeEvent]) -> Finding:
    kills = probe == "liveness" or (probe == "startup" and event.count > 1)
    kills = kills or any(
        (found := _KILLING.search(one.message)) and found[1] == probe for one in events
    )
    code = _CODE.search(event.message)
    text = event.message.lower()
    key, after = "failed", "that probe by hand, from the node"
    if code and code[1] in {"404", "401", "403", "405", "301", "302"}:
        key, after = "wrong-path", "fix the probe's path (or what it must send)"
    elif "connection refused" in text:
        key, after = "refused", "how long it loads; a startup probe with failureThreshold x period"
    elif "timeout" in text or "deadline exceeded" in text:
        key, after = (
            "timeout",
            "progress counters; a longer timeoutSeconds; probe off the busy path",
        )
    return said.finding(
        "critical" if kills else "warn",
        f"finding.probe.{key}",
        event.object or "-",
        event.line,
        cause="worker-crash-loop",
        sure=0.8,
        next=after,
        probe=probe,
        code=code[1] if code else "?",
        why=_why(event.message) if not code else f"HTTP {code[1]}",
        more={"count": event.count} if event.count > 1 else {},
    )


def _nodes(said: Said, view: View) -> Iterator[Finding]:
    for fact in view.case.software:
        if not isinstance(fact, KubeNode):
            continue
        if fact.condition == "Ready" and fact.status.startswith(("NotReady", "False", "Unknown")):
            yield said.finding(
                "critical", "finding.node.not-ready", fact.node, fact.line, sure=0.9,
                next="kubectl describe node; the kubelet's log there", node=fact.node,
                status=f"not ready ({fact.reason or fact.status})",
            )  # fmt: skip
        elif fact.condition != "Ready" and fact.status == "True":
            yield said.finding(
                "critical", "finding.node.pressure", fact.node, fact.line,
                cause="disk-full" if fact.condition == "DiskPressure" else "", sure=0.85,
                next="df -h, free -m on that node", node=fact.node, condition=fact.condition,
            )  # fmt: skip
