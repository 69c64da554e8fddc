"""What to do now, as data: each action with its commands, its undo and what it cannot do."""
