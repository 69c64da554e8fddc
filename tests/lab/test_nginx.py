"""The configuration that nginx members get."""

from pathlib import Path

import pytest

from weaklink_lab import nginx
from weaklink_lab.draw import Wants, draw, with_log_style
from weaklink_lab.spec import Passive

FOLDER = Path("/somewhere")


@pytest.mark.parametrize("seed", range(8))
def test_times_and_members_are_in_every_drawn_log(seed: int) -> None:
    text = nginx.log_format(draw(seed))
    for variable in ("$request_time", "$upstream_addr", "$upstream_response_time"):
        assert variable in text
    assert "$upstream_status" in text


def test_combined_has_no_format_of_its_own() -> None:
    spec = with_log_style(draw(1), "combined")
    assert nginx.log_format(spec) == ""
    assert "access.log combined;" in nginx.config(spec, spec.one("front"), FOLDER)


def test_passive_checks_are_written_for_each_worker() -> None:
    spec = draw(1, Wants(balancing="nginx", members=3, passive=Passive(2, 600)))
    text = nginx.config(spec, spec.one("balancer"), FOLDER)
    assert text.count("max_fails=2 fail_timeout=600s") == 3
    assert f"proxy_read_timeout {spec.balancer_timeout}s" in text
