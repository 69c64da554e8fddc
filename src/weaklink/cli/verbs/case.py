"""Lists, shows and saves the Cases that were filed when users were hurt."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weaklink.cli.fail import Fail
from weaklink.cli.output import format_arguments, show
from weaklink.cli.parser import print_text

if TYPE_CHECKING:
    from weaklink.recorder.case_files import Head

HELP = "incidents on file: list, show one again, save a copy"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink case`."""
    ways = parser.add_subparsers(dest="way", metavar="list|show|save", required=True)
    listing = ways.add_parser("list", help="what is on file, newest first", allow_abbrev=False)
    listing.add_argument("--json", action="store_true")
    showing = ways.add_parser("show", help="one Case as it was judged", allow_abbrev=False)
    showing.add_argument("id", nargs="?", default="last", help="its id; the last one if left out")
    format_arguments(showing)
    saving = ways.add_parser("save", help="copy one to a file, to pass on", allow_abbrev=False)
    saving.add_argument("file", help="where to; compressed where it ends in .gz")
    saving.add_argument("id", nargs="?", default="last", help="its id; the last one if left out")


def run(args: argparse.Namespace) -> int:
    """List, show or save; 0, or the exit code of the Case that is shown."""
    from weaklink.model.case import CaseError

    try:
        match args.way:
            case "list":
                return _list(json=args.json)
            case "show":
                return _show(args)
            case _:
                return _save(args.id, args.file)
    except CaseError as error:
        raise Fail(str(error)) from None


def _list(*, json: bool) -> int:
    from weaklink.model.case import CaseError
    from weaklink.recorder.case_files import filed, read_head

    rows: list[dict[str, str]] = []
    for one in filed():
        try:
            head = read_head(one.path)
        except CaseError as error:
            rows.append({"id": one.id, "at": "", "host": "", "says": f"damaged: {error}"})
            continue
        rows.append(_row(one.id, head))
    if json:
        from weaklink.report.jsonout import pretty

        print_text(pretty(rows))
        return 0
    from weaklink.report.safe import visible

    if not rows:
        print_text("no case is on file; `weaklink diagnose` files one when users hurt\n")
    for row in rows:
        line = "  ".join(visible(row[name], 120) for name in ("id", "at", "host", "says"))
        print_text(line.rstrip() + "\n")
    return 0


def _row(id_: str, head: Head) -> dict[str, str]:
    from weaklink.report.human import rfc3339
    from weaklink.report.names import said_link

    says = "no diagnosis"
    if head.diagnoses:
        last = head.diagnoses[-1]
        names = [
            f"{cause.id} on {said_link(head.chain, cause.link)}"
            for cause in last.causes
            if cause.named
        ]
        says = ", ".join(names) or f"{last.pain.shape.id}, unexplained"
    return {"id": id_, "at": rfc3339(head.created) or "", "host": head.host.name, "says": says}


def _show(args: argparse.Namespace) -> int:
    from weaklink.cli.rooms import all_causes
    from weaklink.cli.terminal import language
    from weaklink.recorder.case_files import find, read_case
    from weaklink.report.screen import Wish

    path = find(args.id)
    case = read_case(path)
    all_causes()
    command = "weaklink case show -v" if args.id == "last" else f"weaklink case show {args.id} -v"
    wish = Wish(language=language(), verbose=args.verbose, filed=str(path), steps_command=command)
    return show(case, args, wish)


def _save(id_: str, file: str) -> int:
    from pathlib import Path

    from weaklink.model.case import encode_case
    from weaklink.recorder.case_files import find, pack, read_case, write_whole

    case = read_case(find(id_))
    data = pack(case) if file.endswith(".gz") else encode_case(case)
    try:
        write_whole(Path(file), data)
    except OSError as error:
        raise Fail(f"{file}: cannot be written: {error.strerror}") from None
    print_text(f"{file}: {len(data)} bytes\n")
    return 0
