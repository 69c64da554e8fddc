"""What nginx is told to do: its configuration files, read as files, never by running nginx.

`nginx -T` writes a pid file, logs and folders, and fails where a name does not resolve. The file
on disk may differ from what runs: `loaded` says when the running workers last read it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from weaklink.model.case import Case
from weaklink.model.event import Event
from weaklink.model.fact import ConfigFile, LogFile, Process
from weaklink.model.look import Look
from weaklink.model.message import Message, say
from weaklink.model.take import Take, merged
from weaklink.model.target import target_key
from weaklink.parse.nginx_config import NginxConfig, read_nginx
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.owner_files import open_files, owner_glob, owner_path, owner_text, regular
from weaklink.reach.registry import probe
from weaklink.reach.root import read_bounded
from weaklink.words import texts

texts(
    {
        "nginx.none": "no nginx runs here",
        "nginx.no-config": "the configuration file of nginx (pid {pid}) was not found",
    }
)

NAMES = ("nginx", "openresty", "tengine", "angie", "freenginx")
_DEFAULTS = (
    "/etc/nginx/nginx.conf",
    "/usr/local/nginx/conf/nginx.conf",
    "/usr/local/openresty/nginx/conf/nginx.conf",
    "/opt/nginx/conf/nginx.conf",
    "/usr/local/etc/nginx/nginx.conf",
)
_BUILT_IN = re.compile(rb"--(conf-path|prefix|http-log-path|error-log-path)=([!-~]{1,256})")
MAX_BINARY = 8 << 20
CLOCK_SLACK = 2.0
"""Start times of processes and times of files come from clocks that differ by up to a second."""
RECENT = 24 * 3600.0
"""A file changed within a day is told as a change; older ones are no news to anybody."""
RELOAD_AFTER = 3.0
"""Workers that start so much later than their master were started by a reload, not with it."""


class Instance(NamedTuple):
    """One running nginx: its master and its workers."""

    master: Process
    workers: list[Process]

    @property
    def loaded(self) -> float:
        """When the running workers read the configuration."""
        return max([self.master.start, *(worker.start for worker in self.workers)])


def instances(processes: Sequence[Process]) -> list[Instance]:
    """Every nginx of this machine, containers included."""
    own = {p.pid: p for p in processes if _is_nginx(p)}
    found = []
    for process in own.values():
        if process.ppid in own:
            continue
        # A cache manager starts late by design and a worker that shuts down read an older file.
        workers = [
            p
            for p in own.values()
            if p.ppid == process.pid
            and "worker process" in " ".join(p.command)
            and "shutting down" not in " ".join(p.command)
        ]
        found.append(Instance(process, workers))
    return found


@probe(
    "nginx",
    subject="proxy",
    phase="first",
    about="configuration files of nginx: upstreams, servers, logs, timeouts",
)
def nginx(reach: Reach, case: Case) -> Take:
    """Facts of every nginx that runs. Raises NotHere where none does."""
    running = instances(case.processes)
    if not running:
        raise NotHere(say("nginx.none"))
    return merged([_one(reach, case, instance) for instance in running])


def _one(reach: Reach, case: Case, instance: Instance) -> Take:
    master = instance.master
    path, prefix = _config_path(reach, master)
    if not path:
        return Take(looks=[_look(reach, master, say("nginx.no-config", pid=master.pid))])
    denied: list[str] = []

    def read(file: str) -> str:
        try:
            return owner_text(reach, master, file)
        except PermissionError:
            denied.append(file)
            raise

    config = read_nginx(
        path, read, lambda pattern: owner_glob(reach, master, pattern), owner=master.key
    )
    looks = [
        _look(reach, master, problem, denied=bool(denied) and problem.args.get("file") in denied)
        for problem in config.problems[:20]
    ]
    logs = [_log(reach, case, master, log, prefix) for log in _logs(reach, config, instance)]
    configs = [
        ConfigFile(
            owner=master.key,
            path=file,
            modified=_modified(reach, master, file),
            loaded=instance.loaded,
        )
        for file in config.files
    ]
    return Take(
        upstreams=config.upstreams,
        servers=[
            msgspec.structs.replace(server, logs=[_absolute(log, prefix) for log in server.logs])
            for server in config.servers
        ],
        logs=logs,
        configs=configs,
        events=_changes(reach, instance, configs),
        looks=looks,
    )


def _config_path(reach: Reach, master: Process) -> tuple[str, str]:
    """(configuration file, prefix) as the master sees them; '' where it cannot be found."""
    words = _arguments(" ".join(master.command))
    given = _option(words, "-c")
    prefix = _option(words, "-p")
    built_in = _built_in(reach, master) if not given or not prefix else {}
    prefix = (prefix or built_in.get("prefix", "/usr/share/nginx")).rstrip("/")
    candidates = [given or built_in.get("conf-path", "conf/nginx.conf"), *_DEFAULTS]
    for candidate in candidates[:1] if given else candidates:
        path = candidate if candidate.startswith("/") else f"{prefix}/{candidate}"
        try:
            if given or regular(owner_path(reach, master, path)) is not None:
                return path, prefix
        except OSError:
            return path, prefix  # the reader says why it cannot be read
    return "", prefix


def _built_in(reach: Reach, master: Process) -> dict[str, str]:
    """What this binary was configured with: it carries its `configure` line as plain text."""
    try:
        binary = read_bounded(reach.root.real(f"/proc/{master.pid}/exe"), MAX_BINARY)
    except OSError:
        return {}
    at = binary.find(b"--prefix=")
    if at < 0:
        at = binary.find(b"--conf-path=")
    line = binary[at : at + 8192].partition(b"\0")[0] if at >= 0 else b""
    return {name.decode(): value.decode() for name, value in _BUILT_IN.findall(line)}


def _arguments(title: str) -> list[str]:
    title = title.partition(": master process ")[2] or title
    try:
        return shlex.split(title)
    except ValueError:
        return title.split()


def _option(words: list[str], flag: str) -> str:
    for index, word in enumerate(words):
        if word == flag and index + 1 < len(words):
            return words[index + 1]
        if word.startswith(flag) and len(word) > len(flag) and word[len(flag)] in "/.":
            return word[len(flag) :]
    return ""


def _logs(reach: Reach, config: NginxConfig, instance: Instance) -> list[LogFile]:
    """The configured logs, and those that it has open where the configuration leaves it open."""
    logs = list(config.logs)
    kinds = {log.kind for log in logs}
    if not config.default_log and "error" in kinds:
        return logs
    for path in dict.fromkeys(open_files(reach, instance.master.pid).values()):
        name = path.rpartition("/")[2].lower()
        for kind in ("access", "error"):
            wanted = config.default_log if kind == "access" else kind not in kinds
            known = any(log.path == path for log in logs)
            if wanted and not known and path.startswith("/") and kind in name:
                pattern = "combined" if kind == "access" else ""
                owner = instance.master.key
                logs.append(LogFile(owner=owner, path=path, kind=kind, format=pattern))
    return logs


def _log(reach: Reach, case: Case, master: Process, log: LogFile, prefix: str) -> LogFile:
    path = _absolute(log.path, prefix)
    size, modified = 0, 0.0
    if path.startswith("/") and "$" not in path:
        try:
            found = regular(owner_path(reach, master, path))
        except OSError:
            found = None
        if found is not None:
            size, modified = found.st_size, found.st_mtime
    return msgspec.structs.replace(
        log,
        path=path,
        bytes=size,
        modified=modified,
        key=log_key(case, master, path),
        same_as=_absolute(log.same_as, prefix),
    )


def _absolute(path: str, prefix: str) -> str:
    if not path or path.startswith(("/", "syslog:")) or path in ("off", "stderr", "memory"):
        return path
    return f"{prefix}/{path}"


def log_key(case: Case, owner: Process, path: str) -> str:
    """Target key of a log; containers may have the same path, so theirs carry the owner's pid."""
    name = path if owner.root == "/" else f"{owner.pid}:{path}"
    return target_key("log", name, host=case.host.name, netns=owner.netns)


