"""Offline inference over a folder of videos, as a nightly batch does it, on all threads it gets."""

import sys

from weaklink_lab import clips
from weaklink_lab.service import render


def main(threads: int) -> None:
    """Analyse one video after the other, for ever."""
    path = str(clips.paths()["uhd"])
    while True:
        render.scenes(path, 48, threads)


if __name__ == "__main__":
    main(int(sys.argv[1]))
