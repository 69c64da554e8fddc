"""Cases on disk: filed whole or not at all, for their owner only, the oldest dropped first.

As root they lie in /var/lib/weaklink/cases, else below XDG_STATE_HOME. A file is written beside
its place, synced and renamed; a disk that is nearly full is left alone.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import zlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from weaklink.model.base import Record
from weaklink.model.case import Case, CaseError, decode_case, encode_case
from weaklink.model.chain import Chain
from weaklink.model.diagnosis import Diagnosis
from weaklink.model.fact import Host
from weaklink.model.message import Message, say
from weaklink.reach.root import read_bounded
from weaklink.words import texts

MAX_CASES = 200
MAX_BYTES = 500 * 10**6
"""Of all filed Cases together (issue 2); what is older than these allow is dropped."""
LEAST_FREE = 0.05
"""Share of the file system that must stay free: below it we write nothing (PROMISES P3)."""
MAX_FILE = 256 << 20
MAX_UNPACKED = 512 << 20
"""A Case that is larger was not written by us, or is a bomb."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SUFFIX = ".json.gz"

texts(
    {
        "filing.cannot": "{path}: {reason}",
        "filing.full": "{path}: less than 5 % of its file system is free",
        "filing.no-place": "no home folder to file it in",
    }
)


class CannotFile(Exception):  # noqa: N818 - an outcome, said under UNSEEN
    """The Case could not be filed. Carries a Message."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.key)
        self.reason = reason


class Head(Record, frozen=True):
    """The part of a Case that a list needs; the rest of the file is skipped over."""

    id: str
    created: float
    host: Host
    version: str = ""
    note: str = ""
    chain: Chain = Chain()
    diagnoses: list[Diagnosis] = []


class Filed(NamedTuple):
    """One filed Case: where, how large (bytes), when written (epoch seconds)."""

    path: Path
    size: int
    modified: float

    @property
    def id(self) -> str:
        """What `case show` takes."""
        return self.path.name.removesuffix(_SUFFIX)


def folder() -> Path:
    """Where Cases are filed for this user; raises CannotFile where there is no such place."""
    if os.geteuid() == 0:
        return Path("/var/lib/weaklink/cases")
    state = os.environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
        if not home.startswith("/"):
            raise CannotFile(say("filing.no-place"))
        state = f"{home}/.local/state"
    return Path(state, "weaklink", "cases")


def file_case(case: Case, into: Path | None = None) -> Path:
    """Write the Case and drop the oldest ones beyond the caps; raises CannotFile."""
    try:
        return file_packed(case.id, pack(case), into)
    except (UnicodeEncodeError, msgspec.MsgspecError) as error:
        place = str(into or folder())
        raise CannotFile(say("filing.cannot", path=place, reason=str(error))) from None


def file_packed(case_id: str, data: bytes, into: Path | None = None) -> Path:
    """The same for a Case that is packed already; raises CannotFile."""
    place = into or folder()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not owned_by_us(place):
            reason = "not a folder of ours"
            raise CannotFile(say("filing.cannot", path=str(place), reason=reason))
        space = os.statvfs(place)
        if space.f_blocks and space.f_bavail / space.f_blocks < LEAST_FREE:
            raise CannotFile(say("filing.full", path=str(place)))
        path = place / _free_name(place, case_id)
        write_whole(path, data)
        _trim(place, keep=path)
    except OSError as error:
        where = str(error.filename or place)
        reason = error.strerror or type(error).__name__
        raise CannotFile(say("filing.cannot", path=where, reason=reason)) from None
    return path


def owned_by_us(place: Path) -> bool:
    """Whether it is a real folder that belongs to this user and that nobody else may write."""
    found = place.lstat()
    mine = found.st_uid == os.geteuid()
    return mine and place.is_dir() and not place.is_symlink() and not found.st_mode & 0o022


def pack(case: Case) -> bytes:
    """The Case as compressed JSON; the same Case gives the same bytes."""
    return gzip.compress(encode_case(case), compresslevel=4, mtime=0)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file for its owner only, whole or not at all; raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(beside, flags, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _free_name(place: Path, case_id: str) -> str:
    base = (
        case_id
        if _NAME.fullmatch(case_id)
        else f"case-{zlib.crc32(case_id.encode('utf-8', 'replace')):08x}"
    )
    for number in range(1, 1000):
        name = f"{base}{_SUFFIX}" if number == 1 else f"{base}-{number}{_SUFFIX}"
        if not (place / name).exists():
            return name
    return f"{base}-{os.getpid()}{_SUFFIX}"


def filed(place: Path | None = None) -> list[Filed]:
    """Filed Cases, newest first; empty where there are none or we may not look."""
    try:
        entries = list((place or folder()).iterdir())
    except (OSError, CannotFile):
        return []
    found = []
    for path in entries:
        base = path.name.removesuffix(_SUFFIX)
        if path.name == base or not _NAME.fullmatch(base):
            continue
        with contextlib.suppress(OSError):
            stat = path.stat()
            found.append(Filed(path, stat.st_size, stat.st_mtime))
    return sorted(found, key=lambda one: (one.modified, one.path.name), reverse=True)


def _trim(place: Path, keep: Path) -> None:
    total = 0
    for number, one in enumerate(filed(place), start=1):
        total += one.size
        if one.path != keep and (number > MAX_CASES or total > MAX_BYTES):
            with contextlib.suppress(OSError):
                one.path.unlink()


def find(name: str, place: Path | None = None) -> Path:
    """The filed Case of this id, or `last`; raises CaseError with one line."""
    found = filed(place)
    if name == "last":
        if not found:
            raise CaseError("no case is on file; `weaklink diagnose` files one when users hurt")
        return found[0].path
    for one in found:
        if one.id == name:
            return one.path
    raise CaseError(f"{name}: no such case on file; `weaklink case list` shows them")


def read_case(path: str | Path) -> Case:
    """A Case from a file, compressed or not; raises CaseError with one line that says what."""
    return decode_case(unpack(read_file(path), path), path)


def read_head(path: Path) -> Head:
    """What a list shows of a filed Case; raises CaseError."""
    data = unpack(read_file(path), path)
    try:
        return msgspec.json.decode(data, type=Head)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise CaseError(f"{path}: not a Case: {error}") from None


def read_file(path: str | Path) -> bytes:
    """The bytes of a file of at most MAX_FILE; raises CaseError."""
    try:
        data = read_bounded(os.fspath(path), MAX_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CaseError(f"{path}: cannot be read: {reason}") from None
    if len(data) > MAX_FILE:
        raise CaseError(f"{path}: larger than {MAX_FILE >> 20} MiB: not a Case of ours")
    return data


def unpack(data: bytes, where: str | Path) -> bytes:
    """The JSON, unpacked where it is gzip; raises CaseError, also for what grows beyond reason."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        machine = zlib.decompressobj(wbits=31)
        out = machine.decompress(data, MAX_UNPACKED)
    except zlib.error as error:
        raise CaseError(f"{where}: damaged gzip file: {error}") from None
    if machine.unconsumed_tail:
        raise CaseError(
            f"{where}: unpacks to more than {MAX_UNPACKED >> 20} MiB: not a Case of ours"
        )
    if not machine.eof:
        raise CaseError(f"{where}: gzip file is cut short")
    return out
