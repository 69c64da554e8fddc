"""What applications say when a call fails, whatever language and library they are written in.

A phrase is told by words that stand in the line; which address it is about is looked for in the
same line, in the forms that common libraries print.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Said(NamedTuple):
    """A statement: words of which one must stand in the line, in lower case."""

    code: str
    words: tuple[str, ...]


TABLE = (
    # Sources: messages of libc's strerror, Python's socket, requests/urllib3, httpx, aiohttp,
    # redis-py, psycopg, asyncpg, SQLAlchemy, botocore, openai, Celery, Node's errno names, Go's
    # net, the JDK, gRPC. The first that fits counts, so the narrow ones stand before the wide ones.
    Said("pool-exhausted", (
        "queuepool limit of size", "pooltimeout", "connection is not available, request timed out",
        "too many clients already", "max number of clients reached", "too many connections",
        "no connection available", "connection pool exhausted", "pool exhausted",
        "timeout acquiring a connection", "couldn't get a connection after",
        "timed out waiting for connection from pool", "pool is exhausted", "remaining connection "
        "slots are reserved",
    )),
    Said("pool-full", ("connection pool is full, discarding",)),
    Said("workers-die", (
        "workerlosterror", "worker exited prematurely", "hard time limit (", "brokenprocesspool",
        "child process exited with", "worker process died",
    )),
    Said("gpu-out-of-memory", (
        "cuda out of memory", "cuda error: out of memory", "torch.outofmemoryerror",
        "cuda_error_out_of_memory", "cudamalloc failed: out of memory", "hip out of memory",
    )),
    Said("gpu-fault", (
        "cuda error:", "device-side assert", "uncorrectable ecc", "nccl error",
        "cuda_error_illegal", "unspecified launch failure", "cublas_status_execution_failed",
    )),
    Said("disk-full", ("no space left on device", "enospc", "disk quota exceeded")),
    Said("out-of-files", ("too many open files", "emfile")),
    Said("out-of-memory", (
        "memoryerror", "cannot allocate memory", "heap out of memory", "java.lang.outofmemory",
        "std::bad_alloc",
    )),
    Said("rate-limited", (
        "429 too many requests", "ratelimiterror", "error code: 429", "status code 429",
        "status_code=429", "status=429", "rate limit exceeded", "rate limit reached", "rate_limit",
        "throttlingexception", "throttled by", "slowdown", "resource_exhausted",
        "too many requests", "requests per minute",
    )),
    Said("quota-spent", ("insufficient_quota", "quota exceeded", "exceeded your current quota",
                         "billing_hard_limit")),
    Said("unauthorized", (
        "401 unauthorized", "403 forbidden", "invalid_api_key", "incorrect api key",
        "authenticationerror", "error code: 401", "error code: 403", "status code 401",
        "status code 403", "token has expired", "token is expired", "expiredtoken",
        "tokenexpirederror", "expiredsignatureerror", "invalidaccesskeyid",
        "signaturedoesnotmatch", "wrongpass", "noauth authentication required",
        "password authentication failed",
    )),
    Said("unresolved", (
        "name or service not known", "temporary failure in name resolution", "enotfound",
        "eai_again", "no such host", "nameresolutionerror", "getaddrinfo failed",
        "unknownhostexception", "nodename nor servname",
    )),
    Said("tls-failed", (
        "certificate verify failed", "certificate has expired", "sslerror", "x509:",
        "sslhandshakeexception", "tls handshake", "ssl: wrong_version_number", "cert_has_expired",
        "unable to verify the first certificate",
    )),
    Said("refused", (
        "connection refused", "econnrefused", "connect call failed", "errno 111",
        "connectionrefusederror", "actively refused",
    )),
    Said("unreachable", (
        "no route to host", "network is unreachable", "ehostunreach", "enetunreach",
        "host is unreachable",
    )),
    Said("reset", (
        "connection reset by peer", "econnreset", "server disconnected", "remotedisconnected",
        "remote end closed connection", "connectionreseterror", "socket hang up",
        "upstream prematurely closed", "connection aborted",
    )),
    Said("timed-out", (
        "readtimeout", "read timed out", "connecttimeout", "connect timed out",
        "connection timed out", "etimedout", "deadline exceeded", "deadline_exceeded",
        "timeouterror", "timed out", "timeoutexception", "esockettimedout", "apitimeouterror",
    )),
    Said("context-overflow", (
        "maximum context length", "context_length_exceeded", "exceeds the model's maximum",
        "prompt is too long", "exceed context window", "exceeds context size",
    )),
    Said("truncated", ("finish_reason=length", 'finish_reason": "length"',
                       "finish_reason='length'", "output was truncated", "max_tokens reached")),
    Said("refused-by-queue", ("queue is full", "exceeds maximum queue", "overloaded_error",
                              "server is overloaded", "model is overloaded")),
)  # fmt: skip
CALM = frozenset(("rate-limited", "quota-spent", "unauthorized", "truncated"))
"""What counts even in a line that its program calls information: HTTP clients log what they were
answered so (httpx does)."""
_ANY = re.compile("|".join(re.escape(word) for said in TABLE for word in said.words))
_ANY_CALM = re.compile(
    "|".join(re.escape(word) for said in TABLE if said.code in CALM for word in said.words)
)
MAX_SEARCHED = 2000
_HOST = r"[A-Za-z0-9](?:[\w.-]{0,200}[A-Za-z0-9])?"
_PAIRS = (
    # HTTPConnectionPool(host='10.0.0.7', port=8000); ('10.0.0.7', 8000);
    # server at "db", port 5432; tcp://10.0.0.7:6379; connecting to cache:6379; 10.0.0.7:80
    re.compile(rf"host=['\"]({_HOST})['\"],? port=(\d{{1,5}})"),
    re.compile(rf"\(['\"]({_HOST}|[0-9a-f:]{{2,39}})['\"], (\d{{1,5}})"),
    re.compile(rf"at \"({_HOST})\"(?: \([^)]{{1,60}}\))?, port (\d{{1,5}})"),
    re.compile(rf"https?://({_HOST})(?::(\d{{1,5}}))?(?=[/\s'\"?,)]|$)"),
    re.compile(r"(\[[0-9a-f:.]{2,39}\]):(\d{1,5})(?!\d)"),
    re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})(?![\d.])"),
    re.compile(
        rf"(?:to|host|dial tcp|ECONNREFUSED|address|upstream|connect) ({_HOST}):(\d{{1,5}})"
    ),
    re.compile(rf"(?:ENOTFOUND|EAI_AGAIN|lookup) ({_HOST})()"),
)


def code_of(line: str, *, calm: bool = False) -> str:
    """The code of what a line says, '' for nothing of the table; `calm`: only what counts then."""
    lower = line[:MAX_SEARCHED].lower()
    if (_ANY_CALM if calm else _ANY).search(lower) is None:
        return ""
    rows = (said for said in TABLE if not calm or said.code in CALM)
    return next((said.code for said in rows if any(word in lower for word in said.words)), "")


def address_in(line: str) -> str:
    """`host:port` (or a bare host) that a line names as what was called; '' for none."""
    head = line[:MAX_SEARCHED]
    for pattern in _PAIRS:
        found = pattern.search(head)
        if found is None:
            continue
        host, port = found[1], found[2]
        if not port and head[found.start() :].startswith("https"):
            port = "443"
        elif not port and head[found.start() :].startswith("http"):
            port = "80"
        if port and not 0 < int(port) < 65536:
            continue
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return f"{shown}:{port}" if port else shown
    return ""
