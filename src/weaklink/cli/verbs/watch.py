"""Keeps a black box of this machine: once a second, for a day, and looks deep when it hurts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weaklink.cli import options
from weaklink.cli.fail import Fail

if TYPE_CHECKING:
    from pathlib import Path

    from weaklink.watch.helpers import Settings

HELP = "keep a black box, and look deep at the very moment it hurts"
HELPERS = ("scene", "deep")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `weaklink watch`."""
    parser.add_argument("--box", metavar="DIR", help="where to keep it (not the default folder)")
    parser.add_argument(
        "--keep", type=options.duration, metavar="24h", help="how much of the past (24h)"
    )
    parser.add_argument(
        "--cap", type=options.size, metavar="256M", help="how large it may become (256M)"
    )
    parser.add_argument("--no-deep", action="store_true", help="keep only: never look deep")
    parser.add_argument(
        "--page", metavar="PORT", type=options.port,
        help="an OpenMetrics page at 127.0.0.1:PORT (off unless given)",
    )  # fmt: skip
    parser.add_argument(
        "--for", dest="window", type=options.window, metavar="6s", help="length of a deep look"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but troubles")
    parser.add_argument("--helper", choices=HELPERS, help=argparse.SUPPRESS)
    parser.add_argument("--because", default="", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Watch until told to stop (SIGTERM, SIGINT); 0."""
    if args.helper:
        return _help(args)
    return _watch(args)


def _watch(args: argparse.Namespace) -> int:
    import signal
    import sys
    import threading

    from weaklink.watch.loop import Agent

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    def tell(text: str) -> None:
        from weaklink.cli.fail import fail_line

        if not args.quiet or text.startswith("not kept"):
            sys.stderr.write(f"weaklink watch: {fail_line(text)}\n")
            sys.stderr.flush()

    agent = Agent(_settings(args), tell)
    if args.page:
        from weaklink.watch.page import serve

        try:
            serve(agent, args.page)
        except OSError as error:
            raise Fail(f"127.0.0.1:{args.page}: {error.strerror}") from None
    where = agent.box.store.place
    tell(f"keeping in {where or 'memory'}; Ctrl-C ends it")
    agent.run(stop.is_set)
    return 0


def _settings(args: argparse.Namespace) -> Settings:
    from pathlib import Path

    from weaklink.recorder import place
    from weaklink.watch.helpers import Settings

    folder: Path | None = Path(args.box).absolute() if args.box else place.box_folder()
    spare = None if args.box else place.memory_folder()
    default = Settings(folder=folder, spare=spare)
    return Settings(
        folder=folder,
        spare=spare,
        cap=args.cap or default.cap,
        hours=args.keep / 3600 if args.keep else default.hours,
        deep=not args.no_deep,
        window=args.window or default.window,
    )


def _help(args: argparse.Namespace) -> int:
    """A helper of the loop: prints a packed Case on standard output."""
    import sys

    from weaklink import incident
    from weaklink.recorder.case_files import pack

    window = args.window or incident.Options().window
    wanted = incident.Options(window=window, box=args.box or "", note=args.because)
    case = incident.look_around(wanted) if args.helper == "scene" else incident.diagnose(wanted)
    sys.stdout.buffer.write(pack(case))
    sys.stdout.buffer.flush()
    if args.helper == "scene":
        return 0
    from weaklink.report.verdict import exit_code

    return 1 if exit_code(case) == 1 else 0
