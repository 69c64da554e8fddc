"""Collects what this host's tools say into one redacted file, for `weaklink read` elsewhere."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from weaklink.cli.fail import Fail
from weaklink.cli.parser import print_text
from weaklink.model.message import Message, say
from weaklink.words import texts

if TYPE_CHECKING:
    from weaklink.capture.collect import Text
    from weaklink.capture.pack import Manifest
    from weaklink.capture.wanted import Wanted

HELP = "what this host's tools say, redacted, for `weaklink read`"
WINDOW = 1.0
"""Seconds of looking: enough to find the chain's processes, logs and caches."""
SECONDS = 30.0
SHOWN = 8
"""Commands without a text that are named on the screen."""

texts(
    {
        "capture.written": "{file}: {count} texts, {kilobytes} kB; secrets are hidden",
        "capture.written-hidden": "{file}: {count} texts, {kilobytes} kB; hidden: secrets, {what}",
        "capture.look": "Look at it before you pass it on; to read it: weaklink read {file}",
        "capture.missing": "not installed here, or nothing to tell: {tools}",
        "capture.why": "not in it: {command}: {reason}",
        "capture.more": "and {count} more, listed in its {manifest}",
    }
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink capture`."""
    parser.add_argument("-o", dest="file", default="", metavar="FILE", help="where to; - stdout")
    parser.add_argument(
        "--for", dest="seconds", type=float, default=SECONDS, metavar="S", help="seconds at most"
    )
    parser.add_argument(
        "--hide", default="", metavar="WHAT", help="addresses, names, or both: addresses,names"
    )
    parser.add_argument("--list", action="store_true", help="show the commands, run none")


def run(args: argparse.Namespace) -> int:
    """Collect, pack, write; 0, or Fail where nothing could be written."""
    import time

    from weaklink.capture.collect import collect
    from weaklink.capture.hide import WHAT, Disguise
    from weaklink.capture.pack import pack
    from weaklink.cli.terminal import language
    from weaklink.report.phrase import Voice, phrase

    hidden = [word for word in args.hide.split(",") if word]
    for word in hidden:
        if word not in WHAT:
            raise Fail(f"--hide {word}: there are {', '.join(WHAT)}")
    if not 1 <= args.seconds <= 600:
        raise Fail(f"--for {args.seconds:g}: 1 to 600 seconds")
    commands = _commands()
    if args.list:
        print_text("".join(f"{one.command}\n" for one in commands))
        return 0
    at = time.time()
    disguise = Disguise(hidden, _names() if hidden else ())
    data, manifest = pack(
        collect(commands, args.seconds, _told), at, disguise, lambda m: phrase(m, Voice(language()))
    )
    if args.file == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return 0
    _show(manifest, _write(args.file or _file_name(at), data), len(data), hidden)
    return 0


def _commands() -> list[Wanted]:
    from weaklink import incident
    from weaklink.capture.here import words_of
    from weaklink.capture.wanted import wanted
    from weaklink.reach.root import Root

    case = incident.look(None, incident.Options(window=WINDOW))
    return list(wanted(words_of(case, Root())))


def _names() -> set[str]:
    import socket

    from weaklink.capture.hide import names_of_this_host
    from weaklink.reach.root import Root

    try:
        hosts = Root().text("/etc/hosts", 1 << 20)
    except OSError:
        hosts = ""
    return names_of_this_host(socket.gethostname(), hosts)


def _told(text: Text) -> None:
    """One line on stderr that is written over, where a person watches."""
    if sys.stderr.isatty():
        from weaklink.report.safe import visible

        sys.stderr.write(f"\r\x1b[2K{visible(text.command, 70)}")
        sys.stderr.flush()


def _file_name(at: float) -> str:
    import time

    return time.strftime("weaklink-%Y%m%dT%H%M%SZ.tar.gz", time.gmtime(at))


def _write(file: str, data: bytes) -> str:
    from pathlib import Path

    from weaklink.recorder.case_files import write_whole

    try:
        write_whole(Path(file), data)
    except OSError as error:
        raise Fail(f"{file}: cannot be written: {error.strerror}") from None
    return file


def _show(manifest: Manifest, file: str, size: int, hidden: list[str]) -> None:
    """What was written and, in few lines, what is not in it and why."""
    from weaklink.cli.terminal import columns, language
    from weaklink.report.phrase import Voice, phrase
    from weaklink.report.wrap import wrap

    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")
    voice = Voice(language())
    lines = [phrase(line, voice) for line in _summary(manifest, file, size, hidden)]
    text = [row for line in lines for row in wrap(line, columns(), hang="  ")]
    print_text("\n".join(text) + "\n")


def _summary(manifest: Manifest, file: str, size: int, hidden: list[str]) -> list[Message]:
    from weaklink.capture.pack import MANIFEST

    kept = {entry.command.split()[0] for entry in manifest.texts if entry.file}
    absent = {entry.command.split()[0] for entry in manifest.texts if entry.state == "absent"}
    refused = [entry for entry in manifest.texts if entry.state not in ("absent", "kept")]
    count = sum(1 for entry in manifest.texts if entry.file)
    written = "capture.written-hidden" if hidden else "capture.written"
    what = ", ".join(hidden)
    lines = [say(written, file=file, count=count, kilobytes=round(size / 1e3), what=what)]
    if absent - kept:
        lines.append(say("capture.missing", tools=", ".join(sorted(absent - kept))))
    lines += [say("capture.why", command=one.command, reason=one.reason) for one in refused[:SHOWN]]
    if len(refused) > SHOWN:
        lines.append(say("capture.more", count=len(refused) - SHOWN, manifest=MANIFEST))
    lines.append(say("capture.look", file=file))
    return lines
