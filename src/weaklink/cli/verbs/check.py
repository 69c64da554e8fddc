"""Says what can be read here, what cannot, the one command that would allow it, what is touched."""

from __future__ import annotations

import argparse

from weaklink.cli import options
from weaklink.cli.parser import print_text

HELP = "what can be read here, what cannot, what would be touched"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink check`."""
    parser.add_argument("--json", action="store_true", help="the same for programs")
    parser.add_argument("--root", type=options.root, metavar="DIR", help="a frozen host")


def run(args: argparse.Namespace) -> int:
    """Try the accesses that looks need, each for an instant; 0, or 3 where hardly any is there."""
    from weaklink.cli.access import accesses
    from weaklink.cli.rooms import all_probes, all_words
    from weaklink.cli.terminal import colour, columns, language
    from weaklink.reach.root import Root
    from weaklink.report.checked import check_blocks, check_report
    from weaklink.report.phrase import Voice
    from weaklink.report.text import laid_out

    all_words()
    found = accesses(Root(args.root or "/"))
    looks = [(one.name, one.subject, one.about, one.touches) for one in all_probes()]
    if args.json:
        from weaklink.report.jsonout import pretty

        print_text(pretty(check_report(found, looks)))
    else:
        voice = Voice(language())
        blocks = check_blocks(found, looks, voice)
        print_text(laid_out(blocks, voice, colour=colour(), columns=columns()))
    return 0