def _modified(reach: Reach, master: Process, file: str) -> float:
    try:
        found = regular(owner_path(reach, master, file))
    except OSError:
        return 0.0
    return found.st_mtime if found is not None else 0.0


def _changes(reach: Reach, instance: Instance, configs: list[ConfigFile]) -> list[Event]:
    now = reach.now()
    events = []
    for config in configs:
        if 0 <= now - config.modified <= RECENT:
            events.append(
                Event(
                    at=config.modified,
                    kind="config-change",
                    target=config.owner,
                    text=config.path,
                    source=config.path,
                    details={"loaded": int(config.modified <= config.loaded + CLOCK_SLACK)},
                )
            )
    master = instance.master
    if instance.loaded - master.start > RELOAD_AFTER and 0 <= now - instance.loaded <= RECENT:
        events.append(
            Event(
                at=instance.loaded,
                kind="config-change",
                target=master.key,
                text=f"{master.name} (pid {master.pid}) reloaded",
                source="processes",
                details={"reload": 1},
            )
        )
    return events


def _is_nginx(process: Process) -> bool:
    base = process.exe.rpartition("/")[2] or process.name
    title = process.command[0] if process.command else ""
    return (
        process.name in NAMES
        or base in NAMES
        or title.startswith(("nginx: master process", "nginx: worker process"))
    )


def _look(reach: Reach, master: Process, reason: Message, *, denied: bool = False) -> Look:
    return Look(
        name="nginx",
        target=master.key,
        outcome="denied" if denied else "failed",
        at=reach.now(),
        reason=reason,
        remedy="run as root" if denied else "",
    )
