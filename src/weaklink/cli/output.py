"""Shows a Case as it was asked for: the screen, Markdown, JSON or one line for monitoring."""

from __future__ import annotations

import argparse

from weaklink.cli.parser import print_text
from weaklink.model.case import Case
from weaklink.report.screen import Wish
from weaklink.report.verdict import exit_code, nagios_code


def format_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of every verb that shows a Case."""
    parser.add_argument(
        "-o",
        dest="output",
        choices=["text", "md", "json"],
        default="text",
        help="text for the terminal, md to paste into a channel, json for programs",
    )
    parser.add_argument("--json", action="store_true", help="the same as -o json")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="commands and undo, every look, its cost"
    )


def show(case: Case, args: argparse.Namespace, wish: Wish) -> int:
    """Print the Case; the exit code of its verdict."""
    if getattr(args, "nagios", False):
        from weaklink.report.nagios import nagios_line

        print_text(nagios_line(case, wish.language))
        return nagios_code(case)
    if args.json or args.output == "json":
        from weaklink.report.jsonout import json_report

        print_text(json_report(case, wish))
    elif args.output == "md":
        from weaklink.report.markdown import markdown

        print_text(markdown(case, wish))
    else:
        from weaklink.cli.terminal import colour, columns
        from weaklink.report.text import screen

        print_text(screen(case, wish, colour=colour(), columns=columns()))
    return exit_code(case)
