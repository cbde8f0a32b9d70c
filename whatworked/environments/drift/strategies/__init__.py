"""Scripted strategies over the tools: what can be had without understanding, and controls that the rules must pass."""
