"""Takes secrets out of a text before anything is stored, and keeps what a diagnosis needs.

Gone: passwords, tokens, keys, cookies, JWTs, user names in URLs, values of a query, e-mail
addresses, prompts. Kept: programs, scripts, ports, paths, hosts, plain numbers. Every step is
linear in the text's length: a pattern starts at most once in each run of characters.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from weaklink.parse.mask import is_identifier, is_short_number, mark

HIDDEN = "***"
MAX_ARGUMENT = 256
"""A longer argument is a prompt, a script or a document: its beginning names it well enough."""
KEPT_OF_LONG = 160
MAX_ARGUMENTS = 64

_SECRET_PARTS = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "accountkey",
    "authkey",
    "credential",
    "authorization",
    "requirepass",
    "masterauth",
    "sessionid",
    "sessionkey",
    "bearer",
    "signature",
]
_SECRET_WORDS = frozenset(
    [
        "pass",
        "pwd",
        "pw",
        "token",
        "auth",
        "cookie",
        "jwt",
        "sig",
        "otp",
        "pin",
        "key",
        "sid",
    ]
)
_ONLY_WITH_EQUALS = frozenset(["auth", "pin", "key", "sig", "sid", "pass", "pw"])
"""Too common in prose ("auth: connection refused", "key: 17") to be taken before a colon."""
_PROMPTS = frozenset(
    [
        "prompt",
        "prompts",
        "system_prompt",
        "negative_prompt",
        "content",
        "messages",
        "question",
        "completion",
        "input_text",
    ]
)
_FLAGS_BY_PROGRAM: dict[str, tuple[str, ...]] = {
    "redis-cli": ("-a", "-u"),
    "redis-benchmark": ("-a",),
    "valkey-cli": ("-a", "-u"),
    "valkey-benchmark": ("-a",),
    "keydb-cli": ("-a", "-u"),
    "curl": ("-u", "-b", "-d"),
    "sshpass": ("-p",),
    "http": ("-a",),
    "https": ("-a",),
    "mongo": ("-p",),
    "mongosh": ("-p",),
    "mysql": ("-p",),
    "mysqldump": ("-p",),
    "mysqladmin": ("-p",),
    "mariadb": ("-p",),
    "ldapsearch": ("-w",),
    "smbclient": ("-U",),
}
_GLUED = frozenset({"-p", "-a", "-u", "-w"})
"""Their value may be written without a space: `mysql -psecret`."""

_PEM = "-----BEGIN "
_USERINFO = re.compile(r"(?<=://)[^\s/\"'<>]*@")
_QUERY = re.compile(r"([?&][\w.\[\]%-]+=)[^\s&\"'<>#]*")
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{6,}+\.[\w-]++(?:\.[\w-]*+)?")
_KNOWN = re.compile(
    r"(?<![A-Za-z0-9_-])"
    r"(?:(?:sk|pk|rk|hf|gsk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|nvapi|whsec|dckr_pat|r8|"
    r"xox[abprs]|ya29|SG|pplx|lsv2)[-_.](?=[A-Za-z_-]*\d)[\w.-]{12,}|"
    r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}|AIza[\w-]{30,})"
)
_AWS_SECRET = re.compile(r"(?<![^\s=:\"'])[A-Za-z0-9+/]{40}(?![^\s\"',;&])")
_RUN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{20,}+")
_MAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)+")
_UNITS = frozenset(
    [
        "service",
        "socket",
        "timer",
        "slice",
        "scope",
        "target",
        "mount",
        "device",
        "path",
        "swap",
    ]
)
_NAME = re.compile(
    r"(?<![\w.-])(?:(?P<name>[\w.-]++)(?P<mid>\\?[\"']?[ \t]*+(?P<sep>[=:])[ \t]*+)"
    r"|(?P<flag>(?<![^\s\"'])--?[A-Za-z][\w-]*+)(?P<gap>[ \t]++)(?=[^\s-]))"
)
_VALUE = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"?|\\\"(?:[^\"\\]|\\[^\"])*+(?:\\\")?|'[^']*+'?|"
    r"(?:(?:bearer|basic|digest|token|apikey)[ \t]++)?+[^\s,;&\"'<>\])}]*+",
    re.IGNORECASE | re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"(?<![\w-])(requirepass|masterauth|primaryauth|auth-pass)([ \t]++)[^\s\"']++"
)
"""Settings of Redis that are written with a space, on command lines too."""
_TO_LINE_END = re.compile(r"[^\r\n\"']*+")
_PROGRAM_FLAG = re.compile(
    r"(?<![\w-])(?P<program>[a-z][\w-]*+)(?=[ \t])"  # the flags are looked for behind it
)
_SHORT_FLAG = re.compile(r"(?<!\S)(-[aupwbdU])([ \t]*+)(\"[^\"]*+\"?|'[^']*+'?|[^\s\"']++)")
_HINT = re.compile(
    "pass|pwd|pw|secret|token|key|cred|auth|cookie|session|sid|jwt|sig|otp|pin|bearer|"
    "prompt|content|messages|question|completion|input_text",
    re.IGNORECASE,
)
"""Cheap: a name without any of these needs no closer look."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT = re.compile(r"[._\-\s]+")
_KEY_SEPARATORS = re.compile(r"([:/|.#]+)")
_MASKED = re.compile(r"[0-9.,%]+[a-zA-Z]{0,2}")


