"""What a link is for: told by its program and the libraries it has mapped, never by its name.

The table holds programs that are the same everywhere (nginx is a proxy on every host). A program
that is not in it is an application, or inference where it maps a library that runs models or
decodes media for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from weaklink.model.chain import Role
from weaklink.model.fact import Process

PROGRAMS: dict[str, Role] = {
    "nginx": "proxy",
    "haproxy": "proxy",
    "envoy": "proxy",
    "traefik": "proxy",
    "caddy": "proxy",
    "apache2": "proxy",
    "httpd": "proxy",
    "redis-server": "cache",
    "valkey-server": "cache",
    "keydb-server": "cache",
    "dragonfly": "cache",
    "memcached": "cache",
    "postgres": "db",
    "mysqld": "db",
    "mariadbd": "db",
    "mongod": "db",
    "qdrant": "db",
    "milvus": "db",
    "minio": "store",
    "weed": "store",
    "cron": "job",
    "crond": "job",
    "tritonserver": "inference",
    "ollama": "inference",
    "llama-server": "inference",
    "vllm": "inference",
}
MODEL_LIBRARIES = frozenset(
    {"cuda", "torch", "onnxruntime", "tensorrt", "tensorflow", "av", "opencv", "tokenizers"}
)
"""Libraries that run models, or prepare media and text for them."""
INTERPRETERS = ("python", "node", "java", "ruby", "php", "perl", "bash", "sh", "uv", "poetry")
APP_SERVERS = frozenset({"uvicorn", "gunicorn", "hypercorn", "granian", "daphne", "waitress-serve"})
"""Programs that are told which application to serve, as `module:object`."""
APPLICATION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.()]*")


def role_of(members: Sequence[Process], listen: Sequence[str]) -> Role:
    """The role of a group of processes; first process first."""
    for process in members:
        known = PROGRAMS.get(_base(process.exe) or process.name) or PROGRAMS.get(process.name)
        if known is not None:
            return known
    if not listen:
        return "client"
    if any(MODEL_LIBRARIES & set(process.libraries) for process in members):
        return "inference"
    return "app"


def program_of(members: Sequence[Process]) -> str:
    """What it runs in a few words: the program, or what an interpreter runs."""
    first = members[0]
    command = [part for part in first.command if part]
    for known in (_base(first.exe), first.name):
        if known in PROGRAMS:
            return known
    base = _base(first.exe) or (_base(command[0]) if command else first.name)
    if not base.startswith(INTERPRETERS):
        # A process may have written anything over its command line: its first word is the program.
        return _base(command[0].split(" ")[0]) if command else first.name
    words = _script_words(command[1:])
    return " ".join(words) if words else base


def name_of(program: str) -> str:
    """A short name: of an application that a server runs, its module; else the program."""
    words = program.split(" ")
    if len(words) == 2 and words[0] in APP_SERVERS:
        return words[1].partition(":")[0].rpartition(".")[2]
    return words[0]


def _script_words(arguments: Sequence[str]) -> list[str]:
    """The script or module, and the application that a server such as uvicorn is given."""
    plain = [part for part in arguments if not part.startswith("-") and part != "run"]
    if not plain:
        return []
    script = _base(plain[0])
    if script not in APP_SERVERS:
        return [script]
    application = next((part for part in plain[1:] if APPLICATION.fullmatch(part)), None)
    return [script, application] if application else [script]


def _base(path: str) -> str:
    return path.removesuffix(" (deleted)").rpartition("/")[2]
