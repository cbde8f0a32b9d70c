"""Environments: what an episode is about, and by which rules it is played and scored."""
