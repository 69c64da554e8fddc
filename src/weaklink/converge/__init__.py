"""From evidence to causes: weigh each for each link, choose the fewest that explain the pain."""

from __future__ import annotations

import importlib
import pkgutil

from weaklink.model.cause import Cause
from weaklink.model.cause import causes as known
from weaklink.words import texts


def catalogue() -> dict[str, Cause]:
    """Every cause of `converge/causes/`, by id; their texts are registered on the way."""
    from weaklink.converge import causes as room

    for found in pkgutil.iter_modules(room.__path__):
        importlib.import_module(f"{room.__name__}.{found.name}")
    for cause in known().values():
        texts(
            {
                f"cause.{cause.id}.title": cause.title,
                f"cause.{cause.id}.because": cause.because,
                f"cause.{cause.id}.explanation": cause.explanation,
                f"cause.{cause.id}.converges": cause.converges,
                f"cause.{cause.id}.wrong_if": cause.wrong_if,
                f"cause.{cause.id}.next_danger": cause.next_danger,
            }
        )
    return dict(sorted(known().items()))
