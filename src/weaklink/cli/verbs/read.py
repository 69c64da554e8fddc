"""Reads pasted output, files and bundles like an expert, without touching this machine."""

from __future__ import annotations

import argparse
import sys

from weaklink.cli.fail import Fail
from weaklink.model.finding import Verdict

HELP = "what pasted output, a file or a bundle says (`-`: stdin)"
EXIT: dict[Verdict, int] = {"healthy": 0, "warn": 1, "critical": 1, "unknown": 3}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink read`."""
    parser.add_argument(
        "paths", nargs="*", metavar="FILE", help="files, folders, tar, zip; - stdin"
    )
    parser.add_argument("--json", action="store_true", help="weaklink/read/1 for programs")


def run(args: argparse.Namespace) -> int:
    """Read, judge, print. Exit 0 healthy, 1 warn or critical, 3 unknown; raises Fail."""
    from weaklink.cli.parser import print_text
    from weaklink.cli.terminal import columns, language
    from weaklink.locate.reading import judge_text, verdict_of
    from weaklink.reach.confined import read_confined
    from weaklink.report.reading import json_reading, project, text_reading

    paths = args.paths or ["-"]
    if paths == ["-"] and sys.stdin.isatty():
        print("paste, then Ctrl-D:", file=sys.stderr)
    readings = read_confined(paths, sys.stdin.buffer if "-" in paths else None)
    failed = [reading for reading in readings if reading.failed]
    if not readings or len(failed) == len(readings):
        first = failed[0] if failed else None
        raise Fail(f"{first.source or '-'}: {first.failed}" if first else "nothing to read there")
    case = judge_text(readings)
    verdict = verdict_of(case)
    form = project(case, readings, verdict, language())
    if args.json:
        print_text(json_reading(form))
    else:
        print_text(text_reading(form, readings, language(), columns()))
    return EXIT[verdict]
