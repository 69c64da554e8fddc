"""The catalogue of texts: English beside what it belongs to, other languages in `<lang>.toml`.

Rooms register their English texts with `texts({...})`; `report` renders a Message with
`render()`. A catalogue in another language is one TOML file of the same keys: no code changes.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping
from importlib import resources

from weaklink.model import evidence
from weaklink.model.message import Message

OPTIONAL = re.compile(r"\[([^\[\]]*)\]")

_english: dict[str, str] = {}
_other: dict[str, dict[str, str]] = {}


class UnknownTextError(LookupError):
    """A Message names a key that no catalogue has."""


def texts(entries: Mapping[str, str]) -> None:
    """Register English texts by key; raises ValueError if a key has another text already."""
    for key, text in entries.items():
        if _english.setdefault(key, text) != text:
            raise ValueError(f"text {key} is registered twice, differently")


def sign(
    id_: str, kind: evidence.EvidenceKind, about: str, text: str, *, hurts: bool = False
) -> str:
    """Register a sign with its English texts, and return its id.

    `sign.<id>` is said where it was seen, `about.<id>` where it was looked for and is not there.
    """
    texts({f"sign.{id_}": text, f"about.{id_}": about})
    return evidence.sign(id_, kind, about, hurts=hurts)


def catalogue() -> dict[str, str]:
    """All English texts registered so far."""
    return dict(_english)


def placeholders(text: str) -> set[str]:
    """Names that a text wants filled in."""
    return {name.split(":")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


def translation(language: str) -> dict[str, str]:
    """A shipped catalogue, for example `zh`; empty where there is none."""
    if language not in _other:
        file = resources.files(__name__).joinpath(f"{language}.toml")
        found: dict[str, str] = {}
        if language.isalpha() and file.is_file():
            found = {
                str(key): str(text) for key, text in tomllib.loads(file.read_text("utf-8")).items()
            }
        _other[language] = found
    return _other[language]


def text_of(key: str, language: str = "en") -> str:
    """The raw text behind a key, English where the language lacks it; raises UnknownTextError."""
    if language != "en" and key in translation(language):
        return translation(language)[key]
    try:
        return _english[key]
    except KeyError:
        raise UnknownTextError(key) from None


def render(message: Message, language: str = "en") -> str:
    """A Message in words.

    A part of a text in [square brackets] is left out where one of its arguments is missing;
    elsewhere a missing argument shows as `?`, never as an exception.
    """
    text = text_of(message.key, language)
    known = message.args.keys()
    text = OPTIONAL.sub(lambda part: part[1] if placeholders(part[1]) <= known else "", text)
    return _PLAIN.vformat(text, (), _Lenient(message.args))


class _Plain(string.Formatter):
    """Figures as they are: specs that only `report` knows (`:seconds`) are passed over."""

    def format_field(self, value: object, format_spec: str) -> str:
        try:
            return format(value, format_spec)
        except ValueError:
            return str(value)


_PLAIN = _Plain()


class _Lenient(dict[str, object]):
    def __missing__(self, key: str) -> object:
        return _Unknown()


class _Unknown:
    def __format__(self, spec: str) -> str:
        return "?"