def redact(text: str) -> str:
    """The text without its secrets; its shape, and what is no secret, stays."""
    if _PEM in text:
        text = _hide_pem(text)
    if "://" in text:
        text = _USERINFO.sub(f"{HIDDEN}@", text)
    if "=" in text:
        text = _QUERY.sub(rf"\1{HIDDEN}", text)
    if "eyJ" in text:
        text = _JWT.sub(HIDDEN, text)
    text = _hide_named(text)
    text = _DIRECTIVE.sub(rf"\1\2{HIDDEN}", text)
    text = _hide_program_flags(text)
    text = _KNOWN.sub(HIDDEN, text)
    text = _AWS_SECRET.sub(_if(_mixed), text)
    text = _RUN.sub(_if(_looks_random), text)
    if "@" in text:
        text = _MAIL.sub(_if(_is_mail), text)
    return text


def redact_argv(argv: Sequence[str]) -> list[str]:
    """A command's arguments without secrets; long ones are cut, more than 64 are dropped.

    Knows `--password=x`, `--token x`, `redis-cli -a x`, `mysql -px`, `curl -u a:b` and the like.
    """
    if not argv:
        return []
    flags = _FLAGS_BY_PROGRAM.get(_base(argv[0]), ())
    kept: list[str] = []
    hide_next = False
    for index, argument in enumerate(argv[:MAX_ARGUMENTS]):
        if hide_next and not argument.startswith("--"):
            kept.append(HIDDEN)
            hide_next = False
            continue
        hide_next = False
        if index and argument.startswith("-"):
            name, equals, _ = argument.partition("=")
            bare = name.lstrip("-")
            if is_secret_name(bare, with_equals=True) or bare.replace("-", "_") in _PROMPTS:
                kept.append(f"{name}={HIDDEN}" if equals else name)
                hide_next = not equals
                continue
            if argument in flags:
                kept.append(argument)
                hide_next = True
                continue
            if argument[:2] in flags and argument[:2] in _GLUED:
                kept.append(argument[:2] + HIDDEN)
                continue
        kept.append(_shorten(redact(argument[: 4 * MAX_ARGUMENT]), len(argument)))
    if len(argv) > MAX_ARGUMENTS:
        kept.append("…")
    return kept


@lru_cache(maxsize=4096)
def is_secret_name(name: str, *, with_equals: bool = True) -> bool:
    """Whether what this name holds is a secret: `DB_PASSWORD` is, `max_tokens` is not."""
    if len(name) > 256:
        name = name[:128] + name[-128:]
    words = [word.lower() for part in _SPLIT.split(name) for word in _CAMEL.split(part) if word]
    glued = "".join(words)
    if any(part in glued for part in _SECRET_PARTS):
        return True
    for word in words:
        if word in _SECRET_WORDS and (with_equals or word not in _ONLY_WITH_EQUALS):
            # `key` alone names too much (sort_key=…); it is a secret only where it stands alone.
            if word == "key" and len(words) > 1:
                continue
            return True
    return glued.endswith("token")


