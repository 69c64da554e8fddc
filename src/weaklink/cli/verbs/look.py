"""Looks at one subject of this machine (disk, cpu, cache …) and says what is wrong with it."""

from __future__ import annotations

import argparse

from weaklink.cli import options
from weaklink.cli.fail import Fail
from weaklink.cli.output import format_arguments, show

WINDOW = 2.0
"""Seconds: enough for a rate of every counter; a person waits for it."""
HELP = "findings about one subject (cpu, disk …) or all"


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
    wanted = incident.Options(window=args.window or WINDOW, root=args.root or "/")
    case = within(
        max(wanted.timeout, wanted.window) + GRACE, lambda: incident.look(args.subject, wanted)
    )
    return show(case, args, Wish(language=language(), verbose=args.verbose))


def subjects() -> list[str]:
    """Subjects that some look gives findings or evidence about."""
    from weaklink.locate.look import looks

    return sorted({one.subject for one in looks()})
