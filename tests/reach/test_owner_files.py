"""Files as their owner sees them; patterns as a shell has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weaklink.model.fact import Process
from weaklink.reach.host import Reach
from weaklink.reach.owner_files import (
    leads_to_device,
    open_files,
    owner_glob,
    owner_path,
    owner_text,
    regular,
)
from weaklink.reach.root import Root
from weaklink.testing.servers import fact_of, hands


@pytest.fixture(name="owner")
def owner_fact() -> Process:
    return Process(key="p", pid=7, ppid=1, start_ticks=1, start=0.0, name="n", state="S")


@pytest.fixture(name="frozen")
def frozen_reach(tmp_path: Path) -> Reach:
    own = tmp_path / "proc/7/root"
    for name in (
        "conf.d/b.conf",
        "conf.d/a.conf",
        "conf.d/.c.conf",
        "conf.d/x.bak",
        "m/1/k",
        "m/2/k",
    ):
        file = own / "etc" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (own / "etc/out").symlink_to("../../../../../../etc/passwd")
    return Reach(root=Root(str(tmp_path)), window=0.0, until=0.0, deadline=0.0)


def test_patterns(frozen: Reach, owner: Process) -> None:
    assert owner_glob(frozen, owner, "/etc/conf.d/*.conf") == [
        "/etc/conf.d/a.conf",
        "/etc/conf.d/b.conf",
    ]
    assert owner_glob(frozen, owner, "/etc/m/*/k") == ["/etc/m/1/k", "/etc/m/2/k"]
    assert owner_glob(frozen, owner, "/etc/none/*") == []


def test_no_link_leads_out_of_the_owners_root(frozen: Reach, owner: Process) -> None:
    path = owner_path(frozen, owner, "/etc/out")
    assert path.startswith(frozen.root.path)
    with pytest.raises(OSError, match="No such file"):
        owner_text(frozen, owner, "/etc/out")


def test_a_live_process(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("hello")
    me = fact_of(os.getpid(), "python3")
    assert owner_text(hands(), me, str(file)) == "hello"
    with file.open() as opened:
        assert open_files(hands(), me.pid)[opened.fileno()] == str(file)
    assert open_files(hands(), 2**22 + 1) == {}


def test_a_link_to_standard_output_is_known(tmp_path: Path) -> None:
    me = fact_of(os.getpid(), "python3")
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("/dev/stdout")
    (tmp_path / "c").symlink_to("c")
    (tmp_path / "d").write_text("x")
    told = {name: leads_to_device(hands(), me, str(tmp_path / name)) for name in "abcde"}
    assert told == {"a": True, "b": True, "c": True, "d": False, "e": False}


def test_regular(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("x")
    found = regular(str(file))
    assert found is not None
    assert found.st_size == 1
    assert regular(str(tmp_path)) is None
    assert regular("/dev/null") is None
    assert regular(str(tmp_path / "none")) is None
