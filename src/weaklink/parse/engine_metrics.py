"""ONE table: what engines and web frameworks call what we call by one neutral name.

Names change between versions; each role lists all names that it has had. Sources: the metrics
pages of vLLM (V0 and V1), SGLang, TGI, Triton and its TensorRT-LLM backend, llama.cpp, Ray Serve;
Prometheus client libraries for FastAPI, Starlette, Flask, Go and Spring.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from weaklink.parse.prometheus import Sample


class Known(NamedTuple):
    """One metric: whose it is, its role, its unit in seconds or 1, labels that it must have."""

    engine: str
    role: str
    scale: float = 1.0
    labels: tuple[tuple[str, str], ...] = ()


MICRO, MILLI = 1e-6, 1e-3
GAUGES: dict[str, Known] = {
    "vllm:num_requests_running": Known("vllm", "running"),
    "vllm:num_requests_waiting": Known("vllm", "waiting"),
    "vllm:num_requests_swapped": Known("vllm", "swapped"),
    "vllm:gpu_cache_usage_perc": Known("vllm", "kv_used"),
    "vllm:kv_cache_usage_perc": Known("vllm", "kv_used"),
    "vllm:avg_generation_throughput_toks_per_s": Known("vllm", "output_rate"),
    "vllm:avg_prompt_throughput_toks_per_s": Known("vllm", "prompt_rate"),
    "sglang:num_running_reqs": Known("sglang", "running"),
    "sglang:num_queue_reqs": Known("sglang", "waiting"),
    "sglang:token_usage": Known("sglang", "kv_used"),
    "sglang:full_token_usage": Known("sglang", "kv_used"),
    "sglang:gen_throughput": Known("sglang", "output_rate"),
    "sglang:cache_hit_rate": Known("sglang", "prefix_hits"),
    "tgi_batch_current_size": Known("tgi", "running"),
    "tgi_queue_size": Known("tgi", "waiting"),
    "nv_inference_pending_request_count": Known("triton", "waiting"),
    "nv_trt_llm_kv_cache_block_metrics": Known(
        "triton", "kv_used", 1.0, (("kv_cache_block_type", "fraction"),)
    ),
    "llamacpp:requests_processing": Known("llama.cpp", "running"),
    "llamacpp:requests_deferred": Known("llama.cpp", "waiting"),
    "llamacpp:kv_cache_usage_ratio": Known("llama.cpp", "kv_used"),
    "llamacpp:predicted_tokens_seconds": Known("llama.cpp", "output_rate"),
    "ray_serve_replica_processing_queries": Known("ray-serve", "running"),
    "ray_serve_num_ongoing_requests_at_replicas": Known("ray-serve", "running"),
    "ray_serve_deployment_queued_queries": Known("ray-serve", "waiting"),
}


def _timed(engine: str, name: str, role: str, count: str, scale: float = 1.0) -> dict[str, Known]:
    """Sum and count of a histogram."""
    return {
        f"{name}_sum": Known(engine, f"{role}_seconds", scale),
        f"{name}_count": Known(engine, count),
    }


COUNTERS: dict[str, Known] = {
    "vllm:num_preemptions_total": Known("vllm", "preemptions"),
    "vllm:num_preemptions": Known("vllm", "preemptions"),
    "vllm:prompt_tokens_total": Known("vllm", "prompt_tokens"),
    "vllm:generation_tokens_total": Known("vllm", "output_tokens"),
    **_timed("vllm", "vllm:time_to_first_token_seconds", "first_token", "first_token_count"),
    **_timed("vllm", "vllm:e2e_request_latency_seconds", "total", "total_count"),
    **_timed("vllm", "vllm:time_per_output_token_seconds", "gap", "gap_count"),
    **_timed("vllm", "vllm:inter_token_latency_seconds", "gap", "gap_count"),
    **_timed("vllm", "vllm:request_queue_time_seconds", "queue", "queue_count"),
    "vllm:request_inference_time_seconds_sum": Known("vllm", "compute_seconds"),
    "sglang:prompt_tokens_total": Known("sglang", "prompt_tokens"),
    "sglang:generation_tokens_total": Known("sglang", "output_tokens"),
    "sglang:num_requests_total": Known("sglang", "requests"),
    "sglang:num_retracted_requests_total": Known("sglang", "preemptions"),
    **_timed("sglang", "sglang:time_to_first_token_seconds", "first_token", "first_token_count"),
    **_timed("sglang", "sglang:e2e_request_latency_seconds", "total", "total_count"),
    **_timed("sglang", "sglang:time_per_output_token_seconds", "gap", "gap_count"),
    **_timed("sglang", "sglang:inter_token_latency_seconds", "gap", "gap_count"),
    **_timed("sglang", "sglang:queue_time_seconds", "queue", "queue_count"),
    "tgi_request_count": Known("tgi", "requests"),
    "tgi_request_failure": Known("tgi", "failed"),
    "tgi_request_input_length_sum": Known("tgi", "prompt_tokens"),
    "tgi_request_generated_tokens_sum": Known("tgi", "output_tokens"),
    "tgi_request_inference_duration_sum": Known("tgi", "compute_seconds"),
    **_timed("tgi", "tgi_request_queue_duration", "queue", "queue_count"),
    **_timed("tgi", "tgi_request_duration", "total", "total_count"),
    **_timed("tgi", "tgi_request_mean_time_per_token_duration", "gap", "gap_count"),
    "nv_inference_request_success": Known("triton", "requests"),
    "nv_inference_request_failure": Known("triton", "failed"),
    "nv_inference_count": Known("triton", "total_count"),
    "nv_inference_exec_count": Known("triton", "executions"),
    "nv_inference_request_duration_us": Known("triton", "total_seconds", MICRO),
    "nv_inference_queue_duration_us": Known("triton", "queue_seconds", MICRO),
    "nv_inference_compute_infer_duration_us": Known("triton", "compute_seconds", MICRO),
    "llamacpp:prompt_tokens_total": Known("llama.cpp", "prompt_tokens"),
    "llamacpp:tokens_predicted_total": Known("llama.cpp", "output_tokens"),
    "llamacpp:tokens_predicted_seconds_total": Known("llama.cpp", "gap_seconds"),
    **_timed("ray-serve", "ray_serve_deployment_processing_latency_ms", "total", "total_count",
             MILLI),
    "ray_serve_deployment_error_counter_total": Known("ray-serve", "failed"),
    "ray_serve_deployment_error_counter": Known("ray-serve", "failed"),
}  # fmt: skip
REASONS = {
    "vllm:request_success_total": "finished_reason",
    "vllm:request_success": "finished_reason",
}
HTTP_COUNTS = (
    "http_requests_total", "http_server_requests_total", "starlette_requests_total",
    "fastapi_requests_total", "flask_http_request_total",
    "django_http_responses_total_by_status_total",
    "http_server_request_duration_seconds_count", "http_server_requests_seconds_count",
    "http_request_duration_seconds_count", "flask_http_request_duration_seconds_count",
)  # fmt: skip
"""Counts of answered requests with their status; the first that an answer has is taken."""
HTTP_TIMES = (
    "http_request_duration_seconds", "http_server_request_duration_seconds",
    "http_server_requests_seconds", "starlette_request_duration_seconds",
    "starlette_requests_processing_time_seconds", "fastapi_requests_duration_seconds",
    "flask_http_request_duration_seconds", "http_request_duration_highr_seconds",
)  # fmt: skip
STATUS_LABELS = ("status", "status_code", "code", "http_status", "http_response_status_code")
PATH_LABELS = ("handler", "path", "path_template", "route", "uri", "endpoint", "http_route")
NO_USERS = ("/metrics", "/health", "/healthz", "/ready", "/readyz", "/livez", "/ping", "/v2/health")
"""Paths that monitoring asks, not users."""

QUANTITIES: dict[str, str] = {
    # role -> quantity (model/quantities/engine.py)
    "running": "engine_requests_running",
    "waiting": "engine_requests_waiting",
    "kv_used": "engine_kv_used_ratio",
    "output_rate": "engine_output_tokens_rate",
    "preemptions": "engine_preemptions_total",
    "prompt_tokens": "engine_prompt_tokens_total",
    "output_tokens": "engine_output_tokens_total",
    "first_token_seconds": "engine_first_token_seconds_total",
    "first_token_count": "engine_first_tokens_total",
    "gap_seconds": "engine_token_gap_seconds_total",
    "gap_count": "engine_token_gaps_total",
    "total_seconds": "engine_request_seconds_total",
    "total_count": "engine_requests_done_total",
    "failed": "engine_requests_failed_total",
    "queue_seconds": "engine_queue_seconds_total",
    "queue_count": "engine_queued_total",
    "compute_seconds": "engine_compute_seconds_total",
    "executions": "engine_batches_total",
    "reason stop": "engine_ended_stop_total",
    "reason length": "engine_ended_length_total",
    "reason abort": "engine_ended_abort_total",
    "reason error": "engine_ended_error_total",
}
SHARES = frozenset({"kv_used", "prefix_hits", "output_rate", "prompt_rate"})
"""Of several series the largest counts; others are summed."""
STARTED = "process_start_time_seconds"


def known(name: str) -> Known | None:
    """What a metric is; names that Ray puts its own prefix before count as well."""
    bare = name
    if name.startswith(("ray_vllm", "ray_sglang")):
        bare = name.removeprefix("ray_").replace("vllm_", "vllm:", 1)
    return GAUGES.get(bare) or COUNTERS.get(bare)


def values_of(samples: Iterable[Sample]) -> dict[str, float]:
    """Values by quantity of one answer of one /metrics; empty where nothing is known in it."""
    roles: dict[str, float] = {}
    http: dict[str, dict[str, float]] = {}
    for one in samples:
        found = known(one.name)
        if found is not None and all(one.labels.get(k) == v for k, v in found.labels):
            value = one.value * found.scale
            old = roles.get(found.role, 0.0)
            roles[found.role] = max(old, value) if found.role in SHARES else old + value
        elif one.name in REASONS:
            reason = one.labels.get(REASONS[one.name], "")
            key = f"reason {reason}"
            roles[key] = roles.get(key, 0.0) + one.value
        else:
            _web(one, http)
    values = {QUANTITIES[role]: value for role, value in roles.items() if role in QUANTITIES}
    if "engine_batches_total" in values and "engine_requests_done_total" in values:
        values["engine_batched_total"] = values["engine_requests_done_total"]
    if "engine_queue_seconds_total" in values and "engine_queued_total" not in values:
        done = values.get("engine_requests_done_total")
        values |= {} if done is None else {"engine_queued_total": done}
    if "engine_token_gap_seconds_total" in values and "engine_output_tokens_total" in values:
        values.setdefault("engine_token_gaps_total", values["engine_output_tokens_total"])
    return values | _answered(http)


def _web(one: Sample, http: dict[str, dict[str, float]]) -> None:
    """Adds a sample of a web framework's own metrics, by its name."""
    base = one.name.removesuffix("_sum").removesuffix("_count")
    if one.name not in HTTP_COUNTS and base not in HTTP_TIMES:
        return
    path = next((one.labels[name] for name in PATH_LABELS if name in one.labels), "")
    if path.startswith(NO_USERS):
        return
    row = http.setdefault(one.name, {})
    row["all"] = row.get("all", 0.0) + one.value
    status = next((one.labels[name] for name in STATUS_LABELS if name in one.labels), "")
    if status[:1] == "5":
        row["bad"] = row.get("bad", 0.0) + one.value
    if status:
        row["told"] = 1.0


def _answered(http: dict[str, dict[str, float]]) -> dict[str, float]:
    values: dict[str, float] = {}
    counted = next((http[name] for name in HTTP_COUNTS if http.get(name, {}).get("told")), None)
    if counted is not None:
        values["app_requests_total"] = counted["all"]
        values["app_request_errors_total"] = counted.get("bad", 0.0)
    for name in HTTP_TIMES:
        total, count = http.get(f"{name}_sum"), http.get(f"{name}_count")
        if total is not None and count is not None:
            values["app_request_seconds_total"] = total["all"]
            values["app_requests_timed_total"] = count["all"]
            break
    return values
