"""A worked incident as a Case, for tests: preview keys of a cache expired all at once.

The story of the README: at 15:04 every user of /v1/preview waits, since 12 480 keys that a cron
job had given one expiry went together, and three workers decode each video again.
"""

from __future__ import annotations

from msgspec import structs

from weaklink.model.case import Case, grow
from weaklink.model.chain import Chain, Hop, Link
from weaklink.model.diagnosis import Diagnosis, Impact, JudgedCause, Onset, Pain, Shape, Slice
from weaklink.model.event import Event
from weaklink.model.evidence import Evidence
from weaklink.model.fact import Cgroup, Host, Keyspace, Listener, Process, ProxyServer
from weaklink.model.finding import Finding
from weaklink.model.look import Look
from weaklink.model.message import say
from weaklink.model.series import Series
from weaklink.words import texts

HOST = "h1"
ONSET = 1_772_348_650.0
"""2026-03-01 15:04:10 at UTC+8."""
NOW = ONSET + 180.0

texts(
    {
        "recorded.expired": "{count} {prefix} keys expired in {span:seconds}; usual: 40 a minute",
        "recorded.cron": "{job} (cron, pid {pid}, ended 15:03:59) had set their expiry",
        "recorded.threads": "CPU {used} of 200 % in av:h264 threads, for {where}",
        "recorded.gpu": "GPU SM 22 %, decoder 0 %: the CPU is not computing the model",
        "recorded.hits": "cache hits {before:percent} -> {now:percent}",
        "recorded.pain": "P99 {p99:seconds}",
        "recorded.baseline": "own recording, 30 min before",
        "recorded.need-root": "needs root",
        "recorded.latent": "file system {path} is {share:percent} full",
        "recorded.next": "sample the keys' expiries again in a minute",
    }
)


def _key(pid: int, start: int) -> str:
    return f"process:{HOST}/-/{pid}@{start}"


def _link(name: str, role: str, pid: int, address: str, **more: object) -> Link:
    return Link(
        key=_key(pid, pid * 10),
        name=name,
        role=role,  # type: ignore[arg-type]
        pids=[pid],
        processes=[_key(pid, pid * 10)],
        listen=[address],
        **more,  # type: ignore[arg-type]
    )


def chain() -> Chain:
    """client > nginx > gateway > orchestrator > three inference workers > redis | store."""
    front = _link("nginx", "proxy", 900, "0.0.0.0:80", entry=True, state="waits")
    gateway = _link("gateway", "app", 910, "127.0.0.1:8000", state="waits")
    middle = _link("orchestrator", "app", 920, "127.0.0.1:8010", state="waits", wait_seconds=9.8)
    workers = [
        _link(
            "inference",
            "inference",
            930 + number,
            f"10.9.0.{number + 2}:8100",
            group="inference",
            state="busy",
            own_seconds=9.8,
            program="uvicorn inference:app",
        )
        for number in range(3)
    ]
    redis = _link("redis", "cache", 940, "127.0.0.1:6379", state="fine")
    store = _link("store", "store", 950, "127.0.0.1:8333", state="fine")
    pairs = [(front, gateway), (gateway, middle), *((middle, worker) for worker in workers)]
    pairs += [(worker, below) for worker in workers for below in (redis, store)]
    hops = [
        Hop(
            key=f"{a.key}>{b.key}",
            source=a.key,
            dest=b.key,
            address=b.listen[0],
            connections=4,
            via=["sockets"],
        )
        for a, b in pairs
    ]
    return Chain(links=[front, gateway, middle, *workers, redis, store], hops=hops)


def pain() -> Pain:
    """Widespread timeouts on two of three routes, against the half hour before."""
    return Pain(
        shape=Shape(id="widespread-timeouts", confidence=0.93, runner_up="intermittent-spikes"),
        impact=Impact(
            rate_now=41.2,
            rate_before=40.8,
            p50_now=3.4,
            p50_before=0.031,
            p99_now=10.3,
            p99_before=0.21,
            error_ratio_now=0.081,
            error_ratio_before=0.001,
            shed_ratio_now=0.0,
            in_flight=212,
            oldest_in_flight=31.0,
            slices=[
                Slice(by="route", name="/v1/preview", requests=4100, bad=402, p99=10.4, hurt=True),
                Slice(by="route", name="/v1/videos", requests=1900, bad=96, p99=9.9, hurt=True),
                Slice(by="route", name="/v1/jobs", requests=1210, bad=0, p99=0.05),
            ],
            window=(ONSET, NOW),
            baseline=say("recorded.baseline"),
        ),
        onset=Onset(at=ONSET, plus_minus_seconds=2.0),
    )


def _evidence(id_: str, sign: str, key: str, link: str, **args: str | float) -> Evidence:
    return Evidence(
        id=id_,
        sign=sign,
        target=link,
        link=link,
        strength=0.9,
        message=say(key, **args),
        onset=ONSET - 7,
        plus_minus=2.0,
    )


