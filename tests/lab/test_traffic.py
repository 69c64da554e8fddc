"""What users ask for follows the drawn mix, and is the same for the same seed."""

from collections import Counter

from weaklink_lab.draw import Wants, draw
from weaklink_lab.traffic import HOT, asks


def test_the_mix_is_kept() -> None:
    spec = draw(1)
    nth = asks(spec)
    routes = Counter(nth(number).route for number in range(4000))
    assert abs(routes[spec.routes.preview] / 4000 - spec.traffic.preview_share) < 0.03
    assert abs(routes[spec.routes.analyze] / 4000 - spec.traffic.analyze_share) < 0.015
    assert nth(17) == asks(spec)(17)


def test_some_videos_are_wanted_far_more_than_others() -> None:
    spec = draw(1)
    paths = Counter(ask.path for ask in map(asks(spec), range(6000)) if "/v" in ask.path)
    assert paths.most_common(1)[0][1] > 50


def test_a_hot_video_gets_its_share() -> None:
    spec = draw(1, Wants(hot_share=0.35))
    hot = f"{spec.routes.preview}/{spec.video(HOT)}"
    got = [ask.path for ask in map(asks(spec), range(4000)) if ask.route == spec.routes.preview]
    assert abs(got.count(hot) / len(got) - 0.35) < 0.04
