"""Looks at one subject of this machine (disk, cpu, cache …) and says what is wrong with it."""

from __future__ import annotations

import argparse

from weaklink.cli import options
from weaklink.cli.fail import Fail
from weaklink.cli.output import format_arguments, show

HELP = "findings about one subject (cpu, disk, cache …), whatever users feel"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink look`."""
    parser.add_argument("subject", nargs="?", help="what to look at; all of it where left out")
    format_arguments(parser)
    parser.add_argument("--for", dest="window", type=options.window, metavar="10s")
    parser.add_argument("--root", type=options.root, metavar="DIR", help="look at a frozen host")


def run(args: argparse.Namespace) -> int:
    """Look and show the findings; 1 where one is critical."""
    from weaklink import incident
    from weaklink.cli.guard import GRACE, within
    from weaklink.cli.terminal import language
    from weaklink.report.screen import Wish

    known = subjects()
    if args.subject is not None and args.subject not in known:
        raise Fail(f"{args.subject}: no such subject; there are {', '.join(known)}")
    default = incident.Options()
    wanted = incident.Options(window=args.window or default.window, root=args.root or "/")
    case = within(
        max(wanted.timeout, wanted.window) + GRACE, lambda: incident.look(args.subject, wanted)
    )
    return show(case, args, Wish(language=language(), verbose=args.verbose))


def subjects() -> list[str]:
    """Subjects that some probe or source looks at."""
    from weaklink.cli.rooms import all_probes

    return sorted({one.subject for one in all_probes()})
