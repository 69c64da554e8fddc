"""Reads the command line: the verb first, then that verb's own options."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Sequence
from typing import NoReturn, Protocol, cast

from weaklink.cli import verbs
from weaklink.cli.fail import Fail


class Verb(Protocol):
    """A module of `cli/verbs`."""

    HELP: str

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the verb's options."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the exit code."""


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors are one line that says where help is."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and leaving."""
        raise Fail(f"{message}; see `{self.prog} --help`")


def verb_names() -> list[str]:
    """Names of all verbs."""
    return sorted(found.name for found in pkgutil.iter_modules(verbs.__path__))


def load(name: str) -> Verb:
    """The module of a verb."""
    return cast("Verb", importlib.import_module(f"{verbs.__name__}.{name}"))


def parse(argv: Sequence[str], default: str) -> tuple[Verb, argparse.Namespace]:
    """The verb's module and its arguments; raises Fail, or SystemExit after `--help`."""
    words = list(argv)
    names = verb_names()
    if words and words[0] in names:
        name = words.pop(0)
    elif words and words[0] in ("-h", "--help", "help"):
        _overview(names, default)
        raise SystemExit(0)
    elif words and not words[0].startswith("-"):
        raise Fail(f"{words[0]}: no such verb; there are {', '.join(names)} (weaklink --help)")
    else:
        name = default
    chosen = load(name)
    parser = Parser(prog=f"weaklink {name}", description=chosen.HELP, allow_abbrev=False)
    chosen.arguments(parser)
    return chosen, parser.parse_args(words)


def _overview(names: list[str], default: str) -> None:
    lines = [
        "weaklink: finds the weak link in an AI service's chain, and says what to do now.",
        "",
        f"Without a verb it does `weaklink {default}`. Each verb has its own --help.",
        "",
    ]
    lines += [f"  weaklink {name:<10}{load(name).HELP}" for name in names]
    lines += [
        "",
        "Exit: 0 nothing that hurts, 1 users hurt or a critical finding, 2 could not run,",
        "3 too blind. It reads, and changes nothing; what it touched is under COST (-v).",
    ]
    print("\n".join(lines))


def print_text(text: str) -> None:
    """Write to the terminal or pipe, all of it, now."""
    import sys

    sys.stdout.write(text)
    sys.stdout.flush()
