"""What the n-th user asks for: mostly previews of well-known videos, some new, some jobs."""

import bisect
import itertools
import json
import random
from collections.abc import Callable

from weaklink.capacity.load import Ask
from weaklink_lab.spec import Spec

UPLOAD = b"ftyp" + bytes(24 << 10)
HOT = 0
"""Number of the video that a hot share of users asks for."""


def asks(spec: Spec, salt: int = 0, frames: int = 0) -> Callable[[int], Ask]:
    """Give the function from a request's number to the request; the same for the same seed.

    `frames`: how many frames users want analysed, 0 for what the service does by itself.
    """
    weights = [1.0 / (rank + 1) ** spec.traffic.zipf for rank in range(spec.ids)]
    sums = list(itertools.accumulate(weights))
    # Ranks are spread over the ids, or the newest ids would always be the hot ones.
    order = list(range(spec.ids))
    random.Random(f"order-{spec.seed}").shuffle(order)
    mix, routes = spec.traffic, spec.routes

    def video(dice: random.Random, number: int) -> str:
        draw = dice.random()
        if draw < mix.new_share:
            return spec.video(spec.ids + salt * 1_000_000 + number)
        if draw < mix.new_share + mix.hot_share:
            return spec.video(HOT)
        return spec.video(order[bisect.bisect(sums, dice.random() * sums[-1])])

    def nth(number: int) -> Ask:
        dice = random.Random(f"{spec.seed}-{salt}-{number}")
        draw = dice.random()
        if draw < mix.preview_share:
            return Ask(f"{routes.preview}/{video(dice, number)}", routes.preview)
        draw -= mix.preview_share
        if draw < mix.analyze_share:
            wish = f"?frames={frames}" if frames else ""
            return Ask(f"{routes.analyze}/{video(dice, number)}{wish}", routes.analyze)
        draw -= mix.analyze_share
        if draw < mix.submit_share:
            if spec.has("orchestrator"):
                return Ask(routes.videos, f"POST {routes.videos}", "POST", UPLOAD)
            return Ask(routes.jobs, f"POST {routes.jobs}", "POST", b'{"video": "upload"}')
        draw -= mix.submit_share
        if draw < mix.ask_share:
            body = json.dumps({"question": f"what is on video {dice.randrange(4000)}?"})
            return Ask(routes.ask, f"POST {routes.ask}", "POST", body.encode())
        if spec.has("store") and dice.random() < 0.3:
            return Ask(f"{routes.videos}/{dice.randrange(1, 2000)}", routes.videos)
        return Ask(f"{routes.jobs}/{dice.randrange(1, 2000)}", routes.jobs)

    return nth
