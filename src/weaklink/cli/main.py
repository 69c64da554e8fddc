"""The command `weaklink`: finds the verb, runs it, and leaves with its exit code.

Exit: 0 nothing that hurts, 1 users hurt or a critical finding, 2 could not run, 3 too blind,
130 interrupted. A look that is stuck in the kernel never keeps the command from ending.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself costs a fifth of the start
    from collections.abc import Sequence
    from typing import NoReturn

DEFAULT = "diagnose"
INTERRUPTED = 130
BROKEN_PIPE = 141


def main() -> NoReturn:
    """The console script: never returns, and waits for no thread."""
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = BROKEN_PIPE if code == 0 else code
    os._exit(code)


def run(argv: Sequence[str]) -> int:
    """One command line to its exit code; never raises, prints at most one line on an error."""
    if list(argv) in (["--version"], ["-V"]):
        from weaklink import __version__

        sys.stdout.write(f"weaklink {__version__}\n")
        return 0
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    return _nagios(_guarded(argv), argv)


def _nagios(code: int, argv: Sequence[str]) -> int:
    """A monitoring system reads 2 as CRITICAL: what could not run is UNKNOWN there."""
    return 3 if "--nagios" in argv and code not in (0, 1, 2, 3) else code


def _guarded(argv: Sequence[str]) -> int:
    from weaklink.cli.fail import Fail, fail_line

    nagios = "--nagios" in argv
    try:
        return _dispatch(argv)
    except Fail as error:
        line = fail_line(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        if os.environ.get("WEAKLINK_TRACEBACK"):
            raise
        line = fail_line(f"could not run: {type(error).__name__}: {error}")
    if nagios:
        sys.stdout.write(f"WEAKLINK UNKNOWN - {line.replace('|', '/')}\n")
        return 3
    sys.stderr.write(f"weaklink: {line}\n")
    return 2


def _discard_output() -> None:
    """Nobody reads any more: what is left in the buffer goes nowhere, without another error."""
    from contextlib import suppress

    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(argv: Sequence[str]) -> int:
    from weaklink.cli.parser import parse

    chosen, args = parse(argv, DEFAULT)
    return chosen.run(args)
