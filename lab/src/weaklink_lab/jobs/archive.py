"""A job that writes and syncs files, at low priority, as a nightly archive does."""

import os
import sys
from pathlib import Path


def main(folder: str, megabytes: int) -> None:
    """Write a file of so many megabytes, sync it, begin again."""
    path = Path(folder) / "archive.bin"
    block = os.urandom(1 << 20)
    while True:
        with path.open("wb") as out:
            for _ in range(megabytes):
                out.write(block)
                out.flush()
                os.fsync(out.fileno())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
