"""One file a tool: how its printed output is recognised and read."""
