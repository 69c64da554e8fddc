"""Logs of Ollama, Ray Serve, ComfyUI, Triton and TGI: refusals, truncations, deaths, what fits."""

from __future__ import annotations

import re

from weaklink.model.take import Take
from weaklink.parse.sayings import Phrase, sayings
from weaklink.parse.text_tool import Passage, tool

OLLAMA = (
    Phrase("truncated", "truncating input prompt",
           re.compile(r"limit=(?P<limit>\d{1,9}) prompt=(?P<prompt>\d{1,12})")),
    Phrase("context-shift", "context limit hit - shifting"),
    Phrase("runner-died", "llama runner process has terminated",
           re.compile(r"terminated: (?P<why>.{1,80}?)(?:\"|$)")),
    Phrase("runner-died", "llama runner terminated", re.compile(r"error=\"(?P<why>[^\"]{1,80})")),
    Phrase("runner-died", "llama runner process no longer running"),
    Phrase("too-large", "requires more system memory", re.compile(
        r"memory \((?P<wanted>[\d.]{1,10} \w{1,3})\) than is available "
        r"\((?P<free>[\d.]{1,10} \w{1,3})")),
    Phrase("busy", "maximum pending requests exceeded"),
    Phrase("load-timeout", "timed out waiting for llama"),
    Phrase("vram-not-freed", "VRAM usage didn't recover"),
    Phrase("no-gpu", "no compatible GPUs were discovered"),
    Phrase("no-gpu", "no nvidia devices detected"),
    Phrase("low-vram", "entering low vram mode"),
    Phrase("partly-on-gpu", "offloaded ", re.compile(
        r"offloaded (?P<layers>\d{1,4})/(?P<all>\d{1,4}) layers to GPU")),
    Phrase("alloc-failed", "cudaMalloc failed: out of memory"),
    Phrase("client-gone", "client closing the connection"),
)  # fmt: skip
RAY = (
    Phrase("not-scheduled", "Failed to schedule request", re.compile(
        r"after (?P<tries>\d{1,9}) attempts over (?P<seconds>[\d.]{1,12})s")),
    Phrase("not-scheduled", "Failed to route request", re.compile(
        r"after (?P<tries>\d{1,9}) attempts over (?P<seconds>[\d.]{1,12})s")),
    Phrase("backpressure", "Request dropped due to backpressure",
           re.compile(r"max_queued_requests=(?P<limit>\d{1,9})")),
    Phrase("replica-slow-start", "taken more than", re.compile(
        r"has (?P<replicas>\d{1,6}) replicas that have taken more than (?P<seconds>\d{1,7})s to be "
        r"(?P<what>\w{1,20})")),
    Phrase("replica-unhealthy", "failed health check"),
    Phrase("replica-unhealthy", "Health check for", None, "", ("failed", "timed out")),
    Phrase("node-memory", "node running low on memory"),
    Phrase("actor-died", "The actor died unexpectedly"),
    Phrase("actor-died", "ActorDiedError"),
    Phrase("actor-died", "RayActorError"),
    Phrase("worker-died", "A worker died or was killed"),
)  # fmt: skip
COMFY = (
    Phrase("lowvram", "loading in lowvram mode",
           re.compile(r"lowvram mode (?P<megabytes>[\d.]{1,20})")),
    Phrase("lowvram", "loaded partially",
           re.compile(r"partially;? {1,2}(?P<megabytes>[\d.]{1,20})")),
    Phrase("exception", "!!! Exception during processing"),
    Phrase("slow-step", "s/it]", re.compile(r", {1,4}(?P<step>\d{1,6}\.\d{1,3})s/it\]")),
    Phrase("done", "Prompt executed in", re.compile(r"in (?P<seconds>\d{1,9}\.?\d{0,3}) s")),
    Phrase("oom", "Allocation on device"),
)  # fmt: skip
TRITON = (
    Phrase("load-failed", "failed to load '",
           re.compile(r"failed to load '(?P<model>[^']{1,120})'"), "model"),
    Phrase("stub-dead", "Stub process", None, "", ("not healthy", "unhealthy", "restarted")),
    Phrase("queue-full", "Exceeds maximum queue size"),
    Phrase("queue-full", "exceeds maximum queue"),
    Phrase("timeout", "Request timeout expired"),
    Phrase("shm", "Failed to initialize Python stub", None, "", ("shared memory", "shm")),
    Phrase("shm", "unable to create shared memory region"),
    Phrase("no-gpu", "unable to load shared library: libcuda"),
    Phrase("alloc-failed", "failed to allocate pinned system memory"),
    Phrase("unavailable", "is not ready"),
    Phrase("ready", "Started HTTPService"),
)  # fmt: skip
TGI = (
    Phrase("overloaded", "Model is overloaded"),
    Phrase("no-memory", "Not enough memory to handle",
           re.compile(r"handle (?P<tokens>\d{1,9}) prefill tokens")),
    Phrase("prompt-too-long", "`inputs` tokens + `max_new_tokens` must be",
           re.compile(r"Given: (?P<asked>\d{1,9}) `inputs`")),
    Phrase("shard-died", "Shard terminated"),
    Phrase("shard-died", "Shard process was signaled"),
    Phrase("shard-died", "ShardCannotStart"),
    Phrase("server-error", "Server error: "),
)  # fmt: skip


