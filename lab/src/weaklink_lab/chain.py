"""Bring the service up and take it down without a trace, whatever state it is in."""

import json
import os
import signal
import time
from pathlib import Path

import msgspec

from weaklink_lab import clips, nginx, parts
from weaklink_lab import state as states
from weaklink_lab.client import TIMEOUT
from weaklink_lab.kernel import cgroups, netns, spawn, volumes
from weaklink_lab.parts_of import ROLES
from weaklink_lab.spec import Member, Role, Spec
from weaklink_lab.state import State

LIVE = "live.json"
REDIS = "/usr/bin/redis-server"
NGINX = "/usr/sbin/nginx"
ORDER: tuple[Role, ...] = (
    "cache",
    "store",
    "vector",
    "llm",
    "worker",
    "consumer",
    "orchestrator",
    "balancer",
    "gateway",
    "front",
)
"""Who is started first: nobody is up before what it calls."""


def up(spec: Spec) -> State:
    """Start the whole service and give its state; raises where one is up already."""
    refuse_if_up()
    materials = clips.ensure()
    state = State(spec, made_netns_folder=not netns.RUN.exists())
    if taken := left(state):
        # A lab with another home and the same seed: its names are ours, and `down` would end it.
        raise FileExistsError(f"seed {spec.seed} is in use by another lab: {taken[0]} exists")
    states.save(state)
    netns.create(spec)
    for member in spec.members:
        cgroups.create(state.group(member))
        state.folder(member).mkdir()
    cgroups.create(spec.neighbour)
    write_live({})
    for role in ORDER:
        for member in spec.of(role):
            _configure(state, member, materials)
            start(state, member)
        if role == "cache":
            _settle(state, "cache")
            warm(state)
    for role in ORDER:
        _settle(state, role)
    for worker in spec.of("worker"):
        state.idle_memory[worker.name] = cgroups.memory_used(state.group(worker))
    state.ready = True
    states.save(state)
    return state


def refuse_if_up() -> None:
    """Raise where a service is up, or half of one, whoever brought it up."""
    state = states.load()
    if state is not None:
        what = "a service is up" if state.ready else "half a service is left of a broken start"
        fault = f", {state.broken.fault} is in" if state.broken else ""
        raise FileExistsError(
            f"{what} (seed {state.spec.seed}{fault}): if nobody needs it, `weaklink-lab down`"
        )


def start(state: State, member: Member) -> int:
    """Start (again) the process of a member."""
    pid = spawn.start(
        _argv(state, member),
        group=state.group(member),
        namespace=member.name,
        log=state.folder(member) / "stdout.log",
        env={"SERVICE_CONFIG": str(state.folder(member) / "config.json")},
        cwd=state.folder(member),
        owner=parts.owner(member),
    )
    state.pids[member.name] = pid
    states.save(state)
    return pid


def main_pids(state: State, member: Member) -> list[int]:
    """Give the processes of a member that do its work: not the shell that watches over it."""
    return [pid for pid in cgroups.pids(state.group(member)) if _comm(pid) not in ("sh", "")]


def watchers(state: State, member: Member) -> list[int]:
    """Give the shells that start a member's process again when it ends."""
    return [pid for pid in cgroups.pids(state.group(member)) if _comm(pid) == "sh"]


def warm(state: State, *, missing_only: bool = False) -> None:
    """Fill the cache of the service."""
    ops = state.spec.one("ops")
    words = [str(clips.paths()["hd"]), *(["missing"] if missing_only else [])]
    spawn.run_inside(
        spawn.python("weaklink_lab.warm", *words), group=state.group(ops), namespace=ops.name
    )


def write_live(values: dict[str, object]) -> None:
    """Change what operators can change while the service runs."""
    unfinished = states.FOLDER / f".{LIVE}.part"
    unfinished.write_bytes(msgspec.json.encode(values))
    unfinished.replace(states.FOLDER / LIVE)


def load_start(state: State, factor: float = 1.0, **habits: float) -> int:
    """Let users come, at so many times the usual rate, with habits other than the usual ones."""
    load_stop(state)
    client = state.spec.one("client")
    salt = int(time.time()) % 100_000
    state.load_factor = factor
    state.load = spawn.start(
        spawn.python("weaklink_lab.client", str(factor), str(salt), json.dumps(habits)),
        group=state.group(client),
        namespace=client.name,
        log=state.folder(client) / "stdout.log",
    )
    states.save(state)
    return state.load


def load_stop(state: State) -> None:
    """Let no more users come, and wait for those that are inside."""
    client = state.spec.one("client")
    asking = [pid for pid in cgroups.pids(state.group(client)) if pid == state.load]
    spawn.kill(asking, signal.SIGTERM)
    deadline = time.monotonic() + TIMEOUT + 2
    while any(spawn.alive(pid) for pid in asking) and time.monotonic() < deadline:
        time.sleep(0.1)
    spawn.kill([pid for pid in asking if spawn.alive(pid)])
    state.load = 0
    states.save(state)


