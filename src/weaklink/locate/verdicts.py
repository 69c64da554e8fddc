"""Short ways to write a Finding and to print its figures; used by the looks at pasted text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from weaklink.locate.view import View
from weaklink.model.finding import Finding, Verdict
from weaklink.model.message import Argument, Message
from weaklink.model.target import target_key

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


class Said:
    """A writer of findings about one subject of one host's texts."""

    def __init__(self, view: View, subject: str, kind: str) -> None:
        self.host = view.case.host.name
        self.subject = subject
        self.kind = kind

    def finding(
        self,
        verdict: Verdict,
        key: str,
        about: str,
        /,
        *lines: str,
        cause: str = "",
        sure: float = 0.9,
        next: str = "",  # noqa: A002 - the field's name
        more: Mapping[str, Argument] = MappingProxyType({}),
        **args: Argument,
    ) -> Finding:
        """A finding about one thing, with at most two deciding lines; `more` joins `args`."""
        quoted = [line for line in lines if line][:2]
        return Finding(
            verdict=verdict,
            target=target_key(self.kind, about or "-", host=self.host),
            subject=self.subject,
            message=Message(key=key, args={**args, **more}),
            line="\n".join(quoted),
            cause=cause,
            sure=sure,
            next=next,
        )


def known(**args: str) -> dict[str, Argument]:
    """Arguments that have something to say; a text leaves out the [part] of the others."""
    return {name: value for name, value in args.items() if value}


def sized(value: float | None) -> str:
    """Bytes as a person reads them: `1 GiB`, `14.7 GiB`; `?` for None."""
    if value is None:
        return "?"
    step = 0
    while abs(value) >= 1024 and step < len(_UNITS) - 1:
        value /= 1024
        step += 1
    return f"{figure(value)} {_UNITS[step]}"


def figure(value: float | None, digits: int = 1) -> str:
    """A number without needless zeros: `3`, `0.41`, `98.7`; `?` for None."""
    if value is None:
        return "?"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    if abs(value) < 1 and digits == 1:
        digits = 2
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float | None, digits: int = 1) -> str:
    """A share as `98.7 %`; `? %` for None."""
    return f"{figure(None if share is None else 100 * share, digits)} %"


def lasting(seconds: float | None) -> str:
    """A duration: `250 us`, `41 ms`, `14.3 s`, `27 min`; `?` for None."""
    if seconds is None:
        return "?"
    if seconds < 0.001:
        return f"{figure(seconds * 1e6, 0)} us"
    if seconds < 1:
        return f"{figure(seconds * 1e3)} ms"
    if seconds < 600:
        return f"{figure(seconds)} s"
    return f"{figure(seconds / 60, 0)} min" if seconds < 36_000 else f"{figure(seconds / 3600)} h"
