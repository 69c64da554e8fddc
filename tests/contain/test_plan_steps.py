"""Least harm first, recipes whole or not at all, and nothing of a log in a command."""

from __future__ import annotations

import subprocess

import pytest
from msgspec import structs

from weaklink.contain.action import Action, actions
from weaklink.contain.arguments import arguments
from weaklink.contain.plan import commands, plan
from weaklink.converge import catalogue
from weaklink.model.case import Case, grow
from weaklink.model.diagnosis import JudgedCause, Slice
from weaklink.model.fact import Cgroup, SlowCommand, Upstream, UpstreamMember
from weaklink.model.plan import HARMS
from weaklink.testing.recorded_case import NOW, pain, worked_incident


def judged(case: Case, id_: str, **changes: object) -> JudgedCause:
    catalogue()
    found = structs.replace(case.diagnoses[-1].causes[0], id=id_, named=True, args={})
    return structs.replace(found, **changes)


def with_upstream(case: Case) -> Case:
    workers = [link for link in case.chain.links if link.group]
    members = [UpstreamMember(address=link.listen[0]) for link in workers]
    owner = case.chain.links[0].key
    up = Upstream(owner=owner, name="ai", members=members, file="/etc/nginx/conf.d/ai.conf")
    return grow(case, upstreams=[up])


def one_sick(case: Case, id_: str) -> JudgedCause:
    worker = next(link.key for link in case.chain.links if link.group)
    return judged(case, id_, link=worker, target=worker, members=[worker])


def test_the_worked_incident_has_the_order_of_the_design() -> None:
    steps = worked_incident().diagnoses[-1].plan.steps
    assert [step.action for step in steps] == [
        "stop-next-run",
        "limit-route",
        "warm-missing",
        "spread-expiry",
    ]
    assert steps[1].what.args["dose"] == 4  # three members of one CPU, 73 % misses


def test_without_dependencies_harm_decides() -> None:
    case = with_upstream(worked_incident())
    steps = plan(case, [one_sick(case, "worker-frozen")]).steps
    assert steps[0].action == "resume-process"
    ranks = [HARMS.index(step.harm) for step in steps]
    assert ranks == sorted(ranks)


def test_a_cause_that_may_not_be_said_asks_for_nothing() -> None:
    case = worked_incident()
    assert plan(case, [structs.replace(judged(case, "slow-command"), named=False)]).steps == []


def test_the_signal_is_bound_to_the_process_that_was_looked_at() -> None:
    case = with_upstream(worked_incident())
    step = plan(case, [one_sick(case, "worker-frozen")]).steps[0]
    assert step.preview == [
        "[ \"$(sed 's/.*) //' /proc/930/stat | cut -d' ' -f20)\" = 9300 ] && kill -CONT 930"
    ]
    assert "kill -STOP 930" in step.undo[0]


def test_what_is_frozen_is_thawed_and_no_more() -> None:
    case = worked_incident()
    group = Cgroup(key="c", path="/svc/930", version=1, frozen=True, pids=[930])
    step = plan(grow(case, cgroups=[group]), [one_sick(case, "worker-frozen")]).steps[0]
    assert step.preview == ["echo THAWED > /sys/fs/cgroup/freezer/svc/930/freezer.state"]
    assert step.undo == ["echo FROZEN > /sys/fs/cgroup/freezer/svc/930/freezer.state"]


def test_without_a_cache_at_fault_every_request_is_work() -> None:
    case = worked_incident()
    dose = {
        id_: arguments(case, judged(case, id_), pain())["dose"]
        for id_ in ("cache-mass-expiry", "preprocess-on-cpu")
    }
    assert dose == {"cache-mass-expiry": 4, "preprocess-on-cpu": 3}


def test_the_last_healthy_member_is_never_taken_out() -> None:
    case = with_upstream(worked_incident())
    one = one_sick(case, "worker-frozen")
    assert "eject-member" in [step.action for step in plan(case, [one]).steps]
    all_sick = structs.replace(one, members=[link.key for link in case.chain.links if link.group])
    assert "eject-member" not in [step.action for step in plan(case, [all_sick]).steps]
    most = structs.replace(one, members=all_sick.members[:2])
    assert "eject-member" not in [step.action for step in plan(case, [most]).steps]


