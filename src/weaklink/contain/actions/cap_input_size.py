"""Refuses inputs that are larger than the service can work on."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import RESTORE_PROXY, SAVE_PROXY

action(
    Action(
        id="cap-input-size",
        title="cap the size of inputs",
        harm="some-users",
        harm_note="refuses large inputs, with 413",
        what="refuse inputs over 10 MB on {route} in {proxy}",
        needs=(
            "proxy_file",
            "location",
        ),
        preview=(
            SAVE_PROXY,
            "# in its location {location}: client_max_body_size 10m;",
            "{reload}",
        ),
        undo=(
            RESTORE_PROXY,
            "{reload}",
        ),
        expires_after=86400.0,
        after=("limit-route",),
        expect="CPU a request falls as large inputs are refused",
        cannot=(
            "bytes are not work: a small file may hold a long video, so the service must check too"
        ),
    )
)
