"""Writes the bundle: one text a command, and a list of what is in it and what is not."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable, Sequence

import msgspec

import weaklink
from weaklink.capture.collect import Text
from weaklink.capture.hide import Disguise
from weaklink.model.base import Whole
from weaklink.model.message import Message

MANIFEST = "weaklink-capture.json"
SCHEMA = "weaklink/capture/1"
MAX_SLUG = 60
_SLUG = re.compile(r"[^A-Za-z0-9.]+")


class Entry(Whole, frozen=True):
    """One command: `file` is '' where there is no text, `reason` then says why."""

    command: str
    state: str
    file: str = ""
    bytes: int = 0
    reason: str = ""


class Manifest(Whole, frozen=True):
    """What `weaklink-capture.json` holds; `at` in epoch seconds."""

    schema: str
    at: float
    version: str
    hidden: list[str]
    texts: list[Entry]


def pack(
    texts: Sequence[Text],
    at: float,
    disguise: Disguise,
    said: Callable[[Message], str],
) -> tuple[bytes, Manifest]:
    """(the bytes of a tar.gz, its manifest). Each text begins with the command after a prompt."""
    entries: list[Entry] = []
    files: list[tuple[str, bytes]] = []
    for number, text in enumerate(texts, 1):
        command = disguise.text(text.command)
        if text.state != "kept":
            reason = disguise.text(said(text.reason)) if text.reason else ""
            entries.append(Entry(command, text.state, reason=reason))
            continue
        name = f"{number:03d}-{_SLUG.sub('-', command).strip('-')[:MAX_SLUG]}.txt"
        body = f"$ {command}\n{disguise.text(text.text).rstrip()}\n"
        data = body.encode("utf-8", "backslashreplace")
        entries.append(Entry(command, text.state, name, len(data)))
        files.append((name, data))
    manifest = Manifest(SCHEMA, at, weaklink.__version__, sorted(disguise.what), entries)
    listed = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    return _tar([(MANIFEST, listed), *files], at), manifest


def _tar(files: Sequence[tuple[str, bytes]], at: float) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as archive:
        for name, data in files:
            member = tarfile.TarInfo(f"weaklink-capture/{name}")
            member.size, member.mtime, member.mode = len(data), int(at), 0o600
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()
