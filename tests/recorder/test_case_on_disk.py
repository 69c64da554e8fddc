"""A Case is filed whole, for its owner only, and never fills the disk."""

from __future__ import annotations

import gzip
import os
import stat
from pathlib import Path

import pytest
from msgspec import structs

from weaklink.model.case import CaseError, encode_case
from weaklink.recorder import case_files
from weaklink.testing.recorded_case import worked_incident


def test_it_comes_back_as_it_went(tmp_path: Path) -> None:
    case = worked_incident()
    path = case_files.file_case(case, tmp_path / "cases")
    assert case_files.read_case(path) == case
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_same_id_twice_keeps_both(tmp_path: Path) -> None:
    first = case_files.file_case(worked_incident(), tmp_path)
    second = case_files.file_case(worked_incident(), tmp_path)
    assert first != second
    assert len(case_files.filed(tmp_path)) == 2


def test_an_id_from_outside_is_no_path(tmp_path: Path) -> None:
    case = structs.replace(worked_incident(), id="../../etc/passwd\x00")
    assert case_files.file_case(case, tmp_path).parent == tmp_path


def test_the_oldest_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_files, "MAX_CASES", 3)
    paths = []
    for number in range(5):
        case = structs.replace(worked_incident(), id=f"case-{number}")
        paths.append(case_files.file_case(case, tmp_path))
        os.utime(paths[-1], (number, number))
    assert {one.id for one in case_files.filed(tmp_path)} == {"case-2", "case-3", "case-4"}


def test_a_cap_on_bytes_never_drops_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case_files, "MAX_BYTES", 10)
    old = case_files.file_case(structs.replace(worked_incident(), id="old"), tmp_path)
    os.utime(old, (1, 1))
    new = case_files.file_case(structs.replace(worked_incident(), id="new"), tmp_path)
    assert [one.path for one in case_files.filed(tmp_path)] == [new]


def test_a_nearly_full_disk_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_files, "LEAST_FREE", 1.1)
    with pytest.raises(case_files.CannotFile) as error:
        case_files.file_case(worked_incident(), tmp_path)
    assert error.value.reason.key == "filing.full"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_not_written_to(tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for place in (open_to_all, link):
        with pytest.raises(case_files.CannotFile):
            case_files.file_case(worked_incident(), place)


def test_no_place_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(case_files.CannotFile) as error:
        case_files.file_case(worked_incident(), blocked / "cases")
    assert "file" in str(error.value.reason.args["path"])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{}", "not a weaklink/case/1 file"),
        (b"\x00\xff", "not a weaklink/case/1 file"),
        (gzip.compress(b"{}", mtime=0)[:-3], "cut short"),
        (b"\x1f\x8bnonsense", "damaged gzip"),
    ],
)
def test_what_is_no_case_is_one_line(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(CaseError, match=says) as error:
        case_files.read_case(path)
    assert "\n" not in str(error.value)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_files, "MAX_UNPACKED", 1000)
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(b" " * 100_000))
    with pytest.raises(CaseError, match="unpacks to more"):
        case_files.read_case(path)


def test_a_pipe_does_not_hang_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaseError, match="not a regular file"):
        case_files.read_case(tmp_path / "pipe")


def test_the_head_is_enough_for_a_list(tmp_path: Path) -> None:
    path = case_files.file_case(worked_incident(), tmp_path)
    head = case_files.read_head(path)
    assert head.diagnoses[-1].causes[0].id == "cache-mass-expiry"
    assert case_files.find("last", tmp_path) == path
    with pytest.raises(CaseError, match="no such case"):
        case_files.find("other", tmp_path)


def test_plain_json_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(encode_case(worked_incident()))
    assert case_files.read_case(path).id == worked_incident().id
