"""Reads nginx configuration files into directives, the way nginx does, without running nginx.

Reading files by handing in `read` and `glob` keeps this free of I/O. A broken file gives what
could be read before the break, and a problem that says where; never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from weaklink.model.message import Message, say
from weaklink.words import texts

texts(
    {
        "nginx.unreadable": "{file}: {reason}",
        "nginx.not-closed": "{file}:{line}: a block is never closed",
        "nginx.too-many-closed": "{file}:{line}: a closing brace too many",
        "nginx.open-quote": "{file}:{line}: a quote is never closed",
        "nginx.no-semicolon": "{file}:{line}: a directive without its semicolon",
        "nginx.too-deep": "{file}:{line}: nested too deep to follow",
        "nginx.too-much": "{file}: more configuration than is read ({files} files, {size} MB)",
    }
)

MAX_FILES = 500
MAX_CHARACTERS = 8 << 20
"""All files together; the largest configurations in the field are about 1 MB."""
MAX_DEPTH = 24
MAX_INCLUDES = 16
"""How deep files may include each other: a file that includes itself ends here."""

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]++)|(?P<comment>\#[^\n]*+)|(?P<mark>[{};])"
    r"|(?P<double>\"(?:[^\"\\]|\\.)*+\")|(?P<single>'(?:[^'\\]|\\.)*+')"
    r"|(?P<word>(?:[^\s{};\"'\\$]|\\.|\$\{[^}\s]*+\}|\$|(?<=[^\s;{}])[\"'])"
    r"(?:[^\s{};\\$]|\\.|\$\{[^}\s]*+\}|\$)*+)",
    re.DOTALL,
)
_LUA = re.compile(r"[a-z_]+_by_lua_block")
_FOREIGN = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|--[^\n]*+|[{}\n]", re.DOTALL)
"""What counts in a block of Lua: braces outside of strings and comments."""


class Directive(NamedTuple):
    """One directive; `block` is None where it ends in a semicolon."""

    name: str
    args: tuple[str, ...]
    block: tuple[Directive, ...] | None
    file: str
    line: int

    def find(self, name: str) -> Iterator[Directive]:
        """Directives of that name directly inside."""
        return (inner for inner in self.block or () if inner.name == name)


class Parsed(NamedTuple):
    """All directives with includes in place, the files read in order, and what went wrong."""

    directives: tuple[Directive, ...]
    files: tuple[str, ...]
    problems: tuple[Message, ...]


Read = Callable[[str], str]
Glob = Callable[[str], list[str]]


def parse_files(path: str, read: Read, glob: Glob, *, base: str = "") -> Parsed:
    """Parse a configuration file and what it includes.

    `read` gives a file's text or raises OSError, `glob` the files that a pattern names, `base` is
    the folder that relative includes start from (that of the first file where empty).
    """
    reader = _Reader(read, glob, base or path.rpartition("/")[0])
    directives = reader.file(path, 0)
    return Parsed(tuple(directives), tuple(reader.files), tuple(reader.problems))


class _Reader:
    def __init__(self, read: Read, glob: Glob, base: str) -> None:
        self.read, self.glob, self.base = read, glob, base
        self.files: list[str] = []
        self.problems: list[Message] = []
        self.characters = 0

    def file(self, path: str, includes: int) -> list[Directive]:
        if len(self.files) >= MAX_FILES or self.characters > MAX_CHARACTERS:
            full = say("nginx.too-much", file=path, files=MAX_FILES, size=MAX_CHARACTERS >> 20)
            if not any(problem.key == full.key for problem in self.problems):
                self.problems.append(full)
            return []
        try:
            text = self.read(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            self.problems.append(say("nginx.unreadable", file=path, reason=reason))
            return []
        self.files.append(path)
        self.characters += len(text)
        tokens = _Tokens(path, text[:MAX_CHARACTERS])
        directives = self.block(tokens, path, 0, includes)
        self.problems += tokens.problems
        return directives

    def block(self, tokens: _Tokens, file: str, depth: int, includes: int) -> list[Directive]:
        found: list[Directive] = []
        words: list[str] = []
        line = 0
        for word, is_mark, at in tokens:
            if not is_mark:
                line = line or at
                words.append(word)
                continue
            if word == "}":
                if words:
                    self.problems.append(say("nginx.no-semicolon", file=file, line=line))
                if depth == 0:
                    self.problems.append(say("nginx.too-many-closed", file=file, line=at))
                    words, line = [], 0
                    continue
                return found
            inner: tuple[Directive, ...] | None = None
            if word == "{":
                if words and _LUA.fullmatch(words[0]):
                    tokens.skip_braces()
                    inner = ()
                elif depth >= MAX_DEPTH:
                    self.problems.append(say("nginx.too-deep", file=file, line=at))
                    tokens.skip_braces()
                    inner = ()
                else:
                    inner = tuple(self.block(tokens, file, depth + 1, includes))
            if words:
                found += self.directive(words, inner, file, line, includes)
            words, line = [], 0
        if depth:
            self.problems.append(say("nginx.not-closed", file=file, line=tokens.line))
        elif words:
            self.problems.append(say("nginx.no-semicolon", file=file, line=line))
        return found

    def directive(
        self,
        words: list[str],
        inner: tuple[Directive, ...] | None,
        file: str,
        line: int,
        includes: int,
    ) -> list[Directive]:
        name, *args = words
        if name != "include" or inner is not None or len(args) != 1:
            return [Directive(name, tuple(args), inner, file, line)]
        if includes >= MAX_INCLUDES:
            self.problems.append(say("nginx.too-deep", file=file, line=line))
            return []
        pattern = args[0] if args[0].startswith("/") else f"{self.base}/{args[0]}"
        if not any(sign in pattern for sign in "*?["):
            return self.file(pattern, includes + 1)
        found: list[Directive] = []
        try:
            names = sorted(self.glob(pattern))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.problems.append(say("nginx.unreadable", file=pattern, reason=reason))
            return []
        for path in names:
            found += self.file(path, includes + 1)
        return found


class _Tokens:
    """(text, is a mark, line) one after another; `line` counts from 1."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text, self.at, self.line = file, text, 0, 1
        self.problems: list[Message] = []

    def __iter__(self) -> Iterator[tuple[str, bool, int]]:
        while self.at < len(self.text):
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                if self.text[self.at] in "\"'":
                    self.problems.append(say("nginx.open-quote", file=self.file, line=self.line))
                    self.at = len(self.text)
                    return
                self.at += 1
                continue
            line = self.line
            kind, token = found.lastgroup, found[0]
            self.at = found.end()
            if kind not in ("mark", "word"):
                self.line += token.count("\n")
            if kind == "mark":
                yield token, True, line
            elif kind == "word":
                yield _unescape(token), False, line
            elif kind in ("double", "single"):
                yield _unescape(token[1:-1]), False, line

    def skip_braces(self) -> None:
        """Go behind the brace that closes the one just read; what lies between is not ours."""
        depth = 1
        for found in _FOREIGN.finditer(self.text, self.at):
            self.line += found[0].count("\n")
            if found[0] in "{}":
                depth += 1 if found[0] == "{" else -1
            if depth == 0:
                self.at = found.end()
                return
        self.at = len(self.text)


def _unescape(word: str) -> str:
    # nginx takes the backslash only before these; elsewhere it belongs to a regular expression.
    if "\\" not in word:
        return word
    return re.sub(r"\\([\"'\\tnr])", _escaped, word)


def _escaped(found: re.Match[str]) -> str:
    return {"t": "\t", "n": "\n", "r": "\r"}.get(found[1], found[1])