@tool(
    "ollama",
    heads=("time=", "[GIN]", "llama_", "ggml_", "llm_load", "load_tensors"),
    needles=("truncating input prompt", "llama runner", "maximum pending requests"),
    starts=lambda line: (
        "level=" in line[:120] or "source=" in line[:160] or line.startswith(
            ("[GIN]", "llama_", "ggml_", "llm_load", "load_tensors"))
        or "llama runner" in line
    ),
    scattered=True,
)  # fmt: skip
def ollama(passage: Passage) -> Take | None:
    """Ollama's and its runner's statements."""
    found = sayings("ollama", passage.lines, OLLAMA)
    ours = any("source=" in line[:200] and "msg=" in line for line in passage.lines[:50])
    return Take(software=list(found)) if found or ours else None


@tool(
    "ray-serve",
    heads=("WARNING 2", "INFO 2", "ERROR 2", "(ServeReplica", "(ServeController", "(ProxyActor",
           "(raylet"),
    needles=("ray.exceptions.", "Failed to schedule request", "Request dropped due to backpr"),
    starts=lambda line: (
        " -- " in line or " - " in line or "ray.exceptions" in line or "(raylet" in line
        or "dropped due to backpressure" in line
    ),
    scattered=True,
)  # fmt: skip
def ray_serve(passage: Passage) -> Take | None:
    """Ray Serve's proxy, controller and replicas, and Ray's own errors."""
    found = sayings("ray-serve", passage.lines, RAY)
    return Take(software=list(found)) if found else None


@tool(
    "comfyui",
    heads=("Requested to load ", "loading in lowvram", "loaded partially", "Prompt executed in",
           "got prompt", "loaded completely", "Loading ", "!!! Exception during"),
    needles=("s/it]", "it/s]"),
    starts=lambda line: not line.startswith("Loading ") or "new model" in line,
    scattered=True,
)  # fmt: skip
def comfyui(passage: Passage) -> Take | None:
    """ComfyUI's console; None for a bare progress bar of something else."""
    found = sayings("comfyui", passage.lines, COMFY)
    if not any("it]" not in line and "it/s]" not in line for line in passage.lines):
        return None
    return Take(software=list(found)) if found else None


_GLOG = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d{1,9} \S{1,60}[:\]]")


@tool(
    "triton",
    heads=("I0", "I1", "W0", "W1", "E0", "E1", "F0", "F1"),
    needles=("Exceeds maximum queue size", "Stub process", "Request timeout expired"),
    starts=lambda line: _GLOG.match(line.lstrip()) is not None or "queue size" in line
    or "Stub process" in line or "timeout expired" in line,
    scattered=True,
)  # fmt: skip
def triton(passage: Passage) -> Take | None:
    """Triton Inference Server's log; None for another program's log of that shape."""
    found = sayings("triton", passage.lines, TRITON)
    return Take(software=list(found)) if found else None


@tool(
    "tgi",
    needles=("Model is overloaded", "Not enough memory to handle", "Shard terminated",
             "ShardCannotStart", "text_generation_router", "text_generation_launcher"),
    scattered=True,
)  # fmt: skip
def tgi(passage: Passage) -> Take | None:
    """Text Generation Inference: router and shards."""
    found = sayings("tgi", passage.lines, TGI)
    return Take(software=list(found)) if found else None
