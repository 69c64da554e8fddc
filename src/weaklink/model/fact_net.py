"""The network as its tools print it: links, routes, neighbours, protocol counters, pings."""

from __future__ import annotations

from weaklink.model.base import Record


class Nic(Record, frozen=True, tag=True):
    """One network interface. `counters` are cumulative, by the tool's own names."""

    name: str
    up: bool | None = None
    """Set up by the administrator."""
    carrier: bool | None = None
    """A live partner at the other end (`Link detected`, LOWER_UP)."""
    speed: float | None = None
    """Bits per second."""
    speed_best: float | None = None
    """The fastest that it offers, bits per second."""
    duplex: str = ""
    mtu: int | None = None
    counters: dict[str, int] = {}
    lines: dict[str, str] = {}
    tool: str = ""
    master: str = ""
    kind: str = ""


class Address(Record, frozen=True, tag=True):
    """An address of an interface, `10.0.0.5/24`; `state` such as `tentative` or `dadfailed`."""

    device: str
    address: str
    state: str = ""
    line: str = ""


class RouteEntry(Record, frozen=True, tag=True):
    """One route. `kind` unicast, unreachable, blackhole, prohibit, throw, local, broadcast …"""

    destination: str
    """`default`, an address or a prefix."""
    device: str = ""
    via: str = ""
    metric: int | None = None
    table: str = "main"
    kind: str = "unicast"
    source: str = ""
    family: int = 4
    scope: str = ""
    protocol: str = ""
    flags: list[str] = []
    """`linkdown`, `dead`, `onlink`; or the letters of `route -n`."""
    line: str = ""


class RouteAnswer(Record, frozen=True, tag=True):
    """What `ip route get` said: which way a packet to this address would leave."""

    destination: str
    device: str = ""
    via: str = ""
    source: str = ""
    error: str = ""
    line: str = ""


class PolicyRule(Record, frozen=True, tag=True):
    """One line of `ip rule`."""

    priority: int
    selector: str
    table: str
    action: str = "lookup"
    line: str = ""


class Neighbour(Record, frozen=True, tag=True):
    """One entry of the neighbour table; `state` upper case, '' where the tool does not say."""

    address: str
    device: str
    mac: str = ""
    state: str = ""
    line: str = ""


class NetCounters(Record, frozen=True, tag=True):
    """Protocol counters since boot (`netstat -s`, `nstat`), by the kernel's names."""

    counters: dict[str, int]
    lines: dict[str, str] = {}
    tool: str = "netstat"


class SocketRow(Record, frozen=True, tag=True):
    """One socket as `ss` or `netstat` lists it. `unread` and `unsent` are Recv-Q and Send-Q."""

    state: str
    local: str
    remote: str
    protocol: str = "tcp"
    unread: int = 0
    unsent: int = 0
    owner: str = ""
    retransmits_now: int | None = None
    retransmits: int | None = None
    bytes_sent: int | None = None
    segments_out: int | None = None
    rtt: float | None = None
    congestion_window: int | None = None
    line: str = ""
    line2: str = ""


class SocketCount(Record, frozen=True, tag=True):
    """How many sockets of one state, to one remote address where the text says so."""

    state: str
    count: int
    remote: str = ""
    line: str = ""


class Ping(Record, frozen=True, tag=True):
    """What pinging one address gave; loss 0 to 1, times in seconds."""

    target: str
    sent: int | None = None
    received: int | None = None
    loss: float | None = None
    rtt_average: float | None = None
    rtt_maximum: float | None = None
    rtt_deviation: float | None = None
    duplicates: int = 0
    error: str = ""
    """`unreachable-host`, `unreachable-net`, `general-failure`, `no-permission`, `unknown-name`."""
    line: str = ""
    line2: str = ""


class NetError(Record, frozen=True, tag=True):
    """An error text of a network call: `Cannot assign requested address` and the like."""

    kind: str
    """The errno's name, upper case: `EADDRNOTAVAIL`, `ENETUNREACH`, `EHOSTUNREACH` …"""
    remote: str = ""
    line: str = ""


class Way(Record, frozen=True, tag=True):
    """How packets from one network namespace to one real destination of the chain would leave.

    The kernel's own answers, asked from inside that namespace: its route lookup, the state of the
    neighbour that is the next hop, and the interface by which it goes.
    """

    netns: str
    destination: str
    """An IP address without a port."""
    process: str = ""
    """Key of a process that calls it."""
    device: str = ""
    via: str = ""
    source: str = ""
    table: int = 0
    kind: str = ""
    """`unicast`, `local` …; '' where there is no way."""
    error: str = ""
    """The errno's name: ENETUNREACH (no route), EHOSTUNREACH, EACCES, EINVAL (blackhole)."""
    next_hop: list[str] = []
    """States of the next hop's neighbour entry, one a look; '' where there was no entry."""
    mac: str = ""
    entries: list[str] = []
    """Other addresses that this namespace knows under the same MAC on the same interface."""
    up: bool | None = None
    carrier: bool | None = None
    mtu: int = 0
    home: list[str] = []
    """Interfaces whose own network holds the destination."""
    home_down: list[str] = []
    """Those of them that are set down or have no live partner at the other end."""
    at: float = 0.0


class NetRoom(Record, frozen=True, tag=True):
    """What one network namespace has left: local ports for new connections, tracked connections."""

    netns: str
    process: str = ""
    """Key of a process that lives in it."""
    port_low: int = 0
    port_high: int = 0
    """The range that the kernel takes local ports of new connections from; 0 where unknown."""
    destination: str = ""
    """`ip:port` to which most of them are taken."""
    ports_used: int = 0
    """Ports of the range taken towards it, TIME_WAIT included."""
    time_wait: int = 0
    """Those of them in TIME_WAIT."""
    tracked: int | None = None
    """Connections in the table of nf_conntrack."""
    tracked_most: int | None = None
    dropped: int | None = None
    """Packets that it dropped for want of room in the window."""
    at: float = 0.0
