"""Refuses inputs that are larger than the service can work on."""

from weaklink.contain.action import Action, action
from weaklink.contain.shell import RESTORE_ENTRY, SAVE_ENTRY

action(
    Action(
        id="cap-input-size",
        title="cap the size of inputs",
        harm="some-users",
        harm_note="refuses large inputs",
        what="refuse inputs over 10 MB on {route} in {entry_proxy}",
        needs=(
            "entry_file",
            "location",
        ),
        preview=(
            SAVE_ENTRY,
            "# in its location {location}: client_max_body_size 10m;",
            "{entry_reload}",
        ),
        undo=(
            RESTORE_ENTRY,
            "{entry_reload}",
        ),
        expires_after=86400.0,
        after=("limit-route",),
        expect="CPU a request falls as large inputs are refused",
        cannot=(
            "bytes are not work: a small file may hold a long video, so the service must check too"
        ),
    )
)
