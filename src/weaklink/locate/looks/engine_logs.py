"""What inference servers say in words: dead engines, retractions, refusals, truncated prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.locate.log_rules import Rule, judge
from weaklink.locate.look import Judged, look
from weaklink.locate.verdicts import Said, figure, known, percent
from weaklink.locate.view import View
from weaklink.model.fact_text_engine import EngineSample
from weaklink.model.fact_text_log import Saying
from weaklink.model.finding import Finding
from weaklink.words import texts

texts(
    {
        "finding.vllm.preempted": "it had to preempt requests[ {total} times] ({mode}): the KV "
        "cache is too small for what runs, so work is done twice; slower, not down",
        "finding.vllm.engine-dead": "its engine died[ ({times} lines say so)]: every request fails "
        "until it is restarted; the reason stands above",
        "finding.vllm.start-failed": "the engine did not start",
        "finding.vllm.no-cache-blocks": "no GPU memory is left for the KV cache: it cannot start",
        "finding.vllm.context-too-large": "the KV cache cannot hold one request of the model's "
        "full length[ of {wanted} tokens][, only {room} fit]: it cannot start",
        "finding.vllm.worker-silent": "the engine waits for a worker that does not answer"
        "[ (for {seconds} s at least)][, said {times} times]: the hang is in a worker",
        "finding.vllm.rpc-timeout": "a call to its workers timed out[ ({call})]: one of them hangs",
        "finding.vllm.prompt-too-long": "prompts are too long[ ({asked} tokens, limit {limit})]"
        "[, {times} times]: these requests are refused",
        "finding.sglang.retract": "the KV pool is full[ (token usage {usage})], it had to retract "
        "{retracted} of its requests, which start over[ ({times} times)]: long outputs exhaust it",
        "finding.sglang.prefill-out-of-memory": "prefill ran out of memory: the server ends",
        "finding.sglang.decode-out-of-memory": "decoding ran out of KV memory",
        "finding.sglang.watchdog": "the scheduler made no progress[ for {seconds} s]: its watchdog "
        "kills the server",
        "finding.sglang.deadlock": "the scheduler stands still although {share} of its pool is "
        "evictable ({evictable} of {total} tokens, {available} free) and nothing evicts it"
        "[; watchdog after {seconds} s]: a deadlock of the scheduler, not a lack of capacity",
        "finding.sglang.pool-leak": "it lost count of its KV pool (memory leak detected)",
        "finding.sglang.not-enough-memory": "too little GPU memory for its settings: it does not "
        "start (--mem-fraction-static)",
        "finding.sglang.child-died": "one of its processes died: the server ends",
        "finding.sglang.health-failed": "its own health check got no answer from the engine",
        "finding.sglang.prompt-too-long": "prompts are too long[ ({asked} tokens, limit {limit})]",
        "finding.ollama.truncated": "a prompt of {prompt} tokens was cut to {limit} (num_ctx)"
        "[, {times} times]: its beginning, the system prompt and most of the context, is lost; "
        "answers come with HTTP 200 and are wrong",
        "finding.ollama.context-shift": "answers run over the context window[ ({times} times)]: "
        "what came first is dropped",
        "finding.ollama.runner-died": "the process that runs the model died[: {why}]",
        "finding.ollama.too-large": "the model needs more memory than there is[ ({wanted}, free "
        "{free})]: it is not loaded",
        "finding.ollama.busy": "its queue is full: requests are refused (503)[, {times} times]",
        "finding.ollama.load-timeout": "a model did not load in time",
        "finding.ollama.vram-not-freed": "GPU memory was not freed after unloading"
        "[ ({times} times)]: loading and unloading in turns?",
        "finding.ollama.no-gpu": "no usable GPU was found: it computes on the CPU",
        "finding.ollama.low-vram": "too little GPU memory: low VRAM mode",
        "finding.ollama.partly-on-gpu": "only {layers} of {all} layers are on the GPU, the rest "
        "runs on the CPU: many times slower",
        "finding.ollama.alloc-failed": "an allocation on the GPU failed",
        "finding.ollama.client-gone": "clients gave up waiting[ ({times} times)]",
        "finding.ray-serve.not-scheduled": "a request found no replica for {seconds} s ({tries} "
        "tries): all are at their limit (max_ongoing_requests) or dead; it queues in the proxy",
        "finding.ray-serve.backpressure": "requests are dropped[ ({times})]: the queue is at its "
        "limit[ of {limit}]",
        "finding.ray-serve.replica-slow-start": "{replicas} replicas take more than {seconds} s to "
        "{what}",
        "finding.ray-serve.replica-unhealthy": "a replica fails its health check[ ({times} times)]",
        "finding.ray-serve.node-memory": "Ray killed a task because the node ran low on memory",
        "finding.ray-serve.actor-died": "a replica's process died[ ({times} lines say so)]",
        "finding.ray-serve.worker-died": "a worker process died[ ({times} times)]",
        "finding.comfyui.lowvram": "the model does not fit: lowvram mode keeps {megabytes} MB of "
        "it on the GPU and streams the rest from RAM[; {step} s a step]: memory is the limit",
        "finding.comfyui.exception": "a workflow ended with an exception[ ({times} times)]",
        "finding.comfyui.oom": "GPU memory ran out",
        "finding.comfyui.done": "workflows end[, slowest {seconds} s]",
        "finding.triton.load-failed": "model {about} did not load",
        "finding.triton.stub-dead": "the process of a Python model died: its requests wait or fail",
        "finding.triton.queue-full": "the queue of a model is full: requests are refused"
        "[ ({times} times)]",
        "finding.triton.timeout": "requests expired in the queue[ ({times} times)]",
        "finding.triton.shm": "shared memory is too small: a model does not start",
        "finding.triton.no-gpu": "it found no CUDA library: it computes on the CPU",
        "finding.triton.alloc-failed": "pinned memory could not be allocated",
        "finding.tgi.overloaded": "it refuses requests: its concurrency limit is reached"
        "[ ({times} times)]; that is a setting (max-concurrent-requests), not the GPU",
        "finding.tgi.no-memory": "too little GPU memory for {tokens} prefill tokens",
        "finding.tgi.prompt-too-long": "prompts are too long for its limit",
        "finding.tgi.shard-died": "a shard died: every request fails",
        "finding.tgi.server-error": "the shards return errors[ ({times} times)]",
        "finding.engine.started": "it started; its log tells no trouble",
    }
)
_VLLM = {
    "preempted": Rule("warn", "kv-cache-exhausted", 0.85,
                      "gpu_memory_utilization, max_num_seqs, max_model_len; more members"),
    "engine-dead": Rule("critical", "engine-dead", 0.9, "the traceback above; dmesg for Xid, OOM"),
    "start-failed": Rule("critical", "engine-dead", 0.85, "the first error above"),
    "no-cache-blocks": Rule("critical", "gpu-memory-hog", 0.7, "nvidia-smi: who holds memory"),
    "context-too-large": Rule("critical", "kv-cache-exhausted", 0.8, "max_model_len"),
    "worker-silent": Rule("warn", "collective-hang", 0.6, "py-spy dump of the workers", 3),
    "rpc-timeout": Rule("critical", "collective-hang", 0.7,
                        "py-spy dump of the workers; dmesg for Xid: per GPU"),
    "prompt-too-long": Rule("warn", "context-overflow", 0.85, "who sends such prompts"),
}  # fmt: skip
_SGLANG = {
    "retract": Rule("critical", "kv-cache-exhausted", 0.85, "cap max_new_tokens; more members"),
    "prefill-out-of-memory": Rule("critical", "kv-cache-exhausted", 0.8,
                                  "chunked-prefill-size, mem-fraction-static"),
    "decode-out-of-memory": Rule("critical", "kv-cache-exhausted", 0.8, "max-running-requests"),
    "watchdog": Rule("critical", "engine-dead", 0.85, "py-spy dump of all ranks before it dies"),
    "pool-leak": Rule("critical", "engine-dead", 0.7, "a restart; the version's known bugs"),
    "not-enough-memory": Rule("critical", "gpu-memory-hog", 0.6, "nvidia-smi: who holds memory"),
    "child-died": Rule("critical", "engine-dead", 0.85, "the traceback above; dmesg for Xid, OOM"),
    "health-failed": Rule("critical", "engine-dead", 0.7, "is it busy or dead: tokens/s"),
    "prompt-too-long": Rule("warn", "context-overflow", 0.85, "who sends such prompts"),
}  # fmt: skip
_OLLAMA = {
    "truncated": Rule("warn", "context-overflow", 0.9, "raise num_ctx, or shorten the prompts"),
    "context-shift": Rule("warn", "context-overflow", 0.8, "raise num_ctx; limit num_predict"),
    "runner-died": Rule("critical", "engine-dead", 0.85, "dmesg: an OOM kill? an Xid?"),
    "too-large": Rule("critical", "model-load-slow", 0.6, "a smaller model; free -m"),
    "busy": Rule("critical", "gateway-limit", 0.7, "OLLAMA_MAX_QUEUE, OLLAMA_NUM_PARALLEL"),
    "load-timeout": Rule("critical", "model-load-slow", 0.8, "where the model's file lies"),
    "vram-not-freed": Rule("warn", "model-swap-thrash", 0.5, "OLLAMA_KEEP_ALIVE, ollama ps"),
    "no-gpu": Rule("critical", "gpu-lost-to-container", 0.7, "nvidia-smi inside the container"),
    "low-vram": Rule("warn", "gpu-memory-hog", 0.6, "nvidia-smi: who holds memory"),
    "alloc-failed": Rule("critical", "gpu-memory-hog", 0.6, "nvidia-smi: who holds memory"),
    "client-gone": Rule("warn", "", 0.5, "their timeout against the answers' time"),
}
_RAY = {
    "not-scheduled": Rule("warn", "upstream-down", 0.6, "serve status; max_ongoing_requests"),
    "backpressure": Rule("critical", "gateway-limit", 0.7, "serve status: replicas, queue"),
    "replica-slow-start": Rule("warn", "cold-start", 0.7, "ray status: resources; image, weights"),
    "replica-unhealthy": Rule("critical", "worker-crash-loop", 0.6, "the replica's own log"),
    "node-memory": Rule("critical", "oom-killed", 0.9, "free -m on that node; who uses it"),
    "actor-died": Rule("critical", "worker-crash-loop", 0.8, "the actor's log; dmesg"),
    "worker-died": Rule("warn", "worker-crash-loop", 0.7, "dmesg: an OOM kill?", 3),
}
_COMFY = {
    "lowvram": Rule("critical", "gpu-memory-hog", 0.7, "nvidia-smi: is memory taken by others"),
    "exception": Rule("warn", "poison-request", 0.4, "the traceback below", 5),
    "oom": Rule("critical", "gpu-memory-hog", 0.6, "nvidia-smi: who holds memory"),
    "done": Rule("healthy", "", 0.6),
}
_TRITON = {
    "load-failed": Rule("critical", "engine-dead", 0.8, "the error behind it"),
    "stub-dead": Rule("critical", "oom-killed", 0.5, "memory.events oom_kill; dmesg"),
    "queue-full": Rule("critical", "gateway-limit", 0.6, "instances, dynamic batching, clients"),
    "timeout": Rule("warn", "batch-waits-to-fill", 0.4, "queue against compute duration", 20),
    "shm": Rule("critical", "", 0.8, "--shm-size of the container"),
    "no-gpu": Rule("critical", "gpu-lost-to-container", 0.8, "nvidia-smi inside the container"),
    "alloc-failed": Rule("warn", "", 0.5, "--pinned-memory-pool-byte-size"),
}
_TGI = {
    "overloaded": Rule("critical", "gateway-limit", 0.75, "max-concurrent-requests; more members"),
    "no-memory": Rule("critical", "gpu-memory-hog", 0.6, "max-batch-prefill-tokens; nvidia-smi"),
    "prompt-too-long": Rule("warn", "context-overflow", 0.8, "max-input-tokens"),
    "shard-died": Rule("critical", "engine-dead", 0.85, "the shard's log; dmesg"),
    "server-error": Rule("critical", "engine-dead", 0.6, "the shard's log"),
}
RULES = {
    "vllm": _VLLM,
    "sglang": _SGLANG,
    "ollama": _OLLAMA,
    "ray-serve": _RAY,
    "comfyui": _COMFY,
    "triton": _TRITON,
    "tgi": _TGI,
}
EVICTABLE, LITTLE_FREE = 0.9, 0.01
LONG_UNSCHEDULED = 30.0
"""Seconds without a replica: a client has long given up."""


@look("inference")
def engine_logs(view: View) -> Iterable[Judged]:
    """Known statements, server by server."""
    said = Said(view, "inference", "engine")
    by_tool: dict[str, list[Saying]] = {}
    for fact in view.case.software:
        if isinstance(fact, Saying):
            by_tool.setdefault(fact.tool, []).append(fact)
    samples = [fact for fact in view.case.software if isinstance(fact, EngineSample)]
    for name, rules in RULES.items():
        rows = by_tool.get(name, [])
        if not rows:
            continue
        special = list(_special(said, name, rows, samples))
        told = {code for code, _ in special}
        found = [one for _, one in special]
        plain = [row for row in rows if row.code not in told]
        found += list(judge(said, plain, rules, f"finding.{name}."))
        yield from found
        ready = [row for row in rows if row.code == "ready"]
        if not found and not samples and ready:
            yield said.finding("healthy", "finding.engine.started", name, ready[0].line, sure=0.5)


def _special(
    said: Said, name: str, rows: list[Saying], samples: list[EngineSample]
) -> Iterator[tuple[str, Finding]]:
    """Statements whose meaning depends on others: (code that is thereby told, finding)."""
    by_code = {row.code: row for row in rows}
    if name == "sglang":
        yield from _sglang(said, by_code, samples)
    elif name == "ollama" and "partly-on-gpu" in by_code:
        yield "partly-on-gpu", _layers(said, by_code["partly-on-gpu"])
    elif name == "ray-serve" and "not-scheduled" in by_code:
        row = by_code["not-scheduled"]
        seconds = row.values.get("seconds", 0.0)
        yield (
            "not-scheduled",
            said.finding(
                "critical" if seconds >= LONG_UNSCHEDULED else "warn",
                "finding.ray-serve.not-scheduled",
                name,
                row.last_line or row.line,
                cause="upstream-down",
                sure=0.6,
                next="serve status: replicas and their state; max_ongoing_requests",
                seconds=figure(seconds, 0),
                tries=figure(row.values.get("tries")),
            ),
        )
    elif name == "comfyui" and "lowvram" in by_code:
        row, step = by_code["lowvram"], by_code.get("slow-step")
        yield (
            "lowvram",
            said.finding(
                "critical",
                "finding.comfyui.lowvram",
                name,
                row.line,
                step.last_line or step.line if step else "",
                cause="gpu-memory-hog",
                sure=0.6,
                next="nvidia-smi: is memory taken by others; a smaller or quantised model",
                megabytes=figure(row.values.get("megabytes"), 0),
                more=known(step=figure(step.values.get("step")) if step else ""),
            ),
        )


def _sglang(
    said: Said, by_code: dict[str, Saying], samples: list[EngineSample]
) -> Iterator[tuple[str, Finding]]:
    pool, watchdog = by_code.get("pool"), by_code.get("watchdog")
    if pool and watchdog:
        total, free = pool.values.get("total", 0.0), pool.values.get("available", 0.0)
        evictable = pool.values.get("evictable", 0.0)
        if total and evictable >= EVICTABLE * total and free <= LITTLE_FREE * total:
            yield (
                "watchdog",
                said.finding(
                    "critical",
                    "finding.sglang.deadlock",
                    "sglang",
                    pool.line,
                    watchdog.line,
                    cause="engine-dead",
                    sure=0.8,
                    next="restart that member; the version's known bugs",
                    share=percent(evictable / total),
                    evictable=figure(evictable),
                    total=figure(total),
                    available=figure(free),
                    more=known(
                        seconds=figure(watchdog.values["seconds"])
                        if "seconds" in watchdog.values
                        else ""
                    ),
                ),
            )
    retract = by_code.get("retract")
    if retract:
        full = [one for one in samples if one.engine == "sglang" and (one.kv_used or 0) >= 0.9]
        usage = f"{full[-1].kv_used:.2f}" if full else ""
        yield (
            "retract",
            said.finding(
                "critical",
                "finding.sglang.retract",
                "sglang",
                full[-1].line if full else "",
                retract.last_line or retract.line,
                cause="kv-cache-exhausted",
                sure=0.85,
                next="cap max_new_tokens; a second member for long outputs",
                retracted=figure(retract.values.get("retracted")),
                more=known(usage=usage, times=str(retract.count) if retract.count > 1 else ""),
            ),
        )


def _layers(said: Said, row: Saying) -> Finding:
    layers, whole = row.values.get("layers", 0.0), row.values.get("all", 0.0)
    short = layers < whole - 1
    return said.finding(
        "warn" if short else "healthy",
        "finding.ollama.partly-on-gpu" if short else "finding.engine.started",
        "ollama",
        row.line,
        cause="gpu-memory-hog" if short else "",
        sure=0.7,
        next="a smaller or more quantised model; nvidia-smi: who else holds memory"
        if short
        else "",
        layers=figure(layers),
        all=figure(whole),
    )
