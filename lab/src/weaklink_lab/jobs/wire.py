"""A slow wire between two members: two tunnel devices, joined by a process that takes its time."""

import fcntl
import heapq
import os
import random
import select
import struct
import sys
import time

from weaklink_lab.kernel import netns

TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x1001
NAME = "wan0"


def end(namespace: str) -> int:
    """Make one end in a namespace, and give its descriptor."""
    netns.enter(namespace)
    descriptor = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH", NAME.encode(), IFF_TUN_NO_PI))
    return descriptor


def main(one: str, other: str, seconds: float, jitter: float) -> None:
    """Pass packets from end to end, each so many seconds late, for ever."""
    ends = (end(one), end(other))
    across = {ends[0]: ends[1], ends[1]: ends[0]}
    waiting: list[tuple[float, int, int, bytes]] = []
    for descriptor in ends:
        os.set_blocking(descriptor, False)
    sys.stdout.write("joined\n")
    sys.stdout.flush()
    number = 0
    while True:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 1.0
        for descriptor in select.select(ends, [], [], pause)[0]:
            number += 1
            due = time.monotonic() + seconds + random.random() * jitter
            heapq.heappush(waiting, (due, number, across[descriptor], os.read(descriptor, 65536)))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, descriptor, packet = heapq.heappop(waiting)
            os.write(descriptor, packet)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
