"""Asking a model closed questions: what it may quote, and how a quote is found in a record."""

from __future__ import annotations

from whatworked.judging.quotes import Span, find_quote, normal_text

__all__ = ["Span", "find_quote", "normal_text"]
