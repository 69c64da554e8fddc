"""Strangers' files: read in a child with caps; folders, tar, zip, bombs, broken ones."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from weaklink.cli.main import run
from weaklink.reach.bundle import open_paths
from weaklink.reach.confined import read_confined

MDSTAT = (
    b"Personalities : [raid1]\nmd5 : active raid1 sdb1[1] sda1[0]\n"
    b"      524224 blocks super 1.2 [2/1] [U_]\n\nunused devices: <none>\n"
)


def a_tar(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in (("sos/proc/mdstat", MDSTAT), ("sos/bin", b"\x00" * 999)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("sos/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


@pytest.mark.parametrize("kind", ["plain", "folder", "tar", "tgz", "zip", "gz"])
def test_each_form_of_a_bundle_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bundle"
    if kind == "plain":
        path.write_bytes(MDSTAT)
    elif kind == "folder":
        (path / "proc").mkdir(parents=True)
        (path / "proc" / "mdstat").write_bytes(MDSTAT)
        (path / "proc" / "link").symlink_to("/etc/passwd")
    elif kind in {"tar", "tgz"}:
        a_tar(path, "w" if kind == "tar" else "w:gz")
    elif kind == "gz":
        path.write_bytes(gzip.compress(MDSTAT))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("proc/mdstat", MDSTAT)
    readings = read_confined([str(path)])
    parts = [part for reading in readings for part in reading.parts]
    assert [part.tool for part in parts] == ["mdstat"]
    assert not any("passwd" in reading.source or "link" in reading.source for reading in readings)


def test_a_zip_bomb_stops_at_the_cap_and_leaves_us_alive(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as bomb:
        for _ in range(300):
            bomb.write(b"a line of nothing that is repeated\n" * 30_000)
    readings = read_confined([str(path)], cpu_seconds=60)
    assert readings[0].failed or readings[0].cut


def test_a_child_that_runs_out_of_memory_is_said(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"some line of text\n" * 2_000_000)
    readings = read_confined([str(path)], memory_bytes=120 << 20)
    assert "limit" in readings[0].failed


def test_broken_archives_and_pictures_are_said_not_raised(tmp_path: Path) -> None:
    whole = a_tar(tmp_path / "a.tgz", "w:gz").read_bytes()
    (tmp_path / "cut.tgz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "zip").write_bytes(b"PK\x03\x04" + b"\xff" * 500)
    (tmp_path / "picture").write_bytes(b"\x89PNG" + bytes(range(256)) + b"\x00" * 400)
    names = [str(tmp_path / name) for name in ("cut.tgz", "zip", "picture")]
    assert all(piece.failed for piece in open_paths(names))


def test_a_fifo_and_a_missing_file_are_said(tmp_path: Path) -> None:
    import os

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    pieces = list(open_paths([str(fifo), str(tmp_path / "nowhere")]))
    assert [bool(piece.failed) for piece in pieces] == [True, True]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (MDSTAT, 1),
        (MDSTAT.replace(b"[2/1] [U_]", b"[2/2] [UU]"), 0),
        (b"hello\n", 3),
    ],
)
def test_the_command_leaves_with_the_worst_verdict(
    tmp_path: Path, text: bytes, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text"
    path.write_bytes(text)
    assert run(["read", str(path)]) == code
    assert run(["read", "--json", str(path)]) == code
    assert '"schema": "weaklink/read/1"' in capfd.readouterr().out


def test_what_cannot_be_read_is_one_line_and_code_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["read", str(tmp_path / "nowhere")]) == 2
    assert capfd.readouterr().err.count("\n") == 1
