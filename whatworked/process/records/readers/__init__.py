"""Readers of logs, one format a module."""
