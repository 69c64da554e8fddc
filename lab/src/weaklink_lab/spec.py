"""What one service looks like: members, addresses, routes, limits, traffic; plain data."""

from dataclasses import dataclass
from typing import Literal

Role = Literal[
    "front",
    "gateway",
    "balancer",
    "worker",
    "cache",
    "client",
    "ops",
    "orchestrator",
    "consumer",
    "store",
    "vector",
    "llm",
]
Balancing = Literal["nginx", "gateway"]
LogStyle = Literal["json", "text", "combined"]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the service: a network namespace and cgroups of its own, like a pod."""

    role: Role
    name: str
    ip: str
    port: int

    @property
    def address(self) -> str:
        """Give its listen address, `ip:port`."""
        return f"{self.ip}:{self.port}"


@dataclass(frozen=True, slots=True)
class Routes:
    """Paths users ask for; `preview` is cached, `analyze` never, `jobs` needs no worker."""

    preview: str
    analyze: str
    jobs: str
    events: str
    videos: str = "/videos"
    ask: str = "/ask"


@dataclass(frozen=True, slots=True)
class Passive:
    """How the balancer judges a member from its failures; `max_fails` 0: it never does."""

    max_fails: int
    fail_timeout: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """What users do, in shares of all requests; `zipf` is the exponent over the preview ids."""

    rate: float
    preview_share: float
    analyze_share: float
    submit_share: float
    new_share: float
    """Share of previews that are of a video nobody asked for before: always a miss."""
    hot_share: float
    """Share of previews that are of one video, besides its place in the mix."""
    zipf: float
    ask_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a miss costs: frames decoded of the clip, slots a member, decoder threads a slot."""

    frames: int
    slots: int
    threads: int
    analyze_frames: int
    accelerator_seconds: float
    """SIMULATED: how long a slot waits for a model on an accelerator that is not there."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One service, drawn from a seed; nothing in it depends on the machine."""

    seed: int
    root: str
    """Name of the cgroup that holds the members' cgroups."""
    neighbour: str
    """Name of a cgroup beside it, for what shares the node with the service."""
    hub: str
    """Name of the namespace that holds the bridge."""
    prefix_length: int
    members: tuple[Member, ...]
    routes: Routes
    key_prefix: str
    ids: int
    id_base: int
    ttl: int
    balancing: Balancing
    passive: Passive
    front_timeout: int
    balancer_timeout: int
    log_style: LogStyle
    log_seed: int
    traffic: Traffic
    rendering: Rendering
    store_volume: bool = False
    """Whether the store keeps its objects on a small volume of its own."""

    def of(self, role: Role) -> tuple[Member, ...]:
        """Give the members of a role, in order."""
        return tuple(member for member in self.members if member.role == role)

    def has(self, role: Role) -> bool:
        """Tell whether the service has a member of a role."""
        return bool(self.of(role))

    def one(self, role: Role) -> Member:
        """Give the only (or first) member of a role."""
        return self.of(role)[0]

    def key(self, video: str) -> str:
        """Give the cache key of a video's preview."""
        return f"{self.key_prefix}:{video}"

    def video(self, number: int) -> str:
        """Give the public id of the n-th video."""
        return f"v{self.id_base + number}"
