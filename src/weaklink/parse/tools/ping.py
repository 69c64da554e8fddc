"""What ping said: Linux, BusyBox and Windows, English and Chinese, also when it could not send."""

from __future__ import annotations

import re

from weaklink.model.fact_net import Ping
from weaklink.model.take import Take
from weaklink.parse.figures import decimal
from weaklink.parse.text_tool import Passage, tool

MAX_LINES = 20_000
_HEAD = re.compile(r"PING (\S{1,128})|Pinging (\S{1,128})|正在 Ping (\S{1,128})")
_TOTAL = re.compile(
    r"(\d{1,9}) packets transmitted, (\d{1,9})(?: packets)? received"
    r"(?:, \+(\d{1,9}) duplicates)?(?:, \+\d{1,9} errors)?, (\d{1,3}(?:\.\d{1,6})?)% packet loss"
)
_WINDOWS = re.compile(
    r"(?:Sent|已发送) = (\d{1,9})[,，]\s{0,2}(?:Received|已接收) = (\d{1,9})[,，]\s{0,2}"
    r"(?:Lost|丢失) = \d{1,9} \((\d{1,3})%"
)
_RTT = re.compile(
    r"(?:rtt|round-trip) min/avg/max(?:/mdev|/stddev)? = ([\d.]{1,12})/([\d.]{1,12})/([\d.]{1,12})"
    r"(?:/([\d.]{1,12}))?"
)
_ERRORS: tuple[tuple[str, str], ...] = (
    ("Network is unreachable", "unreachable-net"),
    ("General failure", "general-failure"),
    ("一般故障", "general-failure"),
    ("常规故障", "general-failure"),
    ("Destination Host Unreachable", "unreachable-host"),
    ("Destination host unreachable", "unreachable-host"),
    ("无法访问目标主机", "unreachable-host"),
    ("Destination Net Unreachable", "unreachable-net"),
    ("Name or service not known", "unknown-name"),
    ("Temporary failure in name resolution", "unknown-name"),
    ("could not find host", "unknown-name"),
    ("Operation not permitted", "no-permission"),
    ("Message too long", "too-long"),
    ("message too long", "too-long"),
    ("Frag needed", "too-long"),
    ("Request timed out", "timed-out"),
    ("请求超时", "timed-out"),
)


def _error(line: str) -> str:
    return next((kind for text, kind in _ERRORS if text in line), "")


def _is_ping_error(line: str) -> bool:
    return bool(_error(line)) and ("ping" in line[:12].lower() or line.startswith("connect: "))


@tool(
    "ping",
    heads=(
        "PING ",
        "Pinging ",
        "正在 Ping ",
        "ping:",
        "connect: Network",
        "--- ",
        "General failure",
        "PING: transmit failed",
        "一般故障",
    ),
    needles=(" packets transmitted, ",),
    starts=lambda line: (
        _HEAD.match(line.strip()) is not None
        or _TOTAL.search(line) is not None
        or _is_ping_error(line.strip())
        or line.strip().startswith(("General failure", "PING: transmit failed", "一般故障"))
        or " ping statistics ---" in line
    ),
    goes_on=lambda line: (
        _TOTAL.search(line) is not None
        or _RTT.search(line) is not None
        or _WINDOWS.search(line) is not None
        or bool(_error(line))
        or re.match(
            r"\s{0,4}(?:\d{1,4} bytes from|\d{1,4} chars|From |Reply from|来自|--- |"
            r"Ping stat|\s{1,4}Packets:|"
            r"Approximate|\s{1,4}Minimum|\[\d{10}|no answer|数据包|.{0,6}Ping 统计|往返)",
            line,
        )
        is not None
    ),
    commands=("ping", "ping6"),
)
def ping(passage: Passage) -> Take | None:
    """One Ping for each address that was pinged in the text."""
    found: list[Ping] = []
    blocks: list[list[str]] = [[]]
    for line in passage.lines[:MAX_LINES]:
        if _HEAD.match(line.strip()) and blocks[-1]:
            blocks.append([])
        blocks[-1].append(line.strip())
    for block in blocks:
        one = _one(block, passage.command)
        if one is not None:
            found.append(one)
    return Take(hardware=list(found)) if found else None


def _one(lines: list[str], command: str) -> Ping | None:
    head = next((h for line in lines if (h := _HEAD.match(line))), None)
    target = next((group for group in head.groups() if group), "") if head else ""
    if not target:
        words = [word for word in command.split()[1:] if not word.startswith("-")]
        target = words[-1] if words else ""
    total = next((t for line in lines if (t := _TOTAL.search(line))), None)
    windows = next((w for line in lines if (w := _WINDOWS.search(line))), None)
    rtt = next((r for line in lines if (r := _RTT.search(line))), None)
    wrong = next((line for line in lines if _error(line)), "")
    if total is None and windows is None and not wrong:
        return None
    sent = received = None
    loss = None
    line = wrong
    if total:
        sent, received = int(total.group(1)), int(total.group(2))
        loss = (decimal(total.group(4)) or 0.0) / 100
        line = total.string
    elif windows:
        sent, received, loss = (
            int(windows.group(1)),
            int(windows.group(2)),
            int(windows.group(3)) / 100,
        )
        line = windows.string
    numbers = (
        [float(n) / 1000 if n and decimal(n) is not None else None for n in rtt.groups()]
        if rtt
        else [None] * 4
    )
    return Ping(
        target=target[:128],
        sent=sent,
        received=received,
        loss=loss,
        rtt_average=numbers[1],
        rtt_maximum=numbers[2],
        rtt_deviation=numbers[3],
        duplicates=int(total.group(3) or 0) if total else 0,
        error=_error(wrong),
        line=wrong or line,
        line2=line if wrong and line != wrong else rtt.string if rtt else "",
    )
