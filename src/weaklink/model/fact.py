"""What is, as structured data. A fact holds no judgement and no rate, only what was read once."""

from __future__ import annotations

from weaklink.model.base import Record


class Host(Record, frozen=True):
    """The machine that was looked at. `frozen` is True where a folder was read instead."""

    name: str
    boot: float
    """When it started, epoch seconds."""
    cpus: int
    memory_bytes: float
    kernel: str = ""
    utc_offset: int = 0
    """Of its local time, seconds."""
    privileged: bool = False
    frozen: bool = False
    clock_ticks: int = 100
    page_bytes: int = 4096


class Process(Record, frozen=True):
    """One process, known by (pid, start). `command` is argv, redacted; `cgroup` by controller."""

    key: str
    pid: int
    start_ticks: int
    start: float
    ppid: int
    name: str
    state: str
    session: int = 0
    """Session id: a child that left its parent's session lives a life of its own."""
    command: list[str] = []
    exe: str = ""
    uid: int = -1
    nice: int = 0
    threads: int = 1
    netns: str = "-"
    cgroup: dict[str, str] = {}
    root: str = "/"
    waits_in: str = ""
    """The kernel function that its main thread sleeps in (wchan), where readable."""
    libraries: list[str] = []
    """Tags of mapped libraries that tell what it does: cuda, torch, onnxruntime, av, java …"""
    python: bool = False
    kernel_thread: bool = False


class Thread(Record, frozen=True):
    """One thread of a process that is on the chain; CPU seconds are cumulative."""

    process: str
    tid: int
    name: str
    state: str
    at: float
    cpu_seconds: float
    waits_in: str = ""
    """The kernel function that it sleeps in (wchan), where readable: futex_do_wait for a lock."""


class Listener(Record, frozen=True):
    """A listening socket: `address` is `ip:port`, `[ip6]:port` or `unix:/path`."""

    address: str
    netns: str
    pids: list[int] = []
    waiting: int = 0
    """Connections in the accept queue now."""
    backlog: int = 0
    inode: int = 0


class Connection(Record, frozen=True):
    """One established connection as one end sees it; ages in seconds, None where unknown."""

    local: str
    remote: str
    netns: str
    pid: int = 0
    """0 where unknown. Established with pid and inode 0: it waits in its listener's queue."""
    state: str = "established"
    unread: int = 0
    """Bytes received that the process has not read (Recv-Q)."""
    unsent: int = 0
    sent_age: float | None = None
    received_age: float | None = None
    rtt: float | None = None
    retransmits: int = 0
    inode: int = 0
    at: float = 0.0
    bytes_received: int | None = None
    """Since the connection was made; None where the kernel was not asked (no netlink)."""
    bytes_sent: int | None = None
    """Of it, those that the other end acknowledged."""

    @property
    def owed_age(self) -> float | None:
        """Seconds since something came in that nothing was sent after; None if nothing is owed.

        At the end that serves: a request that waits for its answer.
        """
        if self._silent(self.bytes_received, self.bytes_sent):
            return self.received_age
        return _open_since(self, self.received_age, self.sent_age)

    @property
    def awaited_age(self) -> float | None:
        """Seconds since something was sent that nothing came after; None if nothing is awaited.

        At the end that calls: a request that it waits for.
        """
        if self._silent(self.bytes_sent, self.bytes_received):
            return self.sent_age
        return _open_since(self, self.sent_age, self.received_age)

    def _silent(self, one: int | None, other: int | None) -> bool:
        """Whether bytes went one way and none ever the other: the first request is still open.

        On a connection this young both ages count from its making and are the same. The kernel
        counts the handshake as one byte of what was acknowledged.
        """
        known = one is not None and other is not None and self.state == "established"
        return known and (one or 0) > 1 and (other or 0) <= 1


def _open_since(connection: Connection, last: float | None, other: float | None) -> float | None:
    if connection.state != "established" or last is None or other is None or last >= other:
        return None
    return last


class UpstreamMember(Record, frozen=True):
    """One `server` of an upstream as configured."""

    address: str
    name: str = ""
    """What its proxy calls it in its own log, where that is not the address."""
    max_fails: int = 1
    fail_timeout: float = 10.0
    down: bool = False
    backup: bool = False
    weight: int = 1


class Upstream(Record, frozen=True):
    """A group of servers that a proxy passes requests to, as its configuration files say."""

    owner: str
    """Process key of the proxy's master."""
    name: str
    members: list[UpstreamMember]
    policy: str = "round-robin"
    file: str = ""
    keepalive: int = 0


