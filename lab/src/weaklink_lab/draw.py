"""Names, addresses, routes and limits drawn from a seed, so that nothing can be known by heart."""

import random
from dataclasses import dataclass, replace

from weaklink_lab.parts_of import roles
from weaklink_lab.spec import (
    Balancing,
    LogStyle,
    Member,
    Passive,
    Rendering,
    Role,
    Routes,
    Spec,
    Traffic,
)

NAMES: dict[Role, tuple[str, ...]] = {
    "front": ("edge", "ingress", "www", "front"),
    "gateway": ("api", "portal", "gw", "bff"),
    "balancer": ("pool", "spread", "mesh", "relay"),
    "worker": ("render", "frames", "vision", "clipper"),
    "cache": ("kv", "cache", "store", "mem"),
    "client": ("users", "crowd", "visitors"),
    "ops": ("batch", "cron", "toolbox"),
    "orchestrator": ("director", "studio", "planner"),
    "consumer": ("maker", "runner", "forge"),
    "store": ("blob", "bucket", "depot"),
    "vector": ("recall", "lookup", "texts"),
    "llm": ("chat", "writer", "brain"),
}
PREVIEW = ("/v1/preview", "/api/poster", "/media/thumb", "/v2/still")
ANALYZE = ("/v1/analyze", "/api/scenes", "/v1/caption", "/v2/probe")
JOBS = ("/v1/jobs", "/api/tasks", "/v1/renders")
LOG_STYLES: tuple[LogStyle, ...] = ("json", "text")
"""What the seed chooses from; `combined`, which has no times, only comes when asked for."""
EVENTS = ("/v1/events", "/api/feed", "/v1/stream")
VIDEOS = ("/v1/videos", "/api/uploads", "/v2/clips")
ASK = ("/v1/ask", "/api/answer", "/v2/questions")
PREFIXES = ("preview", "pv", "poster", "thumb", "still")
PORTS: dict[Role, tuple[int, ...]] = {
    "orchestrator": (8090, 9200, 5050),
    "consumer": (0,),
    "store": (8333, 9001, 3900),
    "vector": (5432, 5433, 6432),
    "llm": (8000, 30_000, 8008),
}


@dataclass(frozen=True, slots=True)
class Wants:
    """What a fault needs of the service it is put into; None leaves it to the seed."""

    members: int | None = None
    balancing: Balancing | None = None
    passive: Passive | None = None
    hot_share: float | None = None
    rate_factor: float = 1.0
    slots: int | None = None
    accelerator_seconds: float = 0.0
    new_share: float | None = None
    log_style: LogStyle | None = None
    parts: tuple[str, ...] = ()
    """Parts of the service that are not always up: see `parts.PARTS`."""