def _hide_named(text: str) -> str:
    parts: list[str] = []
    done = 0
    for found in _NAME.finditer(text):
        name = found["name"] or found["flag"]
        if found.start() < done or not _HINT.search(name):
            continue
        name = name.lstrip("-")
        equals = found["sep"] != ":"
        prompt = name.lower().replace("-", "_") in _PROMPTS
        plural = name.lower().endswith("tokens")
        if not (prompt or plural or is_secret_name(name, with_equals=equals)):
            continue
        if name.lower() in ("cookie", "set-cookie"):
            value = _TO_LINE_END.match(text, found.end())
        else:
            value = _VALUE.match(text, found.end())
        if value is None or not value[0] or value[0] == HIDDEN:
            continue
        if (prompt or plural) and _MASKED.fullmatch(value[0].strip("\\\"'")):
            continue
        if value[0].startswith(("//", "/")) and found["sep"] == ":":
            continue
        parts += [text[done : found.end()], _quoted_like(value[0])]
        done = value.end()
    if not parts:
        return text
    return "".join([*parts, text[done:]])


def _quoted_like(value: str) -> str:
    for quote in ('\\"', '"', "'"):
        if value.startswith(quote):
            return f"{quote}{HIDDEN}{quote}"
    return HIDDEN


def _hide_program_flags(text: str) -> str:
    """`redis-cli -a secret` inside a longer text, for example a cron line or `sh -c`."""
    if " -" not in text:
        return text
    parts: list[str] = []
    done = 0
    wanted: tuple[str, ...] = ()
    programs = ((found.start(), found["program"]) for found in _PROGRAM_FLAG.finditer(text))
    marks = sorted(
        [(at, _FLAGS_BY_PROGRAM[name]) for at, name in programs if name in _FLAGS_BY_PROGRAM]
    )
    if not marks:
        return text
    next_mark = 0
    for found in _SHORT_FLAG.finditer(text):
        while next_mark < len(marks) and marks[next_mark][0] < found.start():
            wanted = marks[next_mark][1]
            next_mark += 1
        if found[1] not in wanted or (not found[2] and found[1] not in _GLUED):
            continue
        parts += [text[done : found.start(3)], _quoted_like(found[3])]
        done = found.end()
    return "".join([*parts, text[done:]]) if parts else text


def _hide_pem(text: str) -> str:
    parts: list[str] = []
    at = 0
    while (begin := text.find(_PEM, at)) >= 0:
        end = text.find("-----END ", begin)
        close = text.find("-----", end + 9) if end >= 0 else -1
        parts += [text[at:begin], HIDDEN]
        if close < 0:
            return "".join(parts)
        at = close + 5
    return "".join([*parts, text[at:]])


def _if(judge: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    return lambda found: HIDDEN if judge(found[0]) else found[0]


def _mixed(run: str) -> bool:
    return (
        any(c.isupper() for c in run)
        and any(c.islower() for c in run)
        and any(c.isdigit() for c in run)
    )


def _looks_random(run: str) -> bool:
    """Letters of both cases and digits, changing often: a token, not CamelCase and not a hash.

    In random base-62 text about 0.62 of all neighbours differ in kind; in names it is below 0.4.
    """
    if not _mixed(run):
        return False
    kinds = [2 if c.isdigit() else int(c.isupper()) for c in run[:256]]
    changes = sum(1 for a, b in itertools.pairwise(kinds) if a != b)
    return changes >= 0.45 * len(kinds)


def _is_mail(text: str) -> bool:
    last = text.rsplit(".", 1)[-1]
    return last.isalpha() and last not in _UNITS


def redact_key(name: str) -> str:
    """A cache key's name with its structure: kinds and short numbers stay, identifiers are marks.

    `preview:8f14e45fceea167a:1080` becomes `preview:{a1b2c3}:1080`. The last part of a key with
    several parts stays only where it is a short number; else it is what the key was made for.
    """
    parts = _KEY_SEPARATORS.split(redact(name[:512]))
    words = parts[::2]
    last = len(words) - 1
    for index, word in enumerate(words):
        if not word or is_short_number(word) or word == HIDDEN:
            continue
        if is_identifier(word) or (index == last and index > 0):
            parts[2 * index] = f"{{{mark(word)}}}"
    return "".join(parts)


def _base(program: str) -> str:
    return program.rsplit("/", 1)[-1]


def _shorten(argument: str, whole: int) -> str:
    if whole <= MAX_ARGUMENT:
        return argument
    return f"{argument[:KEPT_OF_LONG]}… ({whole} characters)"
