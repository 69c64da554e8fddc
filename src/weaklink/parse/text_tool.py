"""How a reader of one tool's output announces itself; found by walking `parse/tools`.

One file a tool. It says how its output begins, and reads it:

    @tool("mdstat", heads=("Personalities :",), goes_on=looks_like_mdstat, commands=("mdstat",))
    def mdstat(passage: Passage) -> Take | None:
        \"\"\"Arrays of /proc/mdstat.\"\"\"

* `heads`: a line that starts with one of these (white space before it aside) may begin a block;
  `needles`: a line that holds one of these may. `starts(line)` confirms, where that is too weak.
* A block runs on until a prompt or the next head of another tool, or, where `goes_on` is given,
  to the first line for which it says no. Blank lines are inside, unless `ends_at_blank`. A head
  of its own does not end it: the reader splits what was printed several times.
* `scattered`: a log. Every line that begins so is its own, wherever it stands between two
  prompts; a following line belongs too while `goes_on(line)`. They are read together, once.
* `document(value)`: it reads JSON. It is asked whether a decoded JSON document is its own, and
  finds it in `passage.document`.
* `commands`: words of the command line before the block; if such a command was typed and nothing
  else recognised its output, the reader is given all of it. They also make `#` lines prompts.

`read` returns None for what turns out not to be its own: then the next reader is asked. It must
be linear in its input, believe nothing and never run anything. What the text does not say must
be absent from the facts (None), never zero. `@reads_too("kernel-log")` adds a second reader to a
tool's blocks; what they return is merged.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, NamedTuple

from weaklink.model.take import Take


class Passage(NamedTuple):
    """A piece of a text that one reader is given: plain lines, their numbers, the command."""

    lines: list[str]
    numbers: list[int]
    command: str = ""
    """What was typed before it, '' where the text does not show it."""
    document: Any = None

    def option_path(self, prefix: str = "/dev/") -> str:
        """The first word of the command that starts with `prefix`, '' where there is none."""
        return next((word for word in self.command.split() if word.startswith(prefix)), "")


Reader = Callable[[Passage], Take | None]
LineTest = Callable[[str], bool]


class Tool(NamedTuple):
    """One registered reader; see the module."""

    name: str
    read: Reader
    heads: tuple[str, ...]
    needles: tuple[str, ...]
    starts: LineTest | None
    goes_on: LineTest | None
    scattered: bool
    ends_at_blank: bool
    commands: tuple[str, ...]
    document: Callable[[Any], bool] | None

    def begins(self, line: str) -> bool:
        """Whether this line may begin a block of the tool."""
        bare = line.lstrip()
        if not bare.startswith(self.heads):
            for needle in self.needles:
                if needle in line:
                    break
            else:
                return False
        return self.starts is None or self.starts(line)


_tools: dict[str, Tool] = {}
_extra: dict[str, dict[str, Reader]] = {}


def tool(
    name: str,
    *,
    heads: tuple[str, ...] = (),
    needles: tuple[str, ...] = (),
    starts: LineTest | None = None,
    goes_on: LineTest | None = None,
    scattered: bool = False,
    ends_at_blank: bool = False,
    commands: tuple[str, ...] = (),
    document: Callable[[Any], bool] | None = None,
) -> Callable[[Reader], Reader]:
    """Register a reader; see the module. Raises ValueError on a second reader of that name."""

    def register(read: Reader) -> Reader:
        if name in _tools and _tools[name].read.__qualname__ != read.__qualname__:
            raise ValueError(f"two readers are called {name}")
        _tools[name] = Tool(
            name,
            read,
            heads,
            needles,
            starts,
            goes_on,
            scattered,
            ends_at_blank,
            commands,
            document,
        )
        return read

    return register


def reads_too(name: str) -> Callable[[Reader], Reader]:
    """Register a further reader of another tool's blocks; its Take is merged with the tool's."""

    def register(read: Reader) -> Reader:
        _extra.setdefault(name, {})[f"{read.__module__}.{read.__qualname__}"] = read
        return read

    return register


def tools() -> list[Tool]:
    """Every reader of the room `parse/tools`, by name."""
    from weaklink.parse import tools as room

    for found in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{found.name}")
    return [_tools[name] for name in sorted(_tools)]


def tool_named(name: str) -> Tool | None:
    """One reader that has been imported already, without importing the room."""
    return _tools.get(name)


def further_readers(name: str) -> list[Reader]:
    """Readers added by `reads_too`, by name."""
    added = _extra.get(name, {})
    return [added[key] for key in sorted(added)]
