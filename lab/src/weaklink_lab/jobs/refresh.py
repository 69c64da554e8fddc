"""A batch that gives all previews the same new end, as a careless refresh does; then it ends."""

import sys
import time

import redis


def main(host: str, port: int, prefix: str, seconds: int) -> None:
    """Let every key of the prefix expire at one moment, so many seconds from now."""
    cache = redis.Redis(host=host, port=port)
    moment = int(time.time()) + seconds
    keys = list(cache.scan_iter(match=f"{prefix}:*", count=1000))
    pipe = cache.pipeline(transaction=False)
    for key in keys:
        pipe.expireat(key, moment)
    pipe.execute()
    sys.stdout.write(f"refreshed {len(keys)} keys of {prefix}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
