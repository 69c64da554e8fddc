"""What kubectl, docker and the files of a control group print; None where the text is silent."""

from __future__ import annotations

from weaklink.model.base import Record


class CgroupFiles(Record, frozen=True, tag=True):
    """Files of one control group, of version 1 or 2. Sizes in bytes, `quota` in CPUs."""

    path: str = ""
    limit: float | None = None
    unlimited: bool = False
    """The limit was read, and it is `max` (or v1's largest number)."""
    usage: float | None = None
    peak: float | None = None
    working: float | None = None
    """Anonymous and shared memory: what cannot be dropped."""
    file: float | None = None
    oom_kills: float | None = None
    limit_hits: float | None = None
    swap_limit: float | None = None
    quota: float | None = None
    no_quota: bool = False
    periods: float | None = None
    throttled: float | None = None
    throttled_seconds: float | None = None
    pids: float | None = None
    pids_limit: float | None = None
    frozen: bool = False
    lines: dict[str, str] = {}


class HostMemory(Record, frozen=True, tag=True):
    """/proc/meminfo: always the host's, also when read inside a container. Bytes."""

    total: float | None = None
    free: float | None = None
    available: float | None = None
    swap_total: float | None = None
    swap_free: float | None = None
    lines: dict[str, str] = {}


class KubeEvent(Record, frozen=True, tag=True):
    """One event of Kubernetes."""

    kind: str
    """`Normal` or `Warning`."""
    reason: str
    message: str
    object: str = ""
    count: int = 1
    age: str = ""
    line: str = ""


class ContainerState(Record, frozen=True, tag=True):
    """A container or pod as kubectl or docker tells it."""

    source: str
    """`kubectl describe`, `kubectl get` or `docker inspect`."""
    name: str = ""
    status: str = ""
    """Running, Waiting, Terminated, CrashLoopBackOff, Pending, running, exited …"""
    reason: str = ""
    last_reason: str = ""
    exit_code: int | None = None
    """Of the last end."""
    lived: float | None = None
    """Seconds from the start to the end of the last life."""
    oom_killed: bool | None = None
    restarts: int | None = None
    ready: str = ""
    """`0/1`, `True`, or ''."""
    memory_limit: str = ""
    cpu_limit: str = ""
    gpu_limit: str = ""
    health: str = ""
    health_log: str = ""
    error: str = ""
    started: str = ""
    lines: dict[str, str] = {}


class KubeNode(Record, frozen=True, tag=True):
    """One condition of a node that `kubectl describe node` or `get nodes` prints."""

    node: str
    condition: str
    status: str
    reason: str = ""
    line: str = ""
