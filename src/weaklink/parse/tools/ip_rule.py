"""`ip rule`: which table a packet is looked up in, by order."""

from __future__ import annotations

import re

from weaklink.model.fact_net import PolicyRule
from weaklink.model.take import Take
from weaklink.parse.text_tool import Passage, tool

MAX_ROWS = 5000
_RULE = re.compile(
    r"(\d{1,10}):\s{1,4}(?:(not) )?from (\S{1,64})(.{0,200}?) "
    r"(?:(?:lookup|table) (\S{1,32})|(unreachable|blackhole|prohibit|goto \d{1,10}))\s{0,4}"
    r"(?:suppress\w{1,20} \d{1,4}|proto \w{1,16}|\[\w{1,16}\]|\s){0,3}$"
)


@tool(
    "ip-rule",
    needles=(" lookup ", "from all"),
    starts=lambda line: _RULE.match(line.strip()[:400]) is not None,
    goes_on=lambda line: _RULE.match(line.strip()[:400]) is not None,
    ends_at_blank=True,
    commands=("ip",),
)
def ip_rule(passage: Passage) -> Take | None:
    """One PolicyRule a line, in the order in which the kernel asks them."""
    found = []
    for raw in passage.lines[:MAX_ROWS]:
        line = raw.strip()
        row = _RULE.match(line[:400])
        if row:
            priority, negated, source, rest, table, action = row.groups()
            selector = f"{'not ' if negated else ''}from {source}{rest}".strip()
            found.append(
                PolicyRule(
                    priority=int(priority),
                    selector=" ".join(selector.split()),
                    table=table or "",
                    action="lookup" if table else action,
                    line=line,
                )
            )
    return Take(hardware=list(found)) if found else None
