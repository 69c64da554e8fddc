"""Replays a real incident that ships with the package: judged now, as if it were on this host."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weaklink.cli.fail import Fail
from weaklink.cli.output import format_arguments, show
from weaklink.cli.parser import print_text

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

HELP = "a recorded incident, judged again: what a diagnosis is like"
_SUFFIX = ".json.gz"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink replay`."""
    parser.add_argument("name", nargs="?", help="which recording; the first one if left out")
    parser.add_argument("--list", action="store_true", help="name the recordings")
    format_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Judge a shipped recording and show it. Always 0: the incident is not this machine's."""
    from weaklink import incident
    from weaklink.cli.rooms import all_words
    from weaklink.cli.terminal import language
    from weaklink.model.case import CaseError, decode_case, grow
    from weaklink.model.message import say
    from weaklink.recorder.case_files import unpack
    from weaklink.report.phrase import Voice, phrase
    from weaklink.report.screen import Wish

    all_words()
    known = recordings()
    if args.list:
        print_text("".join(f"{name}\n" for name in known))
        return 0
    if not known:
        raise Fail("this installation ships no recorded incident")
    name = args.name if args.name is not None else next(iter(known))
    if name not in known:
        raise Fail(f"{name}: no such recording; there are {', '.join(known)}")
    try:
        case = decode_case(unpack(known[name].read_bytes(), name), name)
    except CaseError as error:
        raise Fail(str(error)) from None
    speaks = language()
    note = phrase(say("replay.note", name=name), Voice(speaks))
    case = incident.judge(grow(case, note=f"{note} {case.note}".strip()))
    more = "" if args.name is None else f" {name}"
    wish = Wish(language=speaks, verbose=args.verbose, steps_command=f"weaklink replay{more} -v")
    show(case, args, wish)
    return 0


def recordings() -> dict[str, Traversable]:
    """Shipped recordings by name."""
    from importlib import resources

    place = resources.files("weaklink.testing").joinpath("incidents")
    if not place.is_dir():
        return {}
    found = {
        one.name.removesuffix(_SUFFIX): one for one in place.iterdir() if one.name.endswith(_SUFFIX)
    }
    return {name: found[name] for name in sorted(found)}
