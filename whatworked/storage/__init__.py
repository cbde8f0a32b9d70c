"""Canonical JSON, files that are never seen half written, journals that survive a crash, locks."""
