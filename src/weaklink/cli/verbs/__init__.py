"""One file a verb: `HELP` (one line), `arguments(parser)` and `run(args) -> exit code`."""
