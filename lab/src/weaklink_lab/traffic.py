"""What the n-th user asks for: mostly previews of well-known videos, some new, some jobs."""

import bisect
import itertools
import random
from collections.abc import Callable

from weaklink.capacity.load import Ask
from weaklink_lab.spec import Spec

HOT = 0
"""Number of the video that a hot share of users asks for."""


def asks(spec: Spec, salt: int = 0) -> Callable[[int], Ask]:
    """Give the function from a request's number to the request; the same for the same seed."""
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
            return Ask(f"{routes.analyze}/{video(dice, number)}", routes.analyze)
        draw -= mix.analyze_share
        if draw < mix.submit_share:
            return Ask(routes.jobs, f"POST {routes.jobs}", "POST", b'{"video": "upload"}')
        return Ask(f"{routes.jobs}/{dice.randrange(1, 2000)}", routes.jobs)

    return nth
