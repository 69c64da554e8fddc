"""Parts of the service that only some drills need: jobs, store, index of texts, model server."""

from pathlib import Path
from typing import Any

from weaklink_lab import state as states
from weaklink_lab import vector
from weaklink_lab.kernel import spawn, volumes
from weaklink_lab.service.rag import DIMENSIONS
from weaklink_lab.spec import Member, Spec
from weaklink_lab.state import State

MATERIAL = 96 << 10


def settings(
    spec: Spec, member: Member, folder: Path, materials: dict[str, Path]
) -> dict[str, Any]:
    """Give the settings file of a member of one of these parts."""
    cache = spec.one("cache")
    common: dict[str, Any] = {
        "cache_host": cache.ip,
        "cache_port": cache.port,
        "queue": f"{spec.key_prefix}-jobs",
        "queue_cap": 12,
        "bucket": spec.key_prefix,
        "store": [[one.ip, one.port] for one in spec.of("store")],
        "vector": next(([one.ip, one.port] for one in spec.of("vector")), None),
        "llm": next(([one.ip, one.port] for one in spec.of("llm")), None),
        "live": str(states.FOLDER / "live.json"),
    }
    match member.role:
        case "orchestrator":
            routes = spec.routes
            return {**common, "videos": routes.videos, "jobs": routes.jobs, "ask": routes.ask}
        case "consumer":
            return {
                **common,
                "frames": 10,
                "materials": {name: str(path) for name, path in materials.items()},
            }
        case "store":
            return {**common, "folder": str(folder / "objects")}
        case _:
            return common


def control_file(folder: Path) -> Path:
    """Give where a model server reads what it should be like."""
    return folder / "control.json"


def prepare(spec: Spec, member: Member, folder: Path) -> None:
    """Put there what a member needs before it starts."""
    if member.role == "store":
        if spec.store_volume:
            volumes.make(folder / "volume.img", 48, folder / "objects", inodes=4096)
        bucket = folder / "objects" / spec.key_prefix
        bucket.mkdir(parents=True)
        for number in range(64):
            (bucket / f"material-{number}").write_bytes(bytes([number]) * MATERIAL)
    elif member.role == "vector":
        folder.chmod(0o755)
        vector.copy(vector.ensure(DIMENSIONS), folder / "data")


def argv(state: State, member: Member) -> list[str]:
    """Give the command line of a member of one of these parts."""
    if member.role == "consumer":
        return spawn.python("weaklink_lab.service.consumer")
    if member.role == "vector":
        return vector.argv(state.folder(member) / "data", member.ip, member.port)
    where = ["--host", member.ip, "--port", str(member.port)]
    if member.role == "llm":
        control = str(control_file(state.folder(member)))
        return spawn.python("weaklink_lab.service.llm", *where, "--control", control)
    where += ["--backlog", "2048"]
    app = f"weaklink_lab.service.{member.role}:build"
    return spawn.python("uvicorn", "--factory", app, *where)


def owner(member: Member) -> tuple[int, int] | None:
    """Give the user and group that a member runs as, or None for root."""
    return vector.user() if member.role == "vector" else None
