"""Fill the cache as weeks of use would have: every preview there, expiring one by one."""

import random
import sys

import redis

from weaklink_lab import state as states
from weaklink_lab.service import render
from weaklink_lab.spec import Spec


def fill(spec: Spec, client: "redis.Redis", body: bytes, *, missing_only: bool = False) -> int:
    """Set the previews with lives spread over the whole TTL; gives how many were set."""
    dice = random.Random(f"warm-{spec.seed}")
    pipe = client.pipeline(transaction=False)
    for number in range(spec.ids):
        life = dice.randint(3, spec.ttl)
        # Pictures differ in size; the tail of the JPEG is padding that decoders skip.
        padded = body + b"\0" * dice.randrange(0, 4096)
        pipe.set(spec.key(spec.video(number)), padded, ex=life, nx=missing_only)
        if number % 200 == 199:
            pipe.execute()
    pipe.execute()
    return spec.ids


def main(words: list[str]) -> int:
    """Fill the cache of the service that is up; `missing` keeps what is there."""
    state = states.load()
    if state is None:
        return 2
    spec, cache = state.spec, state.spec.one("cache")
    client = redis.Redis(host=cache.ip, port=cache.port)
    body = render.preview(words[0], 1, 1)
    sys.stdout.write(f"{fill(spec, client, body, missing_only='missing' in words)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