class ProxyLocation(Record, frozen=True):
    """One location of a virtual server that passes requests on; `limits` as they are written."""

    match: str
    passes: str
    read_timeout: float = 60.0
    connect_timeout: float = 60.0
    limits: list[str] = []


class ProxyServer(Record, frozen=True):
    """One virtual server of a proxy: where it listens and which upstreams it passes to."""

    owner: str
    listen: list[str]
    passes: list[str] = []
    """Names of upstreams or literal addresses."""
    logs: list[str] = []
    read_timeout: float = 60.0
    file: str = ""
    names: list[str] = []
    """Host names that it answers to (`server_name`)."""
    locations: list[ProxyLocation] = []
    kind: str = "http"
    """`http` or `stream`."""
    tls: bool = False


class LogFile(Record, frozen=True):
    """A log that a process writes. `format` names how to read it; '' for unknown."""

    owner: str
    path: str
    kind: str
    """`access` or `error`."""
    format: str = "combined"
    """The pattern of the log's lines as the proxy's configuration gives it, or a known name."""
    bytes: int = 0
    modified: float = 0.0
    key: str = ""
    """Target key of the log: the `source` of the Requests read from it."""
    servers: dict[str, str] = {}
    """Address of each server by the name that the log has for it, where it writes no addresses."""
    same_as: str = ""
    """Path of a log that gets the same lines and tells more: then this one is not read."""


class ConfigFile(Record, frozen=True):
    """A file that decides how a process behaves; `modified` after the owner's start is a change."""

    owner: str
    path: str
    modified: float
    kind: str = "config"
    loaded: float = 0.0
    """When the running process last read it, where known (its start or its last reload)."""


class Frame(Record, frozen=True):
    """One frame, innermost first in a stack. `origin` is the package that the file belongs to."""

    function: str
    file: str
    line: int
    origin: str = ""


class StackThread(Record, frozen=True):
    """One thread's stack at one moment; `running` is True where it was on a CPU or wanted one."""

    tid: int
    name: str
    running: bool
    holds_gil: bool = False
    frames: list[Frame] = []


class Stack(Record, frozen=True):
    """All Python threads of one process at one moment."""

    process: str
    at: float
    threads: list[StackThread]
    runtime: str = "python"
    title: str = ""
    """What a pasted dump calls the process."""


class CpuSamples(Record, frozen=True):
    """Where one process's CPU goes: samples by mapped library, its kernel time apart.

    Names are those of mapped files without version (`libavcodec`; the program itself too:
    `python3`, `ffmpeg`); `[jit]` is code without a file, `?` what no file holds any more. `hertz`
    samples a second would be one CPU in full. `kernel` is 0 as well where it may not be sampled.
    """

    process: str
    at: float
    hertz: float
    seconds: float
    samples: int
    kernel: int = 0
    libraries: dict[str, int] = {}


class Mount(Record, frozen=True):
    """A mounted file system; sizes in bytes, -1 where it did not answer."""

    path: str
    device: str
    kind: str
    major_minor: str = ""
    size: float = -1
    free: float = -1
    inodes: float = -1
    inodes_free: float = -1
    read_only: bool = False


class Device(Record, frozen=True):
    """A block device. `rotational` tells a spinning disk from flash, None where unknown."""

    key: str
    name: str
    major_minor: str
    rotational: bool | None = None
    holders: list[str] = []


class Cgroup(Record, frozen=True):
    """A control group that processes of the chain live in; limits None where there is none."""

    key: str
    path: str
    version: int
    cpu_quota: float | None = None
    """CPUs that it may use, for example 0.5."""
    memory_limit: float | None = None
    frozen: bool = False
    pids: list[int] = []


class Keyspace(Record, frozen=True):
    """A sample of a cache's keys of one prefix; `ttls` in seconds, persistent keys left out."""

    cache: str
    """Link or process key of the cache."""
    key: str
    prefix: str
    sampled: int
    ttls: list[float] = []
    at: float = 0.0
    examples: list[str] = []
    """At most three key names, redacted."""


class SlowCommand(Record, frozen=True):
    """One entry of a cache's own slow log; arguments redacted."""

    cache: str
    at: float
    duration: float
    command: str
    client: str = ""
    number: int = 0
    line: str = ""
    """The line that names the command, where it was read from a text."""


class ProbeAnswer(Record, frozen=True):
    """What one GET of ours got. `status` is 0 where no answer came; times in seconds."""

    url: str
    link: str
    at: float
    duration: float
    status: int
    error: str = ""
