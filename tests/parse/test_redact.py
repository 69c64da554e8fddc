"""P13: secrets are gone, and what a diagnosis needs is still there."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaklink.parse.redact import HIDDEN, is_secret_name, redact, redact_argv, redact_key

KEEPS = [
    "python -m uvicorn app:main --host 127.0.0.1 --port 8001 --workers 4",
    "vllm serve meta/llama-7b --max-num-batched-tokens 8192 --tokenizer meta/llama-7b",
    "max_tokens=512 tokens: 17 temperature=0.7",
    "connect() failed (111: Connection refused) while connecting to upstream",
    "auth: connection refused by 10.0.0.7:5432",
    "/usr/lib/python3/dist-packages/av/container/input.py",
    "docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope",
    "process:h1/-/4121@78213",
    "getty@tty1.service",
    "nginx: worker process",
    "proxy_pass http://backend:8080",
    "ONNXRuntimeExecutionProvider H264Decoder",
    "key: 17, sort_key=name",
]

SECRET_FORMS = [
    "postgres://user:{}@db:5432/main",
    "redis://:{}@cache:6379/0",
    "https://{}@git.example.com/x.git",
    "GET /v1/x?api_key={}&n=1 HTTP/1.1",
    "https://h/cb?code={}",
    "Authorization: Bearer {}",
    "-H 'X-Api-Key: {}'",
    "Cookie: sid={}; theme=dark",
    "DB_PASSWORD={}",
    "export AWS_SECRET_ACCESS_KEY={}",
    "--password={} --port 80",
    "--hf-token {} --port 80",
    'password: "{}"',
    '{{"prompt": "tell me about {}", "n": 1}}',
    '{{\\"prompt\\": \\"tell me about {}\\"}}',
    '{{"clientSecret":"{}"}}',
    "redis-cli -h cache -a {} ping",
    "sh -c 'redis-cli -a {} ping'",
    "mysql -uroot -p{} main",
    "curl -u admin:{} https://h/",
    "requirepass {} masterauth {}",
    "mail sent to {}@example.com",
    "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
]


@pytest.mark.parametrize("text", KEEPS)
def test_what_a_diagnosis_needs_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("form", SECRET_FORMS)
def test_no_canary_comes_out(form: str) -> None:
    rng = random.Random(form)
    for _ in range(10):
        canary = "".join(rng.choices(string.ascii_lowercase + string.digits, k=12))
        text = form.replace("{}", canary).replace("{{", "{").replace("}}", "}")
        assert canary not in redact(text)


def test_two_hundred_canaries_in_argv() -> None:
    rng = random.Random(1)
    ways = [
        ["app", "--password={}"],
        ["app", "--api-key", "{}"],
        ["redis-cli", "-a", "{}"],
        ["/usr/bin/mysql", "-p{}"],
        ["curl", "-u", "me:{}", "https://h/"],
        ["curl", "-H", "Authorization: Bearer {}"],
        ["python", "serve.py", "--prompt", "please {}"],
        ["env", "OPENAI_API_KEY={}", "python"],
    ]
    for number in range(200):
        canary = "".join(rng.choices(string.ascii_letters + string.digits, k=16))
        argv = [part.replace("{}", canary) for part in ways[number % len(ways)]]
        assert canary not in " ".join(redact_argv(argv)), argv


def test_argv_keeps_its_shape() -> None:
    argv = ["/usr/bin/python3", "serve.py", "--port", "8000", "--token", "x", "--tokenizer", "t"]
    assert redact_argv(argv) == [*argv[:5], HIDDEN, *argv[6:]]


def test_a_long_argument_is_cut_and_many_are_dropped() -> None:
    cut = redact_argv(["python", "-c", "x = 1\n" * 500])
    assert len(cut[2]) < 200
    assert "3000 characters" in cut[2]
    assert len(redact_argv(["a"] * 1000)) == 65
    assert redact_argv([]) == []


@pytest.mark.parametrize(
    "token",
    [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        "sk-proj-abc123def456ghi789jkl",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "q7Rk2LmX9vTb4NcZ8sWd1YhG",
    ],
)
def test_tokens_are_known_by_their_looks(token: str) -> None:
    assert token not in redact(f"started with {token} as argument")


def test_secret_names() -> None:
    assert is_secret_name("DB_PASSWORD")
    assert is_secret_name("accessToken")
    assert is_secret_name("x-api-key")
    assert not is_secret_name("max_tokens")
    assert not is_secret_name("tokenizer")
    assert not is_secret_name("author")


def test_a_key_keeps_its_structure() -> None:
    key = redact_key("preview:8f14e45fceea167a:1080")
    assert key.startswith("preview:{")
    assert key.endswith(":1080")
    assert redact_key("preview:417") == "preview:417"
    assert redact_key("feature_flags") == "feature_flags"
    assert "alice" not in redact_key("session:alice")
    assert redact_key("session:alice") == redact_key("session:alice")
    assert redact_key("session:alice") != redact_key("session:bob")


HOSTILE = [
    "a=",
    "password",
    "?a",
    "://",
    "eyJ-",
    "redis-cli -a x ",
    "a@",
    "a.b@c.",
    "--pass ",
    "A1b",
    '\\"',
    '"prompt": "',
    "-----BEGIN ",
    "sk-",
    " ",
    "token:",
    "\x00\ud800",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_of_half_a_megabyte_ends(piece: str) -> None:
    # Anything quadratic would take minutes here.
    assert isinstance(redact(piece * (500_000 // len(piece))), str)


@given(st.text(max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    redact(text)
    redact_key(text)
    redact_argv([text, text])


@given(st.from_regex(r"[a-z]{8,20}[0-9]{2,4}", fullmatch=True), st.text(max_size=40))
def test_a_password_never_survives_beside_noise(canary: str, noise: str) -> None:
    clean = noise.replace(canary, "")
    assert canary not in redact(f"{clean} password={canary} ")
