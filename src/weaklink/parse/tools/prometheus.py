"""Metrics of inference servers in the Prometheus text format: vLLM, SGLang, TGI, Triton.

Names change between versions; each role lists all names that it has had. A gauge tells what is
now, a counter what was since the start.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from weaklink.model.fact_text_engine import EngineSample, EngineTotals
from weaklink.model.take import Take
from weaklink.parse.prometheus import Sample, is_sample, samples
from weaklink.parse.quote import quoted
from weaklink.parse.text_tool import Passage, tool

GAUGES: dict[str, tuple[str, str]] = {
    "vllm:num_requests_running": ("vllm", "running"),
    "vllm:num_requests_waiting": ("vllm", "waiting"),
    "vllm:num_requests_swapped": ("vllm", "swapped"),
    "vllm:gpu_cache_usage_perc": ("vllm", "kv_used"),
    "vllm:kv_cache_usage_perc": ("vllm", "kv_used"),
    "vllm:avg_generation_throughput_toks_per_s": ("vllm", "output_rate"),
    "vllm:avg_prompt_throughput_toks_per_s": ("vllm", "prompt_rate"),
    "sglang:num_running_reqs": ("sglang", "running"),
    "sglang:num_queue_reqs": ("sglang", "waiting"),
    "sglang:token_usage": ("sglang", "kv_used"),
    "sglang:full_token_usage": ("sglang", "kv_used"),
    "sglang:gen_throughput": ("sglang", "output_rate"),
    "sglang:cache_hit_rate": ("sglang", "prefix_hits"),
    "tgi_batch_current_size": ("tgi", "running"),
    "tgi_queue_size": ("tgi", "waiting"),
    "nv_inference_pending_request_count": ("triton", "waiting"),
    "llamacpp:requests_processing": ("llama.cpp", "running"),
    "llamacpp:requests_deferred": ("llama.cpp", "waiting"),
    "llamacpp:kv_cache_usage_ratio": ("llama.cpp", "kv_used"),
    "llamacpp:predicted_tokens_seconds": ("llama.cpp", "output_rate"),
}
MICROSECONDS = 1e-6
COUNTERS: dict[str, tuple[str, str, float]] = {
    "vllm:num_preemptions_total": ("vllm", "preemptions", 1),
    "vllm:num_preemptions": ("vllm", "preemptions", 1),
    "vllm:time_to_first_token_seconds_sum": ("vllm", "first_token_seconds", 1),
    "vllm:time_to_first_token_seconds_count": ("vllm", "first_token_count", 1),
    "vllm:e2e_request_latency_seconds_sum": ("vllm", "total_seconds", 1),
    "vllm:e2e_request_latency_seconds_count": ("vllm", "total_count", 1),
    "vllm:request_queue_time_seconds_sum": ("vllm", "queue_seconds", 1),
    "vllm:request_inference_time_seconds_sum": ("vllm", "compute_seconds", 1),
    "vllm:generation_tokens_total": ("vllm", "output_tokens", 1),
    "sglang:time_to_first_token_seconds_sum": ("sglang", "first_token_seconds", 1),
    "sglang:time_to_first_token_seconds_count": ("sglang", "first_token_count", 1),
    "sglang:e2e_request_latency_seconds_sum": ("sglang", "total_seconds", 1),
    "sglang:e2e_request_latency_seconds_count": ("sglang", "total_count", 1),
    "sglang:generation_tokens_total": ("sglang", "output_tokens", 1),
    "sglang:num_requests_total": ("sglang", "requests", 1),
    "tgi_request_count": ("tgi", "requests", 1),
    "tgi_request_failure": ("tgi", "failed", 1),
    "tgi_request_queue_duration_sum": ("tgi", "queue_seconds", 1),
    "tgi_request_inference_duration_sum": ("tgi", "compute_seconds", 1),
    "tgi_request_duration_sum": ("tgi", "total_seconds", 1),
    "tgi_request_duration_count": ("tgi", "total_count", 1),
    "nv_inference_request_success": ("triton", "requests", 1),
    "nv_inference_request_failure": ("triton", "failed", 1),
    "nv_inference_count": ("triton", "total_count", 1),
    "nv_inference_exec_count": ("triton", "executions", 1),
    "nv_inference_request_duration_us": ("triton", "total_seconds", MICROSECONDS),
    "nv_inference_queue_duration_us": ("triton", "queue_seconds", MICROSECONDS),
    "nv_inference_compute_infer_duration_us": ("triton", "compute_seconds", MICROSECONDS),
}
REASONS = {
    "vllm:request_success_total": "finished_reason",
    "vllm:request_success": "finished_reason",
}
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
        if one.name in GAUGES:
            engine, role = GAUGES[one.name]
            _add(gauges[engine, member], role, one, 1.0)
        elif one.name in COUNTERS:
            engine, role, scale = COUNTERS[one.name]
            _add(totals[engine, member], role, one, scale)
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
