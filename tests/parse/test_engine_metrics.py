"""Metrics of engines and web frameworks come out under one set of names."""

from __future__ import annotations

import pytest

from weaklink.model.quantity import quantity
from weaklink.parse.engine_metrics import QUANTITIES, values_of
from weaklink.parse.prometheus import samples

VLLM = """# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_waiting{engine="0",model_name="m"} 7.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.98
vllm:num_preemptions_total{engine="0",model_name="m"} 12.0
vllm:generation_tokens_total{engine="0",model_name="m"} 5000.0
vllm:inter_token_latency_seconds_sum{engine="0",model_name="m"} 100.0
vllm:inter_token_latency_seconds_count{engine="0",model_name="m"} 5000.0
vllm:request_success_total{engine="0",finished_reason="length",model_name="m"} 4.0
vllm:request_success_total{engine="0",finished_reason="stop",model_name="m"} 40.0
vllm:e2e_request_latency_seconds_count{engine="0",model_name="m"} 44.0
vllm:e2e_request_latency_seconds_sum{engine="0",model_name="m"} 88.0
"""
TRITON = """nv_inference_request_success{model="a",version="1"} 100
nv_inference_count{model="a",version="1"} 100
nv_inference_exec_count{model="a",version="1"} 90
nv_inference_queue_duration_us{model="a",version="1"} 2000000
nv_inference_compute_infer_duration_us{model="a",version="1"} 400000
nv_inference_pending_request_count{model="a",version="1"} 1
"""
FASTAPI = """http_requests_total{handler="/v1/chat",method="POST",status="2xx"} 90
http_requests_total{handler="/v1/chat",method="POST",status="5xx"} 10
http_requests_total{handler="/metrics",method="GET",status="2xx"} 5000
http_request_duration_seconds_sum{handler="/v1/chat",method="POST"} 30
http_request_duration_seconds_count{handler="/v1/chat",method="POST"} 100
http_request_duration_highr_seconds_sum 30
http_request_duration_highr_seconds_count 5100
"""


def read(text: str) -> dict[str, float]:
    return values_of(samples(text.split("\n")))


def test_every_role_is_a_declared_quantity() -> None:
    for name in QUANTITIES.values():
        assert quantity(name).meaning


def test_vllm() -> None:
    found = read(VLLM)
    assert found["engine_requests_waiting"] == 7
    assert found["engine_kv_used_ratio"] == pytest.approx(0.98)
    assert found["engine_ended_length_total"] == 4
    assert found["engine_requests_done_total"] == 44
    assert found["engine_token_gap_seconds_total"] / found["engine_token_gaps_total"] == 0.02


def test_ray_puts_a_prefix_before_the_same_names() -> None:
    ray = VLLM.replace("vllm:", "ray_vllm_")
    assert read(ray)["engine_requests_running"] == 3


def test_triton_counts_microseconds_and_batches() -> None:
    found = read(TRITON)
    assert found["engine_queue_seconds_total"] == 2.0
    assert found["engine_batched_total"] / found["engine_batches_total"] == pytest.approx(
        1.11, 0.01
    )
    assert found["engine_queued_total"] == 100


def test_a_web_framework_without_what_monitoring_asks() -> None:
    found = read(FASTAPI)
    assert found["app_requests_total"] == 100
    assert found["app_request_errors_total"] == 10
    assert found["app_request_seconds_total"] / found["app_requests_timed_total"] == 0.3


def test_what_nobody_knows_gives_nothing() -> None:
    assert read("go_goroutines 8\nup 1\n") == {}
