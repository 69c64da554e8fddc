"""Network namespaces joined by a bridge that lives in a namespace too: the host sees no link."""

import contextlib
import ctypes
import os
import shutil
import subprocess
from pathlib import Path

from weaklink_lab.spec import Spec

RUN = Path("/run/netns")
CLONE_NEWNET = 0x40000000


def create(spec: Spec) -> None:
    """Make the hub with its bridge, and one namespace a member with its address on eth0."""
    _ip("netns", "add", spec.hub)
    batch(spec.hub, ["link set lo up", "link add br0 type bridge", "link set br0 up"])
    for index, member in enumerate(spec.members):
        _ip("netns", "add", member.name)
        batch(
            spec.hub,
            [
                f"link add p{index} type veth peer name eth0 netns {member.name}",
                f"link set p{index} master br0 up",
            ],
        )
        batch(
            member.name,
            [
                "link set lo up",
                f"addr add {member.ip}/{spec.prefix_length} dev eth0",
                "link set eth0 up",
            ],
        )


def remove(names: list[str]) -> None:
    """Remove the namespaces of these names; links and the bridge go with them."""
    for name in names:
        if (RUN / name).exists():
            subprocess.run([_tool(), "netns", "delete", name], check=False, capture_output=True)
        with contextlib.suppress(OSError):
            (RUN / name).unlink()


def left(names: list[str]) -> list[str]:
    """Give those of the names that still exist."""
    return [name for name in names if (RUN / name).exists()]


def forget_folder() -> None:
    """Take back the mounted folder that the first `ip netns add` made, if nobody uses it."""
    if RUN.is_dir() and not any(RUN.iterdir()):
        subprocess.run(["/usr/bin/umount", str(RUN)], check=False, capture_output=True)
        with contextlib.suppress(OSError):
            RUN.rmdir()


def enter(name: str) -> None:
    """Move the calling thread into a namespace (to be called between fork and exec)."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(RUN / name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), name)
    finally:
        os.close(descriptor)


def _tool() -> str:
    # Not `ip netns exec` for the members: it hides /sys/fs/cgroup from what it starts.
    return shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin") or "/usr/sbin/ip"


def _ip(*words: str) -> None:
    done = subprocess.run([_tool(), *words], check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def batch(name: str, lines: list[str]) -> None:
    """Run lines of `ip` inside a namespace; raises where one is refused."""
    done = subprocess.run(
        [_tool(), "-n", name, "-batch", "-"],
        check=False,
        capture_output=True,
        text=True,
        input="\n".join(lines) + "\n",
    )
    if done.returncode:
        raise RuntimeError(f"ip -n {name}: {done.stderr.strip()}")
