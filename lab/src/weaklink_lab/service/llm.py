"""An inference server whose model is SIMULATED: it streams tokens and counts as vLLM does.

What is real: two processes (a web front and an engine), a queue, batches that share each step, a KV
cache that fills and puts requests back, prompts that are read in one step, tokens that stream. What
is not: there is no model, a step is a sleep, and every answer consists of the word `lorem`.

    python -m weaklink_lab.service.llm --port 18000 --control FILE

FILE holds JSON and is read again every half second, so that a fault can be set while it runs:
`gap` seconds a step, `read` seconds per prompt token, `room` KV tokens, `seats` requests at a time,
`limit` tokens an answer at most, `empty` answers without a token, `stuck` the engine stands still.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEFAULTS = {"gap": 0.01, "read": 0.00002, "room": 40_000, "seats": 64, "limit": 400, "empty": 0,
            "stuck": 0}  # fmt: skip
REPORT_EVERY = 10.0


@dataclass
class Job:
    """One request as the engine sees it; sizes in tokens."""

    id: int
    prompt: int
    wanted: int
    made: int = 0
    read: bool = False

    @property
    def held(self) -> int:
        """Its part of the KV cache."""
        return self.prompt + self.made if self.read else 0


class Engine:
    """The engine process: takes jobs from stdin, writes what happens to stdout, a line each."""

    def __init__(self, control: str) -> None:
        self.control = control
        self.set = dict(DEFAULTS)
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self.preempted = 0

    async def run(self) -> None:
        """Until stdin ends."""
        reader = asyncio.StreamReader(limit=1 << 20)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        steps = asyncio.ensure_future(self._steps())
        while line := await reader.readline():
            told = json.loads(line)
            if "drop" in told:
                self.running = [job for job in self.running if job.id != told["drop"]]
                self.waiting = [job for job in self.waiting if job.id != told["drop"]]
            else:
                self.waiting.append(Job(told["id"], told["prompt"], told["wanted"]))
        steps.cancel()

    async def _steps(self) -> None:
        looked = 0.0
        while True:
            if time.monotonic() - looked > 0.5:
                looked = time.monotonic()
                self._look()
            if self.set["stuck"]:
                await asyncio.sleep(0.1)
                continue
            reading = self._admit()
            if not self.running:
                await asyncio.sleep(0.002)
                self._tell({})
                continue
            await asyncio.sleep(self.set["gap"] + reading * self.set["read"])
            self._make_room()
            for job in list(self.running):
                self._token(job)
            self._tell({})

    def _look(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.set = DEFAULTS | json.loads(Path(self.control).read_text())

    def _admit(self) -> int:
        """Waiting jobs that fit start; the tokens that this step must read."""
        reading = 0
        while self.waiting and len(self.running) < self.set["seats"]:
            job = self.waiting[0]
            used = sum(one.held for one in self.running)
            if used + job.prompt + 16 > self.set["room"] and self.running:
                break
            self.waiting.pop(0)
            job.read = True
            reading += job.prompt
            self.running.append(job)
        return reading

    def _make_room(self) -> None:
        while len(self.running) > 1 and sum(j.held for j in self.running) > self.set["room"]:
            last = self.running.pop()
            last.made, last.read = 0, False
            self.waiting.insert(0, last)
            self.preempted += 1

    def _token(self, job: Job) -> None:
        if self.set["empty"]:
            self._end(job, "stop")
            return
        job.made += 1
        self._tell({"id": job.id, "token": 1})
        if job.made >= self.set["limit"]:
            self._end(job, "length")
        elif job.made >= job.wanted:
            self._end(job, "stop")

    def _end(self, job: Job, reason: str) -> None:
        self.running.remove(job)
        self._tell({"id": job.id, "end": reason})

    def _tell(self, what: dict[str, Any]) -> None:
        used = sum(job.held for job in self.running) / self.set["room"]
        state = {"r": len(self.running), "w": len(self.waiting), "kv": round(used, 4)}
        sys.stdout.write(json.dumps(what | state | {"p": self.preempted}) + "\n")
        sys.stdout.flush()


@dataclass
class Counts:
    """What /metrics shows; a histogram is its sum and count."""

    running: int = 0
    waiting: int = 0
    kv: float = 0.0
    preempted: int = 0
    prompt_tokens: int = 0
    tokens: int = 0
    reasons: dict[str, int] = field(default_factory=lambda: {"stop": 0, "length": 0, "abort": 0})
    sums: dict[str, list[float]] = field(
        default_factory=lambda: {
            "time_to_first_token_seconds": [0.0, 0],
            "inter_token_latency_seconds": [0.0, 0],
            "e2e_request_latency_seconds": [0.0, 0],
        }
    )

    def add(self, name: str, seconds: float) -> None:
        """One observation."""
        self.sums[name][0] += seconds
        self.sums[name][1] += 1

    def text(self) -> str:
        """In the Prometheus text format, under the names of vLLM V1."""
        label = '{engine="0",model_name="simulated"}'
        rows = {
            "num_requests_running": self.running,
            "num_requests_waiting": self.waiting,
            "kv_cache_usage_perc": self.kv,
            "num_preemptions_total": self.preempted,
            "prompt_tokens_total": self.prompt_tokens,
            "generation_tokens_total": self.tokens,
        }
        lines = [f"vllm:{name}{label} {float(value)}" for name, value in rows.items()]
        for name, (total, count) in self.sums.items():
            lines += [f"vllm:{name}_sum{label} {total}", f"vllm:{name}_count{label} {count}"]
        for reason, count in self.reasons.items():
            inner = f'{{engine="0",finished_reason="{reason}",model_name="simulated"}}'
            lines.append(f"vllm:request_success_total{inner} {count}")
        return "\n".join(lines) + "\n"


class Front:
    """The web front: HTTP in, jobs to the engine, tokens out; it outlives its engine."""

    def __init__(self, control: str) -> None:
        self.control = control
        self.counts = Counts()
        self.queues: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self.dead = False
        self.number = 0
        self.engine: asyncio.subprocess.Process | None = None

    async def run(self, host: str, port: int) -> None:
        """Serve until killed."""
        self.engine = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __spec__.name, "--engine", "--control", self.control,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        log("INFO", f"engine (SIMULATED model) has pid {self.engine.pid}")
        tasks = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._report())]
        server = await asyncio.start_server(self._serve, host, port, backlog=512)
        log("INFO", "Application startup complete.")
        async with server:
            await server.serve_forever()
        del tasks

    async def _listen(self) -> None:
        assert self.engine is not None
        assert self.engine.stdout is not None
        while line := await self.engine.stdout.readline():
            told = json.loads(line)
            self.counts.running, self.counts.kv = told["r"], told["kv"]
            self.counts.preempted = told["p"]
            queue = self.queues.get(told.get("id", -1))
            if queue is not None:
                queue.put_nowait(told)
        self.dead = True
        log("ERROR", "EngineCore encountered a fatal error: the engine's process is gone")
        for queue in self.queues.values():
            queue.put_nowait({"end": "error"})

    async def _report(self) -> None:
        before = 0
        while True:
            await asyncio.sleep(REPORT_EVERY)
            now = self.counts
            rate = (now.tokens - before) / REPORT_EVERY
            before = now.tokens
            log(
                "INFO",
                f"Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: "
                f"{rate:.1f} tokens/s, Running: {now.running} reqs, Waiting: "
                f"{self._waiting()} reqs, GPU KV cache usage: {100 * now.kv:.1f}%, "
                "Prefix cache hit rate: 0.0%",
            )

    def _waiting(self) -> int:
        return max(0, len(self.queues) - self.counts.running)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        peer = writer.get_extra_info("peername")
        if path == "/metrics":
            self.counts.waiting = self._waiting()
            await answer(writer, 200, self.counts.text(), "text/plain; version=0.0.4")
            return True
        if path == "/health":
            await answer(writer, 200, "", "text/plain")
            return True
        if method != "POST":
            await answer(writer, 404, "{}", "application/json")
            return True
        if self.dead:
            log("ERROR", "EngineDeadError: EngineCore encountered an issue. See stack trace above")
            status = 500
            await answer(writer, 500, '{"error":"EngineDeadError"}', "application/json")
        else:
            status = await self._complete(json.loads(body or b"{}"), writer)
        shown = "OK" if status == 200 else "Internal Server Error"
        print(f'INFO:     {peer[0]}:{peer[1]} - "{method} {path} HTTP/1.1" {status} {shown}',
              flush=True)  # fmt: skip
        return fields.get("connection") != "close"

    async def _complete(self, asked: dict[str, Any], writer: asyncio.StreamWriter) -> int:
        self.number += 1
        number, queue = self.number, asyncio.Queue[dict[str, Any]]()
        self.queues[number] = queue
        started = last = time.monotonic()
        prompt = max(1, len(str(asked.get("prompt", ""))) // 4)
        self._send({"id": number, "prompt": prompt, "wanted": int(asked.get("max_tokens", 16))})
        self.counts.prompt_tokens += prompt
        made, reason = 0, "abort"
        try:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")  # fmt: skip
            while True:
                told = await queue.get()
                if "end" in told:
                    reason = told["end"]
                    break
                now = time.monotonic()
                name = "inter_token_latency_seconds" if made else "time_to_first_token_seconds"
                self.counts.add(name, now - last)
                last, made = now, made + 1
                self.counts.tokens += 1
                await chunk(writer, event("lorem ", None))
            await chunk(writer, event("", reason) + "data: [DONE]\n\n")
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        except ConnectionError:
            self._send({"drop": number})
            raise
        finally:
            del self.queues[number]
            self.counts.reasons[reason] = self.counts.reasons.get(reason, 0) + 1
            self.counts.add("e2e_request_latency_seconds", time.monotonic() - started)
        return 200 if reason != "error" else 500

    def _send(self, job: dict[str, Any]) -> None:
        if self.engine is not None and self.engine.stdin is not None and not self.dead:
            self.engine.stdin.write(json.dumps(job).encode() + b"\n")


def event(text: str, reason: str | None) -> str:
    """One event of an OpenAI-style stream."""
    choice = {"index": 0, "text": text, "finish_reason": reason}
    return f"data: {json.dumps({'object': 'text_completion', 'choices': [choice]})}\n\n"


async def chunk(writer: asyncio.StreamWriter, text: str) -> None:
    """One chunk of a chunked body."""
    data = text.encode()
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def answer(writer: asyncio.StreamWriter, status: int, body: str, kind: str) -> None:
    """A whole answer."""
    data = body.encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}"
    writer.write(f"{head}\r\n\r\n".encode() + data)
    await writer.drain()


def log(level: str, text: str) -> None:
    """A line as vLLM writes them."""
    print(f"{level} {time.strftime('%m-%d %H:%M:%S')} [simulated.py:1] {text}", flush=True)


def main() -> None:
    """Front or engine, as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=18000)
    parser.add_argument("--control", default="/dev/null")
    parser.add_argument("--engine", action="store_true")
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        if given.engine:
            asyncio.run(Engine(given.control).run())
        else:
            asyncio.run(Front(given.control).run(given.host, given.port))


if __name__ == "__main__":
    main()
