"""Users' pain is judged from the generator's own columns."""

from weaklink.capacity.results import ANSWERED, TIMED_OUT, Columns, Sample
from weaklink_lab.hurt import judge, pain_began, recent_pain


def columns(slow_from: float, latency: float, status: int = 200) -> Columns:
    made = Columns()
    for number in range(600):
        at = number * 0.1
        sick = at >= slow_from
        made.add(
            Sample(at, 0.0, latency if sick else 0.01, status if sick else 200, ANSWERED, "/", 1)
        )
    return made


def test_slow_answers_hurt_and_the_onset_is_found() -> None:
    hurt = judge(columns(30, 1.0), (0, 20), (40, 50))
    assert hurt.yes
    assert hurt.onset is not None
    assert abs(hurt.onset - 30) < 0.2


def test_errors_hurt_even_when_they_are_fast() -> None:
    assert judge(columns(30, 0.005, 502), (0, 20), (40, 50)).yes


def test_a_little_slower_is_no_hurt() -> None:
    hurt = judge(columns(30, 0.03), (0, 20), (40, 50))
    assert not hurt.yes
    assert hurt.onset is None


def test_one_slow_request_is_no_onset() -> None:
    made = columns(99, 1.0)
    made.add(Sample(25.0, 0.0, 9.0, 0, TIMED_OUT, "/", 0))
    assert pain_began(made, 20, 60, 0.01) is None


def test_silence_is_pain() -> None:
    # Nobody was answered lately although users keep coming.
    assert recent_pain(columns(99, 1.0), since=70.0, healthy_p99=0.01)
    assert not recent_pain(columns(99, 1.0), since=50.0, healthy_p99=0.01)
