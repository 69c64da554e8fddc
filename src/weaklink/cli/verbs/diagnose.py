"""Looks at the chain that runs here now (or at a Case on file) and says which link is weak."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from weaklink.cli import options
from weaklink.cli.fail import Fail
from weaklink.cli.output import format_arguments, show

if TYPE_CHECKING:
    from weaklink.model.case import Case
    from weaklink.report.screen import Wish

JUST_OVER = 30.0
"""Seconds within which the end of a span is still now."""
HELP = "which link is weak, why, what to do now (the default)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink` and `weaklink diagnose`."""
    format_arguments(parser)
    parser.add_argument(
        "--for", dest="window", type=options.window, metavar="10s", help="how long to look (6s)"
    )
    parser.add_argument(
        "--timeout", type=options.duration, metavar="20s", help="hard stop, from the command (20s)"
    )
    parser.add_argument(
        "--since", type=options.moment, metavar="15:04", help="read the past from then on (or 10m)"
    )
    parser.add_argument("--until", type=options.moment, metavar="15:30", help="and up to then")
    parser.add_argument(
        "--at", type=options.moment, metavar="03:07", help="tell that moment from the recording"
    )
    parser.add_argument("--box", metavar="DIR", help="the recording's folder, if not the usual one")
    parser.add_argument(
        "--recording-only", action="store_true", help="with --at: leave out deep looks on file"
    )
    parser.add_argument(
        "--entry", type=options.entry, metavar="URL", help="ask this URL like a user would, GET"
    )
    parser.add_argument(
        "--prometheus",
        type=options.entry,
        metavar="URL",
        help="ask this Prometheus (or compatible) for the hour before",
    )
    parser.add_argument("--root", type=options.root, metavar="DIR", help="look at a frozen host")
    parser.add_argument("--case", metavar="FILE", help="judge a filed Case again (- for stdin)")
    parser.add_argument("--no-file", action="store_true", help="file no Case when users hurt")
    parser.add_argument(
        "--nagios", action="store_true", help="one line and exit codes for a monitoring system"
    )


def run(args: argparse.Namespace) -> int:
    """Look, judge, file, show; the exit code."""
    from weaklink.cli.terminal import language

    _refuse_nonsense(args)
    speaks = language()
    case = _from_file(args.case) if args.case else _recalled(args, speaks) or _live(args, speaks)
    return show(case, args, _filed(case, args, speaks))


def _refuse_nonsense(args: argparse.Namespace) -> None:
    given = [
        option
        for option, value in (
            ("--for", args.window),
            ("--at", args.at),
            ("--since", args.since),
            ("--until", args.until),
            ("--entry", args.entry),
            ("--root", args.root),
            ("--prometheus", args.prometheus),
        )
        if value is not None
    ]
    if args.case and given:
        raise Fail(f"--case judges what is on file: {given[0]} does not go with it")
    if args.since is not None and args.until is not None and args.since >= args.until:
        raise Fail("--since is not before --until")
    if args.at is not None:
        for option, value in (
            ("--for", args.window),
            ("--entry", args.entry),
            ("--root", args.root),
        ):
            if value is not None:
                raise Fail(f"--at tells the past from the recording: {option} does not go with it")
    if args.root and args.entry:
        raise Fail("--root reads a folder and asks nobody: --entry does not go with it")


def _live(args: argparse.Namespace, speaks: str) -> Case:
    from weaklink import incident
    from weaklink.cli.guard import GRACE, within
    from weaklink.cli.terminal import Progress

    default = incident.Options()
    wanted = incident.Options(
        entry=args.entry or "",
        window=args.window or default.window,
        timeout=args.timeout or max(default.timeout, (args.window or 0.0) + 10.0),
        root=args.root or "/",
        prometheus=args.prometheus or "",
        since=args.since,
        until=args.until,
        box=args.box or "",
    )
    progress = Progress(speaks)
    try:
        return within(
            max(wanted.timeout, wanted.window) + GRACE,
            lambda: incident.diagnose(wanted, progress.tell),
        )
    finally:
        progress.done()


def _recalled(args: argparse.Namespace, speaks: str) -> Case | None:
    """What the recording tells of the moment or span asked for; None for a live look.

    A span that is over is told from the recording where that holds it, else from logs as they are.
    """
    from weaklink import incident
    from weaklink.cli.rooms import all_words
    from weaklink.incident.recalled import NoRecording
    from weaklink.report.phrase import Voice, phrase

    if args.at is None and not _is_over(args):
        return None
    wanted = incident.Options(
        at=args.at,
        since=args.since,
        until=args.until,
        box=args.box or "",
        deep=not args.recording_only,
    )
    all_words()  # what others saw then is said in their words
    try:
        return incident.recall(wanted)
    except NoRecording as error:
        if args.at is None:
            return None
        raise Fail(phrase(error.reason, Voice(speaks))) from None


def _is_over(args: argparse.Namespace) -> bool:
    """Whether a span was asked for that has ended, of this machine and nothing else."""
    if args.since is None or args.until is None or args.until > time.time() - JUST_OVER:
        return False
    return not (args.root or args.entry or args.window or args.prometheus)


def _from_file(path: str) -> Case:
    """A Case on file, judged again by this version."""
    from weaklink import incident

    return incident.judge(read_given(path))


def read_given(path: str) -> Case:
    """The Case that an option names; raises Fail."""
    from weaklink.model.case import CaseError, decode_case
    from weaklink.recorder import case_files

    try:
        if path == "-":
            data = sys.stdin.buffer.read(case_files.MAX_FILE)
            return decode_case(case_files.unpack(data, "stdin"), "stdin")
        return case_files.read_case(path)
    except (CaseError, RecursionError) as error:
        raise Fail(str(error)) from None


def _filed(case: Case, args: argparse.Namespace, speaks: str) -> Wish:
    """File the Case where it hurts; how to show it, with the path or why there is none."""
    from weaklink.report.screen import Wish
    from weaklink.report.verdict import exit_code

    wish = Wish(language=speaks, verbose=args.verbose)
    if args.case:
        return wish._replace(steps_command=f"weaklink --case {args.case} -v")
    if args.no_file or exit_code(case) != 1:
        return wish
    from weaklink.recorder.case_files import CannotFile, file_case
    from weaklink.report.phrase import Voice, phrase

    try:
        path = file_case(case)
    except CannotFile as error:
        return wish._replace(not_filed=phrase(error.reason, Voice(speaks)))
    return wish._replace(filed=str(path), steps_command="weaklink case show -v")
