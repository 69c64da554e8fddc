"""What several faults do to a member: routes, settings of a proxy, packets, its process."""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

from weaklink_lab import chain, nginx
from weaklink_lab.kernel import cgroups, netns, spawn
from weaklink_lab.spec import Member
from weaklink_lab.state import State

REDIS_CLI = "/usr/bin/redis-cli"


def ip(name: str, *lines: str) -> None:
    """Run lines of `ip` inside a namespace; raises where one is refused."""
    netns.batch(name, list(lines))


def ip_quietly(name: str, *lines: str) -> None:
    """Run lines of `ip` inside a namespace, each for itself, and do not mind refusals."""
    for line in lines:
        with contextlib.suppress(RuntimeError):
            netns.batch(name, [line])


def nft(state: State, member: Member, *words: str) -> None:
    """Run `nft` inside a member."""
    tool = shutil.which("nft", path="/usr/sbin:/sbin:/usr/bin") or "/usr/sbin/nft"
    spawn.run_inside([tool, *words], group=state.group(member), namespace=member.name)


def redis_cli(state: State, *words: str) -> str:
    """Say something to the cache, from the operators' member."""
    ops, cache = state.spec.one("ops"), state.spec.one("cache")
    argv = [REDIS_CLI, "-h", cache.ip, "-p", str(cache.port), *words]
    return spawn.run_inside(argv, group=state.group(ops), namespace=ops.name)


def edit_proxy(state: State, member: Member, old: str, new: str) -> None:
    """Change a proxy's configuration and let it read that; raises where `old` is not in it."""
    path = state.folder(member) / "nginx.conf"
    text = path.read_text()
    if old not in text:
        raise LookupError(f"{path} has no {old!r}")
    path.write_text(text.replace(old, new))
    reload_proxy(state, member)


def restore_proxy(state: State, member: Member) -> None:
    """Give a proxy the configuration back that it was born with."""
    folder = state.folder(member)
    (folder / "nginx.conf").write_text(nginx.config(state.spec, member, folder))
    reload_proxy(state, member)


def reload_proxy(state: State, member: Member) -> None:
    """Let a proxy read its configuration again."""
    path = state.folder(member) / "nginx.pid"
    with contextlib.suppress(OSError, ValueError):
        os.kill(int(path.read_text()), signal.SIGHUP)
    time.sleep(0.3)


def restart(state: State, member: Member, *, wait: bool = True) -> None:
    """End the process of a member; it is started again, as after a deploy."""
    pids = chain.main_pids(state, member)
    spawn.kill(pids)
    deadline = time.monotonic() + 3
    while any(spawn.alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    if not chain.watchers(state, member):
        chain.start(state, member)
    if wait:
        spawn.wait_listening(state.pids[member.name], member.port)


def port_of(state: State, member: Member) -> str:
    """Give the name of the bridge's port to a member."""
    return f"p{state.spec.members.index(member)}"


def limit_files(pid: int, soft: int) -> int:
    """Limit the files that a process may open (it could raise that itself); gives what it had."""
    import resource

    before, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    return before


def open_files(pid: int) -> int:
    """Give how many files a process has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def busy_group(state: State, member: Member) -> list[int]:
    """Give every process of a member."""
    return cgroups.pids(state.group(member))
