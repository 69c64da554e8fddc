"""Finds what fills a file system, and what is deleted but still held open."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="free-space",
        title="make room on a full file system",
        harm="nobody",
        harm_note="these commands only look",
        what="make room on {mount}: move away what is largest and not the service's own",
        preview=(
            "du -xh --max-depth=2 {mount} | sort -h | tail -20",
            "lsof -nP +L1 {mount}",
        ),
        expect="writes succeed at once; a cache or database that refused writes may need to be "
        "told",
        cannot=(
            "a deleted file frees its space only when who holds it closes it: restart or truncate "
            "that one; never delete a database's files"
        ),
    )
)