def test_ejecting_edits_one_server_line_only() -> None:
    case = with_upstream(worked_incident())
    steps = plan(case, [one_sick(case, "worker-frozen")]).steps
    sed = next(step for step in steps if step.action == "eject-member").preview[1]
    script = sed.split("'")[1]
    text = "server 10.9.0.2:8100 weight=2;\nserver 10.9.0.2:81001;\n  server  10.9.0.2:8100;\n"
    edited = subprocess.run(
        ["/bin/sed", script], input=text, capture_output=True, text=True, check=True
    ).stdout
    assert edited == (
        "server 10.9.0.2:8100 down weight=2;\nserver 10.9.0.2:81001;\n"
        "  server  10.9.0.2:8100 down;\n"
    )


def test_a_route_with_odd_characters_is_not_put_into_a_command() -> None:
    case = worked_incident()
    evil = Slice(by="route", name="/v1/$(reboot);", requests=9, bad=9, hurt=True)
    hurt = structs.replace(pain(), impact=structs.replace(pain().impact, slices=[evil]))
    case = grow(case, pain=hurt)
    steps = plan(case, [judged(case, "cache-mass-expiry")]).steps
    assert not any("reboot" in line for step in steps for line in step.preview)
    assert "limit-route" not in [step.action for step in steps]


def test_a_job_that_only_a_log_names_gets_no_command() -> None:
    case = worked_incident()
    logged = [structs.replace(event, source="/var/log/syslog") for event in case.events]
    case = grow(case, events=logged)
    cause = judged(case, "cache-mass-expiry", args={"crontab_job": "renew_previews"})
    step = plan(case, [cause]).steps[0]
    assert step.action == "stop-next-run"
    assert step.preview == []


def test_a_quota_is_raised_for_every_sick_member_and_taken_back() -> None:
    case = worked_incident()
    cause = judged(case, "cpu-throttled")
    step = plan(case, [cause]).steps[0]
    assert step.action == "raise-cpu-quota"
    assert len(step.preview) == len(step.undo) == 3
    assert "cfs_quota_us" in step.preview[0]
    assert "2000000 / 1000000" in step.preview[0]
    assert "1000000 / 1000000" in step.undo[0]


@pytest.mark.parametrize(
    ("path", "version", "says"),
    [
        (
            "/system.slice/ai.service",
            2,
            "systemctl set-property --runtime ai.service CPUQuota=200%",
        ),
        (f"/system.slice/docker-{'a' * 64}.scope", 2, f"docker update --cpus 2 {'a' * 12}"),
        (f"/docker/{'b' * 64}", 1, f"docker update --cpus 2 {'b' * 12}"),
        ("/mine", 2, "/sys/fs/cgroup/mine/cpu.max"),
    ],
)
def test_who_owns_the_group_decides_the_command(path: str, version: int, says: str) -> None:
    case = worked_incident()
    group = Cgroup(key=f"cgroup:h1/-/{path}", path=path, version=version, cpu_quota=1.0, pids=[930])
    case = grow(case, cgroups=[group])
    step = plan(case, [one_sick(case, "cpu-throttled")]).steps[0]
    assert any(says in line for line in step.preview)


def test_a_cluster_agents_group_is_left_alone() -> None:
    case = worked_incident()
    group = Cgroup(key="c", path="/kubepods/pod1/x", version=2, cpu_quota=1.0, pids=[930])
    case = grow(case, cgroups=[group])
    steps = plan(case, [one_sick(case, "cpu-throttled")]).steps
    assert "raise-cpu-quota" not in [step.action for step in steps]


def test_a_hostile_client_name_is_quoted() -> None:
    case = worked_incident()
    cache = next(link for link in case.chain.links if link.role == "cache")
    evil = SlowCommand(cache=cache.key, at=NOW, duration=2.0, command="KEYS *", client="1;reboot")
    case = grow(case, slow_commands=[evil])
    values = arguments(case, judged(case, "slow-command", link=cache.key), pain())
    assert "client" not in values
    assert values["command"] == "KEYS"


def test_half_a_recipe_is_none() -> None:
    one = Action(
        id="test-half",
        title="t",
        harm="nobody",
        harm_note="n",
        what="w",
        expect="e",
        cannot="c",
        preview=("save {file}", "change {file} {value}", "? look {other}"),
        undo=("restore {file}",),
    )
    assert commands(one, {"file": "/a b"}) == ([], [])
    whole = commands(one, {"file": "/a b", "value": 1})
    assert whole == (["save '/a b'", "change '/a b' 1"], ["restore '/a b'"])


def test_a_value_with_control_characters_offers_no_command() -> None:
    one = next(iter(actions().values()))
    bad = structs.replace(one, preview=("echo {x}",), undo=())
    assert commands(bad, {"x": "a\x1b[2J"}) == ([], [])
