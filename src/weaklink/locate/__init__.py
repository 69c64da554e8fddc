"""Chain discovery and walk; looks that judge one device or link, live, read or recorded."""
