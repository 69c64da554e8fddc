"""Holds one route to as many requests at a time as the origin can carry."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import RESTORE_ENTRY, SAVE_ENTRY

action(
    Action(
        id="limit-route",
        title="hold a route to so many requests at a time",
        harm="some-users",
        harm_note="sheds the rest",
        what="hold {route} to {dose} at a time in {entry_proxy}",
        needs=(
            "entry_file",
            "location",
        ),
        preview=(
            SAVE_ENTRY,
            "# in http: limit_conn_zone $server_name zone=weaklink_hold:1m;",
            (
                "# in its location {location}: limit_conn weaklink_hold {dose}; "
                "limit_conn_status 429;"
            ),
            "#   add_header Retry-After 5 always;",
            "{entry_reload}",
        ),
        undo=(
            RESTORE_ENTRY,
            "{entry_reload}",
        ),
        expires_after=1800.0,
        after=(
            "stop-next-run",
            "resume-process",
        ),
        expect=(
            "requests that start after it answer in time or get 429 at once; the backlog "
            "ends late, so judge by requests that started after the step"
        ),
        cannot=(
            "a reload of nginx forgets passive ejections, drops its idle upstream "
            "connections, and leaves old workers alive with long streams; lift the limit in"
            " steps, not at once"
        ),
    )
)
