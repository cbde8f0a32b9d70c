"""Agents' logs as records of one form: typed steps with what was left out counted, and a manifest of the task."""

from __future__ import annotations

from whatworked.process.records.convert import Conversion, convert, write_conversions
from whatworked.process.records.draft import Draft, Speaker, ToolUse
from whatworked.process.records.files import read_record, record_bytes, write_record
from whatworked.process.records.record import Counts, Header, Patch, Record, SourceFile, Step, Tokens, unjudgeable
from whatworked.process.records.registry import LogReader, Reader, reader, reader_names, recognise
from whatworked.process.records.runs import Run, find_runs, is_record, world_beside
from whatworked.process.records.source import Source
from whatworked.process.records.world import Contract, World, read_world, unknown_world, write_world

__all__ = [
    "Contract", "Conversion", "Counts", "Draft", "Header", "LogReader", "Patch", "Reader", "Record", "Run", "Source",
    "SourceFile", "Speaker", "Step", "Tokens", "ToolUse", "World", "convert", "find_runs", "is_record", "read_record",
    "read_world", "reader", "reader_names", "recognise", "record_bytes", "unjudgeable", "unknown_world", "world_beside",
    "write_conversions", "write_record", "write_world",
]  # fmt: skip
