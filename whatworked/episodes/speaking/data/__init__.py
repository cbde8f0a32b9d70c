"""Prompts of note aids, one file a question, and how their region is marked."""
