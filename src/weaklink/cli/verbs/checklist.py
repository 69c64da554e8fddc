"""Which commands a person would run for a shape, in order, what each must show, which can hurt."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weaklink.cli.fail import Fail
from weaklink.cli.parser import print_text

if TYPE_CHECKING:
    from weaklink.report.checklist import Here

HELP = "the commands a person would run, in order; which can hurt"
WINDOW = 1.0
"""Seconds: enough to find the chain."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink checklist`."""
    parser.add_argument("shape", nargs="?", default="", help="total-outage, widespread-timeouts …")
    parser.add_argument("--here", action="store_true", help="fill in this machine's chain")
    parser.add_argument("--json", action="store_true", help="the same for programs")
    parser.add_argument("-o", dest="form", choices=("text", "md"), default="text")


def run(args: argparse.Namespace) -> int:
    """Print the list of one shape, or of all."""
    from weaklink.cli.terminal import colour, columns, language
    from weaklink.report import checklist
    from weaklink.report.checklist_steps import SHAPES
    from weaklink.report.phrase import Voice
    from weaklink.report.text import laid_out

    if args.shape and args.shape not in SHAPES:
        raise Fail(f"{args.shape}: no such shape; there are {', '.join(SHAPES)}")
    here = _here() if args.here else None
    report = checklist.checklist_report(args.shape, here)
    if args.json:
        from weaklink.report.jsonout import pretty

        print_text(pretty(report))
    elif args.form == "md":
        print_text(checklist.checklist_markdown(report))
    else:
        voice = Voice(language())
        blocks = checklist.checklist_blocks(args.shape, here, voice)
        print_text(laid_out(blocks, voice, colour=colour(), columns=columns()))
    return 0


def _here() -> Here:
    """This machine's chain, and which of the programs are not installed."""
    from weaklink import incident
    from weaklink.reach.exec import find_tool
    from weaklink.reach.host import NotHere
    from weaklink.report.checklist import Here, values_of
    from weaklink.report.checklist_steps import STEPS

    case = incident.look(None, incident.Options(window=WINDOW))
    missing = []
    for tool in sorted({step.tool for step in STEPS if step.tool}):
        try:
            find_tool(tool)
        except NotHere:
            missing.append(tool)
    return Here(values=values_of(case), missing=missing)
