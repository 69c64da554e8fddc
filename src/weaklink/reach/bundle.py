"""Opens what people hand over: a file, a folder, a tar or zip, a sosreport; bounded throughout.

Nothing is unpacked to disk and no symbolic link is followed. What is over a bound is skipped and
said. Meant to run in a child with limits (`reach.confined`): archives lie about their sizes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import IO, NamedTuple, cast

MAX_FILES = 3000
MAX_FILE = 64 << 20
"""Of one text its first half and its last half are read; 50 MB of log pass whole."""
MAX_TOTAL = 192 << 20
MAX_DEPTH = 12
MAX_SNIFFED = 4096


class Piece(NamedTuple):
    """One text: where it stood, its bytes, whether its middle is missing, why it is not here."""

    name: str
    data: bytes
    cut: bool = False
    failed: str = ""


def open_paths(paths: list[str], stdin: IO[bytes] | None = None) -> Iterator[Piece]:
    """Every text under the paths (`-` for standard input), in the order of their names."""
    left = MAX_TOTAL
    count = 0
    for path in paths:
        for piece in _pieces(path, stdin):
            count += 1
            left -= len(piece.data)
            if count > MAX_FILES or left < 0:
                yield Piece(piece.name, b"", failed="too much at once: the rest was not read")
                return
            yield piece


def _pieces(path: str, stdin: IO[bytes] | None) -> Iterator[Piece]:
    try:
        if path == "-":
            if stdin is not None:
                yield from _from_file("", stdin)
            return
        mode = os.stat(path).st_mode  # noqa: PTH116
        if stat.S_ISDIR(mode):
            yield from _folder(path)
        elif stat.S_ISREG(mode):
            with open(path, "rb") as file:
                yield from _from_file(path, file)
        else:
            yield Piece(path, b"", failed="neither a file nor a folder")
    except OSError as error:
        yield Piece(path, b"", failed=error.strerror or str(error))


def _folder(top: str) -> Iterator[Piece]:
    seen = 0
    for folder, names, files in os.walk(top, followlinks=False):
        names.sort()
        if folder[len(top) :].count(os.sep) >= MAX_DEPTH:
            names.clear()
        for name in sorted(files):
            path = os.path.join(folder, name)  # noqa: PTH118
            seen += 1
            if seen > MAX_FILES:
                return
            try:
                if not stat.S_ISREG(os.lstat(path).st_mode):
                    continue
                with open(path, "rb") as file:
                    yield from _from_file(path, file)
            except OSError as error:
                yield Piece(path, b"", failed=error.strerror or str(error))


def _from_file(name: str, file: IO[bytes]) -> Iterator[Piece]:
    """A text as it is, or each text in an archive."""
    import io

    head = file.read(512)
    if head[:4] == b"PK\x03\x04":
        yield from _zip(name, _seekable(head, file))
    elif head[:2] == b"\x1f\x8b" or head[:3] == b"BZh" or head[:6] == b"\xfd7zXZ\x00":
        yield from _compressed(name, _seekable(head, file))
    elif head[257:262] == b"ustar":
        yield from _tar(name, _seekable(head, file))
    elif _is_text(head):
        yield _text(name, io.BytesIO(head), file)
    else:
        yield Piece(name, b"", failed="not a text")


def _seekable(head: bytes, file: IO[bytes]) -> IO[bytes]:
    import io

    if file.seekable():
        file.seek(0)
        return file
    return io.BytesIO(head + file.read(MAX_TOTAL))


def _is_text(head: bytes) -> bool:
    return head.count(b"\x00") <= len(head) // 64


def _text(name: str, *files: IO[bytes]) -> Piece:
    """All bytes of the files after one another; over the cap, their beginning and their end."""
    half = MAX_FILE // 2
    begun: list[bytes] = []
    tail: list[bytes] = []
    first = kept = 0
    dropped = False
    for file in files:
        while part := file.read(1 << 20):
            if first + len(part) <= half and not tail:
                begun.append(part)
                first += len(part)
                continue
            tail.append(part)
            kept += len(part)
            while kept - len(tail[0]) >= half:
                kept -= len(tail.pop(0))
                dropped = True
    start, end = b"".join(begun), b"".join(tail)
    cut = dropped or len(end) > half
    if cut:
        end = end[-half:]
        end = end[end.find(b"\n") + 1 :]
        start = start[: start.rfind(b"\n") + 1]
    return Piece(name, start + end, cut)


def _compressed(name: str, file: IO[bytes]) -> Iterator[Piece]:
    """A gzip, bzip2 or xz: a tar inside, or one text."""
    import bz2
    import gzip
    import lzma
    import zlib

    head = file.read(6)
    file.seek(0)
    opened: IO[bytes]
    if head[:2] == b"\x1f\x8b":
        opened = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    elif head[:3] == b"BZh":
        opened = bz2.open(file)  # noqa: SIM115 - closed with its underlying file
    else:
        opened = lzma.open(file)  # noqa: SIM115
    try:
        start = opened.read(512)
        opened.seek(0)
        if start[257:262] == b"ustar":
            yield from _tar(name, opened)
        elif _is_text(start):
            yield _text(name, opened)
        else:
            yield Piece(name, b"", failed="not a text")
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        yield Piece(name, b"", failed=f"broken archive: {error}")


def _tar(name: str, file: IO[bytes]) -> Iterator[Piece]:
    import tarfile
    import zlib

    total = 0
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for count, member in enumerate(archive):
                if count >= MAX_FILES or total >= MAX_TOTAL:
                    return
                if not member.isreg():
                    continue
                inside = archive.extractfile(member)
                if inside is None:
                    continue
                piece = _member(f"{name}:{member.name}", inside)
                total += len(piece.data)
                yield piece
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        yield Piece(name, b"", failed=f"broken archive: {error}")


def _zip(name: str, file: IO[bytes]) -> Iterator[Piece]:
    import zipfile
    import zlib

    total = 0
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist()[:MAX_FILES]:
                if member.is_dir() or member.flag_bits & 1 or total >= MAX_TOTAL:
                    continue
                with archive.open(member) as inside:
                    piece = _member(f"{name}:{member.filename}", inside)
                total += len(piece.data)
                yield piece
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        NotImplementedError,
        RuntimeError,
        OSError,
        EOFError,
        zlib.error,
        ValueError,
    ) as error:
        yield Piece(name, b"", failed=f"broken archive: {error}")


def _member(name: str, inside: IO[bytes]) -> Piece:
    """A text of an archive; an archive inside an archive is not opened."""
    import io

    head = inside.read(512)
    if not _is_text(head) or head[:2] in {b"\x1f\x8b", b"PK", b"BZ"}:
        return Piece(name, b"", failed="not a text")
    return _text(name, io.BytesIO(head), inside)
