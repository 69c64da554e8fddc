"""Explains a cause: what happens, how it fools people, what speaks for and against it."""

from __future__ import annotations

import argparse

from weaklink.cli.fail import Fail
from weaklink.cli.parser import print_text

HELP = "what a cause means, how it is told; all without a name"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink explain`."""
    parser.add_argument("cause", nargs="?", help="id of a cause, for example cache-mass-expiry")
    parser.add_argument("--json", action="store_true", help="the catalogue for programs")
    parser.add_argument("--markdown", action="store_true", help="the catalogue as a page")


def run(args: argparse.Namespace) -> int:
    """Print one cause, or the list of all."""
    from weaklink.cli.rooms import all_causes
    from weaklink.cli.terminal import colour, columns, language
    from weaklink.contain.plan import actions
    from weaklink.report import explain
    from weaklink.report.phrase import Voice
    from weaklink.report.text import laid_out

    causes = all_causes()
    if args.cause is not None and args.cause not in causes:
        near = _near(args.cause, list(causes))
        hint = f"; did you mean {near}?" if near else "; `weaklink explain` lists them"
        raise Fail(f"{args.cause}: no such cause{hint}")
    chosen = {args.cause: causes[args.cause]} if args.cause else causes
    titles = {id_: action.title for id_, action in actions().items()}
    if args.json:
        from weaklink.report.jsonout import pretty

        found = explain.entries(chosen)
        print_text(pretty(found[0] if args.cause else found))
    elif args.markdown:
        print_text(explain.catalogue_markdown(chosen, titles))
    else:
        voice = Voice(language())
        if args.cause:
            blocks = explain.explained(causes[args.cause], titles, voice)
        else:
            blocks = explain.overview(causes)
        print_text(laid_out(blocks, voice, colour=colour(), columns=columns()))
    return 0


def _near(word: str, names: list[str]) -> str:
    import difflib

    found = difflib.get_close_matches(word, names, n=1)
    return found[0] if found else ""
