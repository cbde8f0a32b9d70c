"""Process scoring for Inspect Scout: records as its transcripts, its transcripts as records, and a scanner.

Scout's package is imported inside functions, and by `whatworked.process.scout.scanner` alone at its head.
"""

from __future__ import annotations

from pathlib import Path

from whatworked.process.scout.results import results_of
from whatworked.process.scout.transcripts import record_of, transcript_of

__all__ = ["SCANNER", "record_of", "results_of", "transcript_of"]

SCANNER = Path(__file__).with_name("scanner.py")
"""The file that ``scout scan`` takes."""
