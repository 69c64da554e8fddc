"""Gives a cache room for what is still wanted."""

from weaklink.contain.action import Action, action

action(
    Action(
        id="raise-cache-memory",
        title="raise a cache's memory limit",
        harm="nobody",
        harm_note="takes free memory",
        what="raise the memory limit of {cache} from {cache_limit:bytes} to {cache_more:bytes}",
        needs=("cli",),
        preview=("{cli} CONFIG SET maxmemory {cache_more}",),
        undo=("{cli} CONFIG SET maxmemory {cache_limit}",),
        expires_after=86400.0,
        expect="evictions stop at once, hits come back as keys are stored again",
        cannot=(
            "the host must have the memory free, twice while a snapshot is written; lowering it "
            "again blocks the server while it evicts: in small steps"
        ),
    )
)
