"""One file an action, found by walking: nothing here applies anything."""
