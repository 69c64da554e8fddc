"""Start a process inside a member: its namespace, its cgroup, its log; nobody's child."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from weaklink_lab import state as states
from weaklink_lab.kernel import cgroups, netns

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    # One member may not use more threads than its own pool says: numpy would take every core.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    **{name: os.environ[name] for name in ("WEAKLINK_LAB_HOME",) if name in os.environ},
}


def _environment() -> dict[str, str]:
    if states.FOLDER == states.USUAL:
        return ENVIRONMENT
    # What we start must read the state of this lab, not that of one beside it.
    return {**ENVIRONMENT, states.HOME: str(states.FOLDER)}


def start(
    argv: list[str],
    *,
    group: str,
    namespace: str | None,
    log: Path,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    nice: int = 0,
    owner: tuple[int, int] | None = None,
) -> int:
    """Start a process that outlives us, and give its pid once it has been executed.

    Forked twice: it becomes init's child, so that no zombie of ours is left on the chain when a
    fault kills it.
    """
    told, tell = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(told)
        os.setsid()
        if os.fork():
            os._exit(0)
        try:
            os.write(tell, f"{os.getpid()}\n".encode())
            os.set_inheritable(tell, False)
            _become(
                argv, group, namespace, log, {**_environment(), **(env or {})}, cwd, nice, owner
            )
        except BaseException as error:
            os.write(tell, f"cannot start {argv[0]}: {error}".encode())
        os._exit(127)
    os.close(tell)
    os.waitpid(first, 0)
    with os.fdopen(told) as pipe:
        pid, _, trouble = pipe.read().partition("\n")
    if trouble:
        raise RuntimeError(trouble)
    return int(pid)


def _become(
    argv: list[str],
    group: str,
    namespace: str | None,
    log: Path,
    env: dict[str, str],
    cwd: Path | None,
    nice: int,
    owner: tuple[int, int] | None,
) -> None:
    cgroups.join(group)
    if namespace is not None:
        netns.enter(namespace)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.chdir(cwd or "/")
    if nice:
        os.nice(nice)
    if owner is not None:
        os.setgroups([])
        os.setgid(owner[1])
        os.setuid(owner[0])
    os.execve(argv[0], argv, env)


def run_inside(argv: list[str], *, group: str, namespace: str, timeout: float = 60.0) -> str:
    """Run a short helper inside a member to its end, and give what it printed."""

    def enter() -> None:
        cgroups.join(group)
        netns.enter(namespace)

    done = subprocess.run(
        argv,
        preexec_fn=enter,  # the lab has one thread
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def python(module: str, *words: str) -> list[str]:
    """Give the command line that runs a module with this Python."""
    return [sys.executable, "-m", module, *words]


def alive(pid: int) -> bool:
    """Tell whether the process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def listens(pid: int, port: int) -> bool:
    """Tell whether somebody listens on the port in the namespace of the process."""
    wanted = f":{port:04X}"
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[1].endswith(wanted):
                return True
    return False


def wait_listening(pid: int, port: int, seconds: float = 15.0) -> None:
    """Wait until the process listens; raises where it died or did not in time."""
    deadline = time.monotonic() + seconds
    while not listens(pid, port):
        if not alive(pid):
            raise RuntimeError(f"process {pid} ended before it listened on port {port}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"process {pid} does not listen on port {port} after {seconds} s")
        time.sleep(0.05)


def kill(pids: list[int], signals: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to each of the processes that still exist."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signals)


def end_group(group: str, patience: float = 8.0) -> list[int]:
    """Kill every process of a group, frozen and stopped ones too; gives those that stay."""
    deadline = time.monotonic() + patience
    while (left := [pid for pid in cgroups.pids(group) if alive(pid)]) and (
        time.monotonic() < deadline
    ):
        # A frozen task of v1 does not even die by SIGKILL until it is thawed.
        _thaw(group)
        kill(left)
        time.sleep(0.05)
    return left


def _thaw(group: str) -> None:
    with contextlib.suppress(OSError):
        cgroups.freeze(group, frozen=False, patience=0.2)
    for folder in cgroups.folders(group):
        for state in folder.glob("*/freezer.state"):
            with contextlib.suppress(OSError):
                state.write_text("THAWED")
