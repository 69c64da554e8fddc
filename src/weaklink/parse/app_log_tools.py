"""Which servers' own words a log holds: told by lines that only they write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weaklink.model.fact_text_engine import EngineSample
from weaklink.parse.sayings import Phrase
from weaklink.parse.text_tool import tool_named
from weaklink.parse.tools import app_servers, model_servers, sglang_log, vllm_log

TABLES: Mapping[str, Sequence[Phrase]] = {
    "vllm": vllm_log.PHRASES,
    "sglang": sglang_log.PHRASES,
    "triton": model_servers.TRITON,
    "tgi": model_servers.TGI,
    "ollama": model_servers.OLLAMA,
    "ray-serve": model_servers.RAY,
    "gunicorn": app_servers.GUNICORN,
    # Its answers are rows of Requests here, not statements.
    "uvicorn": [phrase for phrase in app_servers.UVICORN if not phrase.code.startswith("request")],
}
LEAST = 1
MAX_SAMPLE = 400


def tables_for(lines: Sequence[str]) -> dict[str, Sequence[Phrase]]:
    """Tables of phrases of the servers that wrote some of these lines."""
    found: dict[str, Sequence[Phrase]] = {}
    for name, table in TABLES.items():
        reader = tool_named(name)
        if reader is not None and any(reader.begins(line) for line in lines[-MAX_SAMPLE:]):
            found[name] = table
    return found


def report_in(line: str) -> EngineSample | None:
    """What an engine reports of itself in this line, None where it is no such line."""
    if "Avg generation throughput:" in line:
        return vllm_log.report_of(line)
    if "#running-req" in line:
        return sglang_log.report_of(line)
    return None
