"""Answer questions: embed, look up the nearest texts, let a language model write."""

import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from weaklink_lab.service.upstream import Upstream

DIMENSIONS = 128
CELLS = 1000
NEAREST = (
    "SELECT id FROM texts WHERE cell = ANY($2::int[]) ORDER BY place <-> $1::text::halfvec LIMIT 4"
)
CONTEXT = "what is known: " * 50
LOOKUPS = 12
"""How many rewritten forms of a question are looked up, one after the other."""


def embed(text: str) -> list[float]:
    """Give the place of a text; the same for the same text (a stand-in for a model)."""
    dice = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]))
    return [round(float(value), 4) for value in dice.normal(size=DIMENSIONS)]


@dataclass(slots=True)
class Answerer:
    """Where texts are looked up and who writes; either may be missing."""

    texts: Any
    writer: Upstream | None

    async def answer(self, question: str) -> dict[str, Any]:
        """Give the answer, how it ended, and how many texts were used."""
        found = 0
        for number in range(LOOKUPS if self.texts is not None else 0):
            place = json.dumps(embed(f"{question} {number}"))
            near = [(hash(place) + step) % CELLS for step in range(3)]
            found += len(await self.texts.fetch(NEAREST, place, near))
        if self.writer is None:
            return {"answer": "", "texts": found, "finish_reason": "none"}
        size = 30 + int.from_bytes(hashlib.sha256(question.encode()).digest()[:1]) % 30
        wish = {"prompt": f"{CONTEXT}{question}", "max_tokens": size, "stream": True}
        body = json.dumps(wish).encode()
        reply = await self.writer.ask("POST", "/v1/completions", "ask", body)
        if reply.status != 200:
            raise RuntimeError(f"the model answered {reply.status}")
        return {**_joined(reply.body), "texts": found}


def _joined(stream: bytes) -> dict[str, str]:
    words, reason = [], ""
    for line in stream.decode().splitlines():
        if not line.startswith("data: {"):
            continue
        choice = json.loads(line[6:])["choices"][0]
        words.append(choice["text"])
        reason = choice.get("finish_reason") or reason
    return {"answer": "".join(words), "finish_reason": reason}


@asynccontextmanager
async def answerer(config: dict[str, Any]) -> AsyncIterator[Answerer]:
    """Open what is there of the index of texts and the writer."""
    async with AsyncExitStack() as stack:
        texts = None
        if config["vector"]:
            import asyncpg

            host, port = config["vector"]
            texts = await asyncpg.create_pool(
                host=host, port=port, user="texts", database="postgres", min_size=1, max_size=3
            )
            stack.push_async_callback(texts.close)
        writer = Upstream([tuple(config["llm"])]) if config["llm"] else None
        yield Answerer(texts, writer)
