"""Metrics of inference servers in the Prometheus text format: vLLM, SGLang, TGI, Triton.

Which name means what stands in parse/engine_metrics.py. A gauge tells what is now, a counter what
was since the start.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from weaklink.model.fact_text_engine import EngineSample, EngineTotals
from weaklink.model.take import Take
from weaklink.parse.engine_metrics import COUNTERS, GAUGES, REASONS
from weaklink.parse.prometheus import Sample, is_sample, samples
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

_SAMPLE_ROLES = frozenset(EngineSample.__struct_fields__)
_TOTAL_ROLES = frozenset(EngineTotals.__struct_fields__)
BUCKETS = {
    "vllm:time_to_first_token_seconds_bucket": "vllm",
    "sglang:time_to_first_token_seconds_bucket": "sglang",
}
PROCESS = {"process_open_fds": "open_files", "process_max_fds": "max_files"}
_MEMBER = ("engine", "model_name", "model", "tp_rank", "dp_rank")
_OURS = ("vllm:", "sglang:", "tgi_", "nv_inference", "nv_gpu", "llamacpp:", "process_")


def _starts(line: str) -> bool:
    bare = line.strip()
    if "DCGM_" in bare[:200]:
        return False
    return bare.startswith(("# HELP ", "# TYPE ")) or (
        bare.startswith(_OURS) and is_sample(bare)
    )  # fmt: skip


def _goes_on(line: str) -> bool:
    bare = line.strip()
    return not bare or ((bare[0] == "#" or is_sample(bare)) and "DCGM_" not in bare[:200])


@tool("prometheus", heads=("# HELP ", "# TYPE ", *_OURS), starts=_starts, goes_on=_goes_on,
      commands=("/metrics",))  # fmt: skip
def prometheus(passage: Passage) -> Take | None:
    """Gauges as samples, counters as totals, by engine and model."""
    gauges: dict[tuple[str, str], dict[str, Any]] = defaultdict(lambda: {"lines": {}})
    totals: dict[tuple[str, str], dict[str, Any]] = defaultdict(lambda: {"lines": {}})
    seen = False
    for one in samples(passage.lines):
        seen = True
        member = "/".join(one.labels[name] for name in _MEMBER if name in one.labels)[:160]
        gauge, counter = GAUGES.get(one.name), COUNTERS.get(one.name)
        if gauge is not None and not gauge.labels and gauge.role in _SAMPLE_ROLES:
            _add(gauges[gauge.engine, member], gauge.role, one, 1.0)
        elif counter is not None and counter.role in _TOTAL_ROLES:
            _add(totals[counter.engine, member], counter.role, one, counter.scale)
        elif one.name in REASONS:
            reasons = totals["vllm", member].setdefault("reasons", {})
            reason = one.labels.get(REASONS[one.name], "?")[:40]
            reasons[reason] = reasons.get(reason, 0.0) + one.value
            totals["vllm", member]["lines"].setdefault(f"reason {reason}", quoted(one.line))
        elif one.name in BUCKETS and "le" in one.labels:
            bound = _bound(one.labels["le"])
            if bound is not None:
                rows = totals[BUCKETS[one.name], member].setdefault("first_token_buckets", [])
                rows.append((bound, one.value))
        elif one.name in PROCESS:
            _add(totals["process", ""], PROCESS[one.name], one, 1.0)
    if not seen:
        return None
    facts: list[Any] = [
        EngineSample(engine=engine, member=member, measured=True, **row)
        for (engine, member), row in gauges.items()
    ]
    for (engine, member), row in totals.items():
        if "first_token_buckets" in row:
            row["first_token_buckets"].sort()
        facts.append(EngineTotals(engine=engine, member=member, **row))
    return Take(software=facts)


def _add(row: dict[str, Any], role: str, one: Sample, scale: float) -> None:
    """Sums series that differ in labels which do not name the member."""
    share = role in {"kv_used", "prefix_hits", "output_rate", "prompt_rate"}
    value = one.value * scale
    row[role] = max(row.get(role, 0.0), value) if share else row.get(role, 0.0) + value
    row["lines"].setdefault(role, quoted(one.line))


def _bound(text: str) -> float | None:
    try:
        value = float(text.replace("+Inf", "inf"))
    except ValueError:
        return None
    return value if value >= 0 else None