def draw(seed: int, wants: Wants | None = None) -> Spec:
    """Give the service of this seed, bent where a fault needs it bent."""
    wants = wants or Wants()
    dice = random.Random(f"service-{seed}")
    balancing: Balancing = dice.choice(("nginx", "nginx", "nginx", "gateway"))
    workers = dice.choice((2, 3, 3, 3))
    # Without passive checks a dead member goes on being asked, which is what most faults need.
    passive = Passive(dice.choice((0, 0, 0, 3)), dice.choice((10, 20, 30)))
    balancing = wants.balancing or balancing
    workers = wants.members or workers
    new_share = round(dice.uniform(0.016, 0.021), 4)
    traffic = Traffic(
        rate=round(dice.uniform(30, 40), 1) * wants.rate_factor,
        preview_share=0.62,
        analyze_share=0.05,
        submit_share=0.05,
        new_share=new_share if wants.new_share is None else wants.new_share,
        hot_share=wants.hot_share or 0.0,
        zipf=round(dice.uniform(0.85, 1.0), 2),
        ask_share=0.05 if {"vector", "llm"} & {*wants.parts} else 0.0,
    )
    slots = dice.choice((1, 2))
    log_style = dice.choice(LOG_STYLES)
    more = random.Random(f"parts-{seed}")
    return Spec(
        seed=seed,
        root=f"{dice.choice(('pods', 'apps', 'site'))}-{dice.randrange(16**4):04x}",
        neighbour=f"{dice.choice(('jobs', 'etl', 'ci'))}-{dice.randrange(16**4):04x}",
        hub=f"net-{dice.randrange(16**4):04x}",
        prefix_length=24,
        members=(base := _members(dice, workers, balancing))
        + _more_members(more, base, wants.parts),
        routes=Routes(
            dice.choice(PREVIEW),
            dice.choice(ANALYZE),
            dice.choice(JOBS),
            dice.choice(EVENTS),
            more.choice(VIDEOS),
            more.choice(ASK),
        ),
        key_prefix=dice.choice(PREFIXES),
        ids=dice.randrange(2600, 3600),
        id_base=dice.randrange(10_000, 90_000),
        ttl=dice.choice((7200, 10_800, 14_400)),
        balancing=balancing,
        passive=wants.passive or passive,
        front_timeout=dice.randrange(8, 16),
        balancer_timeout=dice.randrange(8, 16),
        log_style=log_style if wants.log_style is None else wants.log_style,
        log_seed=dice.randrange(1 << 16),
        traffic=traffic,
        rendering=Rendering(
            frames=dice.randrange(13, 17),
            slots=wants.slots or slots,
            threads=2,
            analyze_frames=14,
            accelerator_seconds=wants.accelerator_seconds,
        ),
        store_volume="disk" in wants.parts,
    )


def with_log_style(spec: Spec, style: LogStyle | None) -> Spec:
    """Give the same service with another access log."""
    return spec if style is None else replace(spec, log_style=style)


def _members(dice: random.Random, workers: int, balancing: Balancing) -> tuple[Member, ...]:
    several: list[Role] = ["worker"] * workers
    roles: list[Role] = ["front", "gateway", *several, "cache", "client", "ops"]
    if balancing == "nginx":
        roles.insert(2, "balancer")
    net = f"10.{dice.randrange(16, 240)}.{dice.randrange(1, 250)}"
    octets = dice.sample(range(2, 250), len(roles))
    ports: dict[Role, int] = {
        "front": dice.choice((80, 8000, 8443)),
        "gateway": dice.choice((8080, 9000, 5000)),
        "balancer": dice.choice((8081, 7000, 9090)),
        "worker": dice.choice((8001, 9100, 7860)),
        "cache": dice.choice((6379, 6380)),
        "client": 0,
        "ops": 0,
    }
    tail = f"{dice.randrange(16**3):03x}"
    base = {role: dice.choice(NAMES[role]) for role in NAMES if role not in PORTS}
    seen: dict[Role, int] = {}
    members = []
    for role, octet in zip(roles, octets, strict=True):
        seen[role] = seen.get(role, 0) + 1
        # Workers are told apart by letters, as pods are: a number would invite matching by name.
        suffix = f"-{tail}{'abcdef'[seen[role] - 1]}" if role == "worker" else f"-{tail}"
        members.append(Member(role, base[role] + suffix, f"{net}.{octet}", ports[role]))
    return tuple(members)


def _more_members(
    dice: random.Random, members: tuple[Member, ...], parts: tuple[str, ...]
) -> tuple[Member, ...]:
    net = members[0].ip.rpartition(".")[0]
    taken = {int(member.ip.rpartition(".")[2]) for member in members}
    free = dice.sample([octet for octet in range(2, 250) if octet not in taken], len(PORTS))
    tail, found = f"{dice.randrange(16**3):03x}", []
    # Drawn for all, whether they are up or not: a part more does not rename the others.
    for octet, (role, ports) in zip(free, PORTS.items(), strict=True):
        name, port = dice.choice(NAMES[role]), dice.choice(ports)
        if role in roles(parts):
            found.append(Member(role, f"{name}-{tail}", f"{net}.{octet}", port))
    return tuple(found)
