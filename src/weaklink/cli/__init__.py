"""The command: one file a verb in `verbs/`, imported only when it is asked for."""