def worked_incident() -> Case:
    """The Case, judged once: cache-mass-expiry on all three members, very likely."""
    links = chain()
    workers = [link.key for link in links.links if link.role == "inference"]
    cache = next(link.key for link in links.links if link.role == "cache")
    where = "render_preview worker.py:88"
    evidence = [
        _evidence("e1", "users.slower", "recorded.pain", "", p99=10.3),
        _evidence(
            "e2",
            "cache.expiry-burst",
            "recorded.expired",
            cache,
            count=12480,
            prefix="preview:*",
            span=3,
        ),
        _evidence(
            "e3", "cache.job-set-expiry", "recorded.cron", cache, job="renew_previews", pid="4121"
        ),
        _evidence("e4", "app.cpu-in-decode", "recorded.threads", workers[0], used=198, where=where),
        _evidence("e5", "gpu.idle", "recorded.gpu", workers[0]),
        _evidence("e6", "cache.hit-ratio-fell", "recorded.hits", cache, before=0.91, now=0.27),
    ]
    judged = JudgedCause(
        id="cache-mass-expiry",
        link=workers[0],
        target=f"keyspace:{HOST}/-/redis:6379/preview",
        log_odds=3.4,
        probability=0.968,
        sure="very-likely",
        members=workers,
        for_=["e1", "e2", "e3", "e4", "e5"],
        kinds=["app-metrics", "process-stacks", "events"],
        named=True,
        args={
            "cache_hit_ratio_fell_name": "redis",
            "cache_hit_ratio_fell_before": 0.91,
            "cache_hit_ratio_fell_now": 0.27,
            "cache_fewer_keys_than_usual_keys": 1204,
            "cache_fewer_keys_than_usual_usual": 13700,
            "cache_ttls_aligned_prefix": "preview",
            "cache_ttls_aligned_when": 1610,
            "crontab_job": "renew_previews",
        },
    )
    other = JudgedCause(
        id="preprocess-on-cpu",
        link=workers[0],
        target=workers[0],
        log_odds=-1.2,
        probability=0.231,
        sure="possible",
        for_=["e4"],
        against=["e2"],
        kinds=["process-stacks"],
    )
    diagnosis = Diagnosis(
        at=NOW,
        pain=pain(),
        causes=[judged, other],
        ruled_out=["traffic-surge", "gpu-compute-saturated", "swap-thrash", "disk-saturated"],
        changes=[0],
        next_look=say("recorded.next"),
    )
    case = Case(
        schema="weaklink/case/1",
        id="20260301T070710Z-h1-5f0c",
        created=NOW,
        version="0.1.0",
        host=Host(
            name=HOST,
            boot=ONSET - 86400 * 9,
            cpus=8,
            memory_bytes=32 * 2**30,
            kernel="6.1.0",
            utc_offset=8 * 3600,
        ),
        window=(NOW - 6, NOW),
        looks=_looks(),
        processes=_processes(links),
        listeners=[Listener(address="0.0.0.0:80", netns="-", pids=[900], waiting=3, backlog=511)],
        servers=[
            ProxyServer(
                owner=links.links[0].key,
                listen=["0.0.0.0:80"],
                passes=["gateway"],
                file="/etc/nginx/conf.d/ai.conf",
            )
        ],
        series=[
            Series(
                quantity=f"cache_{name}_total",
                target=cache,
                times=[NOW - 6, NOW],
                values=[0.0, count],
            )
            for name, count in (("hits", 270.0), ("misses", 730.0))
        ],
        cgroups=_cgroups(),
        keyspaces=[
            Keyspace(
                cache=cache,
                key=judged.target,
                prefix="preview",
                sampled=120,
                ttls=[1790.0] * 110,
                at=NOW,
            )
        ],
        events=[
            Event(
                at=ONSET - 11,
                kind="cron-run",
                target="",
                text="renew_previews",
                source="/etc/cron.d/previews",
            )
        ],
        chain=links,
        pain=pain(),
        evidence=evidence,
        findings=[
            Finding(
                verdict="warn",
                target=f"mount:{HOST}/-//var",
                message=say("recorded.latent", path="/var", share=0.91),
            )
        ],
    )
    return _with_plan(case, diagnosis)


def _with_plan(case: Case, diagnosis: Diagnosis) -> Case:
    from weaklink.contain.plan import plan
    from weaklink.converge import catalogue

    catalogue()
    steps = plan(case, [cause for cause in diagnosis.causes if cause.named])
    return grow(case, diagnoses=[structs.replace(diagnosis, plan=steps)])


def healthy() -> Case:
    """The same chain on a quiet day: looked at, and nothing hurts."""
    case = worked_incident()
    quiet = Pain(
        shape=Shape(id="none", confidence=0.97),
        impact=Impact(rate_now=41.0, p50_now=0.03, p99_now=0.21, error_ratio_now=0.0),
    )
    from weaklink.model.case import grow

    diagnosis = Diagnosis(at=NOW, pain=quiet)
    return grow(case, pain=quiet, evidence=[], events=[], diagnoses=[diagnosis])


def _looks() -> list[Look]:
    seen = ["host", "process", "sockets", "cgroup", "nginx", "redis", "python-stacks"]
    looks = [
        Look(name=name, target="", outcome="value", at=NOW - 6, seconds=0.03, cpu_seconds=0.01)
        for name in seen
    ]
    denied = Look(
        name="kernel-log",
        target="",
        outcome="denied",
        at=NOW - 1,
        seconds=0.001,
        reason=say("recorded.need-root"),
        remedy="sudo weaklink",
    )
    return [*looks, denied]


def _processes(links: Chain) -> list[Process]:
    return [
        Process(
            key=link.key,
            pid=link.pids[0],
            start_ticks=link.pids[0] * 10,
            start=ONSET - 86400,
            ppid=1,
            name=link.name,
            state="S",
            command=[link.name],
            cgroup={"cpu": f"/svc/{link.pids[0]}"} if link.role == "inference" else {},
        )
        for link in links.links
    ]


def _cgroups() -> list[Cgroup]:
    return [
        Cgroup(
            key=f"cgroup:{HOST}/-//svc/{pid}",
            path=f"/svc/{pid}",
            version=1,
            cpu_quota=1.0,
            memory_limit=2.0 * 2**30,
            pids=[pid],
        )
        for pid in (930, 931, 932)
    ]