def down(seed: int | None = None) -> list[str]:
    """Take everything back, half-made things too; gives what could not be removed.

    With a seed it refuses to take down a service of another one: for scripts, which cannot see
    that a colleague has brought something else up meanwhile.
    """
    state = states.load()
    if state is not None and seed is not None and state.spec.seed != seed:
        raise FileExistsError(f"seed {state.spec.seed} is up, not {seed}: left alone")
    if state is None:
        states.forget()
        return []
    for group in [state.spec.root, state.spec.neighbour, *map(state.group, state.spec.members)]:
        spawn.end_group(group)
    netns.remove(state.namespaces())
    volumes.remove(states.FOLDER)
    swap = clips.swap_folder(state.spec.seed)
    volumes.remove(swap)
    swap.rmdir()
    deadline = time.monotonic() + 5
    while (remains := left(state)) and time.monotonic() < deadline:
        # A cgroup stays busy for a moment after its last process has ended.
        for group in state.groups():
            cgroups.remove(group)
        time.sleep(0.05)
    if state.made_netns_folder:
        netns.forget_folder()
    if not remains:
        states.forget()
    return remains


def left(state: State) -> list[str]:
    """Give what the lab made and is still there."""
    groups = [folder for group in state.groups() for folder in cgroups.left(group)]
    return groups + netns.left(state.namespaces()) + volumes.left(states.FOLDER)


def _configure(state: State, member: Member, materials: dict[str, Path]) -> None:
    spec, folder = state.spec, state.folder(member)
    if member.role in ("front", "balancer"):
        (folder / "nginx.conf").write_text(nginx.config(spec, member, folder))
    elif member.role == "gateway":
        targets = spec.of("balancer") or spec.of("worker")
        _settings(
            folder,
            upstreams=[[target.ip, target.port] for target in targets],
            preview=spec.routes.preview,
            analyze=spec.routes.analyze,
            jobs=spec.routes.jobs,
            events=spec.routes.events,
            videos=spec.routes.videos,
            ask=spec.routes.ask,
            worker_routes=[f"{spec.routes.preview}/", f"{spec.routes.analyze}/"],
            live=str(states.FOLDER / LIVE),
            orchestrator=[[one.ip, one.port] for one in spec.of("orchestrator")],
        )
    elif member.role == "worker":
        cache = spec.one("cache")
        _settings(
            folder,
            preview=spec.routes.preview,
            analyze=spec.routes.analyze,
            cache_host=cache.ip,
            cache_port=cache.port,
            key_prefix=spec.key_prefix,
            ttl=spec.ttl,
            slots=spec.rendering.slots,
            threads=spec.rendering.threads,
            frames=spec.rendering.frames,
            analyze_frames=spec.rendering.analyze_frames,
            accelerator_seconds=spec.rendering.accelerator_seconds,
            materials={name: str(path) for name, path in materials.items()},
            live=str(states.FOLDER / LIVE),
        )
        (folder / "run.sh").write_text(_watch(_uvicorn("worker", member)))
    elif member.role in ROLES:
        parts.prepare(spec, member, folder)
        _settings(folder, **parts.settings(spec, member, folder, materials))


def _settings(where: Path, **values: object) -> None:
    (where / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(values)))


def _argv(state: State, member: Member) -> list[str]:
    folder = state.folder(member)
    if member.role == "cache":
        words = [REDIS, "--bind", member.ip, "--port", str(member.port), "--save", ""]
        return [*words, "--protected-mode", "no", "--dir", str(folder)]
    if member.role in ("front", "balancer"):
        return [NGINX, "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    if member.role == "worker":
        return ["/bin/sh", str(folder / "run.sh")]
    if member.role in ROLES:
        return parts.argv(state, member)
    return _uvicorn("gateway", member)


def _uvicorn(app: str, member: Member) -> list[str]:
    where = ["--host", member.ip, "--port", str(member.port), "--backlog", "2048"]
    return spawn.python("uvicorn", "--factory", f"weaklink_lab.service.{app}:build", *where)


def _watch(argv: list[str]) -> str:
    return (
        "#!/bin/sh\n# Starts the service again when it ends.\nwhile :; do\n"
        f"  {' '.join(argv)}\n"
        '  echo "$(date -u +%FT%TZ) ended with status $?, starting again"\n  sleep 1\ndone\n'
    )


def _settle(state: State, role: Role) -> None:
    for member in state.spec.of(role):
        if member.port:
            spawn.wait_listening(state.pids[member.name], member.port)


def _comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def check_host() -> None:
    """Refuse to start where the lab cannot work, with the reason."""
    if os.geteuid() != 0:
        raise PermissionError("the lab needs root: it makes namespaces and cgroups")
    for tool in (REDIS, NGINX):
        if not Path(tool).exists():
            raise FileNotFoundError(f"{tool} is not installed: run `make services`")
