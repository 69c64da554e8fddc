"""What HAProxy is told to do, and where its log lies: configuration files, read as files.

HAProxy writes no log file itself: it logs to its standard output or to syslog. So its log is what
its descriptors 1 and 2 lead to, or a file that a syslog daemon of this machine holds open and that
has HAProxy's requests in it.
"""

from __future__ import annotations

from weaklink.model.case import Case
from weaklink.model.fact import ConfigFile, LogFile, Process
from weaklink.model.look import Look
from weaklink.model.message import Message, say
from weaklink.model.take import Take, merged
from weaklink.parse.haproxy_access import FORMAT, is_haproxy
from weaklink.parse.haproxy_config import read_haproxy
from weaklink.reach.host import NotHere, Reach
from weaklink.reach.log_tail import Tail
from weaklink.reach.open_logs import open_logs
from weaklink.reach.owner_files import owner_glob, owner_path, owner_text, regular
from weaklink.reach.registry import probe
from weaklink.sources.nginx import log_key
from weaklink.words import texts

texts(
    {
        "haproxy.none": "no HAProxy runs here",
        "haproxy.no-config": "the configuration of haproxy (pid {pid}) was not found",
        "haproxy.unreadable": "haproxy's {file}: {reason}",
        "haproxy.no-log": "haproxy (pid {pid}) logs to {where}; no file here has its requests",
    }
)

NAME = "haproxy"
SYSLOGS = frozenset(
    {"rsyslogd", "syslog-ng", "syslogd", "busybox", "metalog", "vector", "fluent-bit"}
)
DEFAULT = "/etc/haproxy/haproxy.cfg"
SAMPLE_BYTES = 64 << 10
MAX_FILES = 200


@probe(
    "haproxy",
    subject="proxy",
    phase="first",
    about="configuration files of HAProxy: backends, servers, timeouts, and where it logs",
)
def haproxy(reach: Reach, case: Case) -> Take:
    """Facts of every HAProxy that runs. Raises NotHere where none does."""
    masters = _masters(case)
    if not masters:
        raise NotHere(say("haproxy.none"))
    return merged([_one(reach, case, master) for master in masters])


def _masters(case: Case) -> list[Process]:
    own = {process.pid: process for process in case.processes if process.name == NAME}
    return [process for process in own.values() if process.ppid not in own]


def _one(reach: Reach, case: Case, master: Process) -> Take:
    looks: list[Look] = []
    texts_read: list[str] = []
    configs: list[ConfigFile] = []
    for file in _files(reach, master):
        try:
            texts_read.append(owner_text(reach, master, file))
            found = regular(owner_path(reach, master, file))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            looks.append(_look(reach, master, say("haproxy.unreadable", file=file, reason=reason),
                               denied=isinstance(error, PermissionError)))  # fmt: skip
            continue
        modified = found.st_mtime if found is not None else 0.0
        configs.append(
            ConfigFile(owner=master.key, path=file, modified=modified, loaded=master.start)
        )
    if not texts_read and not looks:
        looks.append(_look(reach, master, say("haproxy.no-config", pid=master.pid)))
    config = read_haproxy(texts_read, owner=master.key)
    servers = {
        f"{upstream.name}/{member.name}": member.address
        for upstream in config.upstreams
        for member in upstream.members
    }
    logs = _logs(reach, case, master, servers)
    if not logs and config.logs:
        where = ", ".join(config.logs[:3])
        looks.append(_look(reach, master, say("haproxy.no-log", pid=master.pid, where=where)))
    return Take(
        upstreams=config.upstreams, servers=config.servers, logs=logs, configs=configs, looks=looks
    )


def _files(reach: Reach, master: Process) -> list[str]:
    """The files of `-f` in their order, folders opened; the usual file where none is named."""
    words = master.command
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-f"]
    if "--" in words:
        named += [word for word in words[words.index("--") + 1 :] if not word.startswith("-")]
    found: list[str] = []
    for name in named or [DEFAULT]:
        path = name if name.startswith("/") else _absolute(reach, master, name)
        inside = owner_glob(reach, master, f"{path}/*.cfg") if path.startswith("/") else []
        found += inside or [path]
    return found[:MAX_FILES]


def _absolute(reach: Reach, master: Process, name: str) -> str:
    try:
        return f"{reach.root.link(f'/proc/{master.pid}/cwd')}/{name}"
    except OSError:
        return name


def _logs(reach: Reach, case: Case, master: Process, servers: dict[str, str]) -> list[LogFile]:
    """Files with HAProxy's requests: its own output's, else those of a syslog daemon."""
    own = [process for process in case.processes if process.name == NAME]
    daemons = [process for process in case.processes if process.name in SYSLOGS]
    for writers in (own, daemons):
        found: dict[str, LogFile] = {}
        for writer in writers:
            for log in open_logs(reach, writer)[0]:
                if _has_requests(log.where):
                    found[log.path] = LogFile(
                        owner=master.key, path=log.path, kind="access", format=FORMAT,
                        bytes=log.size, modified=log.modified,
                        key=log_key(case, master, log.path), servers=servers,
                    )  # fmt: skip
        if found:
            return list(found.values())
    return []


def _has_requests(where: str) -> bool:
    try:
        with Tail(where) as tail:
            lines = tail.lines_at(max(0, tail.size - SAMPLE_BYTES), SAMPLE_BYTES)
    except OSError:
        return False
    mine = [line for line in lines if "haproxy" in line] or lines
    return is_haproxy(mine[-200:])


def _look(reach: Reach, master: Process, reason: Message, *, denied: bool = False) -> Look:
    return Look(
        name=NAME,
        target=master.key,
        outcome="denied" if denied else "failed",
        at=reach.now(),
        reason=reason,
        remedy="run as root" if denied else "",
    )
