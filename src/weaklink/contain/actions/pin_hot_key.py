"""Keeps one hot key from expiring while it is mended."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="pin-hot-key",
        title="keep a hot key from expiring",
        harm="nobody",
        harm_note="its value may be stale",
        what="keep the hot key from expiring, and let one request at a time rebuild it",
        preview=("{cli} PERSIST {key}",),
        undo=("{cli} EXPIRE {key} 60",),
        expires_after=3600.0,
        expect="the spikes at each expiry end",
        cannot=(
            "a key that is gone must be filled first, by one request; it will not be "
            "refreshed while pinned; single-flight in the application is the cure"
        ),
    )
)
