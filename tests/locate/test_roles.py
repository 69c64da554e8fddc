"""Programs and roles: what an interpreter runs counts, not the interpreter; never a name."""

from __future__ import annotations

import pytest

from weaklink.locate.roles import name_of, program_of, role_of
from weaklink.model.fact import Process


def process(*command: str, exe: str = "", libraries: tuple[str, ...] = ()) -> Process:
    return Process(
        key="process:h/-/1@1",
        pid=1,
        start_ticks=1,
        start=1.0,
        ppid=0,
        name=command[0].split(" ")[0].rpartition("/")[2][:15],
        state="S",
        command=list(command),
        exe=exe or command[0].split(" ")[0],
        libraries=list(libraries),
    )


@pytest.mark.parametrize(
    ("command", "program", "name"),
    [
        (("/usr/sbin/nginx", "-g", "daemon off;"), "nginx", "nginx"),
        (("/usr/bin/python3", "/srv/app/serve.py", "--port", "1"), "serve.py", "serve.py"),
        (
            (
                "/venv/bin/python",
                "-m",
                "uvicorn",
                "--factory",
                "shop.api.main:build",
                "--port",
                "80",
            ),
            "uvicorn shop.api.main:build",
            "main",
        ),
        (
            ("/venv/bin/python", "/venv/bin/gunicorn", "-w", "4", "-b", "0.0.0.0:80", "site:app"),
            "gunicorn site:app",
            "site",
        ),
        (("redis-server 10.0.0.1:6379",), "redis-server", "redis-server"),
        (("/opt/tool serve everything",), "tool", "tool"),
        (("/usr/bin/python3",), "python3", "python3"),
    ],
)
def test_a_program_is_what_is_run(command: tuple[str, ...], program: str, name: str) -> None:
    assert program_of([process(*command)]) == program
    assert name_of(program) == name


def test_roles_come_from_programs_and_libraries() -> None:
    assert role_of([process("/usr/sbin/nginx")], ["0.0.0.0:80"]) == "proxy"
    assert role_of([process("/usr/bin/valkey-server")], ["0.0.0.0:6379"]) == "cache"
    python = process("/usr/bin/python3", "serve.py", libraries=("torch",))
    assert role_of([python], ["0.0.0.0:8000"]) == "inference"
    assert role_of([python], []) == "client"
    assert role_of([process("/usr/bin/python3", "inference.py")], ["0.0.0.0:1"]) == "app"
