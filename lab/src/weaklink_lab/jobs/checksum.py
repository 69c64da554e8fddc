"""A job that only computes, one process a job: checksums over memory, for ever or a while."""

import hashlib
import sys
import time


def main(busy: float, idle: float) -> None:
    """Compute for `busy` seconds, rest for `idle`, and again; no rest where idle is 0."""
    block = bytes(1 << 20)
    while True:
        end = time.monotonic() + busy
        while time.monotonic() < end:
            hashlib.sha256(block).digest()
        if idle:
            time.sleep(idle)


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]))
