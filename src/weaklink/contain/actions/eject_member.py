"""Takes a sick member out of the proxy, where its peers can carry the load."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import RESTORE_PROXY, SAVE_PROXY

action(
    Action(
        id="eject-member",
        title="take a sick member out",
        harm="some-users",
        harm_note="its peers carry its load",
        what="take {ejectable} out of {upstream} in {proxy}; {survivors} left",
        needs=(
            "ejectable_pattern",
            "proxy_file",
        ),
        preview=(
            SAVE_PROXY,
            (
                "sed -i --follow-symlinks "
                "'s|\\(server[[:space:]][[:space:]]*{ejectable_pattern}\\)\\([[:space:];]\\)|\\1 "
                "down\\2|' {proxy_file}"
            ),
            "{reload}",
        ),
        undo=(
            RESTORE_PROXY,
            "{reload}",
        ),
        expires_after=3600.0,
        after=("resume-process",),
        expect="errors and waits of that member end at once; watch that the others' P99 holds",
        cannot=(
            "open-source nginx has no active health check, so nobody lets it back in but "
            "you; a reload of nginx forgets passive ejections of other members and drops "
            "idle upstream connections"
        ),
    )
)
