"""Decoding that no Python stack shows is told by the library that the CPU is in."""

from __future__ import annotations

import pytest

from weaklink.incident import judge
from weaklink.model.evidence import Evidence
from weaklink.model.fact import Frame
from weaklink.testing.fake_chain import WORKERS, FakeChain, process_key

FIRST = WORKERS[0]
HIDDEN = [Frame(function="make_thumb", file="/app/worker.py", line=31, origin="app")]
"""Cython and C leave no frame: only who called them is seen."""


def prepares(chain: FakeChain, pid: int = FIRST) -> Evidence:
    found = [
        one
        for one in judge(chain.case()).evidence
        if one.sign == "stack.prepares-on-cpu" and one.target == process_key(pid)
    ]
    assert len(found) == 1
    return found[0]


def burning(libraries: dict[str, int], *, kernel: int = 0, native: str = "") -> FakeChain:
    chain = FakeChain()
    chain.busy_in(FIRST, cpus=0.9, frames=HIDDEN, native=native)
    chain.sampled(FIRST, libraries, kernel=kernel)
    return chain


def test_decoding_in_a_c_library_is_found_with_the_functions_that_calls_it() -> None:
    one = prepares(burning({"libavcodec": 190, "libswscale": 30, "python3": 20}, kernel=10))
    assert one.strength == 1.0
    assert one.value == pytest.approx(220 / 250)
    args = one.message.args
    assert args["what"] == "libavcodec"
    assert (args["function"], args["file"], args["line"]) == ("make_thumb", "worker.py", 31)
    assert args["percent"] == 88


@pytest.mark.parametrize("name", ["libopenblas64_p-r0", "libonnxruntime", "_multiarray_umath"])
def test_arithmetic_is_the_models(name: str) -> None:
    one = prepares(burning({name: 200, "libavcodec": 20, "python3": 20}))
    assert one.strength == 0.0
    assert one.value == pytest.approx(20 / 240, abs=0.001)


def test_time_in_the_kernel_is_part_of_the_whole() -> None:
    one = prepares(burning({"libavcodec": 100}, kernel=150))
    assert one.value == pytest.approx(0.4)
    assert one.strength == 0.0


def test_samples_outweigh_names_of_threads() -> None:
    """A thread that FFmpeg named, while the CPU is in the model."""
    one = prepares(burning({"libonnxruntime": 240}, native="av:h264:df0"))
    assert one.strength == 0.0


@pytest.mark.parametrize(("user", "kernel"), [(19, 0), (19, 100)])
def test_few_samples_leave_it_to_threads_and_stacks(user: int, kernel: int) -> None:
    one = prepares(burning({"libonnxruntime": user}, kernel=kernel, native="av:h264:df0"))
    assert one.strength == 1.0
    assert one.message.args["what"] == "av:h264 threads"


def test_samples_of_another_member_do_not_count() -> None:
    chain = FakeChain()
    chain.busy_in(FIRST, cpus=0.9, frames=HIDDEN)
    chain.sampled(WORKERS[1], {"libavcodec": 200})
    assert prepares(chain).strength == 0.0


def test_without_stacks_the_library_speaks_for_itself() -> None:
    chain = FakeChain()
    chain.cpu(FIRST, 0.9)
    chain.sampled(FIRST, {"ffmpeg": 100, "libc": 10})
    one = prepares(chain)
    assert one.strength == 1.0
    assert one.message.args["what"] == "ffmpeg"


def test_a_link_that_hardly_computes_is_not_to_blame() -> None:
    chain = FakeChain()
    chain.busy_in(FIRST, cpus=0.1, frames=HIDDEN)
    chain.sampled(FIRST, {"libavcodec": 29})
    assert prepares(chain).strength == 0.0
