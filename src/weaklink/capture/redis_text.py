"""A reply of a cache as `redis-cli` prints it, which is what `weaklink read` knows."""

from __future__ import annotations

from weaklink.parse.resp import Reply


def redis_text(reply: Reply) -> str:
    """Bulk text as it is, lists numbered and nested."""
    if isinstance(reply, str):
        return reply.replace("\r\n", "\n")
    return "\n".join(_lines(reply))


def _lines(reply: Reply) -> list[str]:
    if isinstance(reply, list):
        if not reply:
            return ["(empty array)"]
        width = len(str(len(reply)))
        lines: list[str] = []
        for number, item in enumerate(reply, 1):
            head = f"{number:>{width}}) "
            first, *rest = _lines(item)
            lines.append(head + first)
            lines += [" " * len(head) + line for line in rest]
        return lines
    if reply is None:
        return ["(nil)"]
    if isinstance(reply, int):
        return [f"(integer) {reply}"]
    text = str(reply).replace("\\", "\\\\").replace('"', '\\"')
    return ['"' + text.replace("\n", "\\n").replace("\r", "\\r") + '"']
