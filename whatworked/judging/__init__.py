"""Asking a model closed questions: rendered, redacted, voted on, kept in a journal, and held to quotes of a record."""

from __future__ import annotations

from whatworked.judging.asking import Patience
from whatworked.judging.calls import Call
from whatworked.judging.cases import Case, Verdict, Vote
from whatworked.judging.cost import Caps, Estimate, Interval, Price, Prices, Spent, load_prices, tokens_of, total
from whatworked.judging.estimates import estimate, estimate_prompt
from whatworked.judging.inspect_judge import InspectJudge
from whatworked.judging.judges import Judge, ReplayJudge, Request, RuleJudge
from whatworked.judging.models import named_judge, same_model_warning
from whatworked.judging.panel import Panel, open_panel
from whatworked.judging.questions import Counting, Floor, Question, load_question, load_questions
from whatworked.judging.quotes import Span, find_quote, normal_text
from whatworked.judging.replies import Reply, read_answer
from whatworked.judging.schema import Schema
from whatworked.judging.secrets import Secret, redact
from whatworked.judging.votes import Ballot, Choice, Rule, Tally, settled, tally

__all__ = [
    "Ballot",
    "Call",
    "Caps",
    "Case",
    "Choice",
    "Counting",
    "Estimate",
    "Floor",
    "InspectJudge",
    "Interval",
    "Judge",
    "Panel",
    "Patience",
    "Price",
    "Prices",
    "Question",
    "ReplayJudge",
    "Reply",
    "Request",
    "Rule",
    "RuleJudge",
    "Schema",
    "Secret",
    "Span",
    "Spent",
    "Tally",
    "Verdict",
    "Vote",
    "estimate",
    "estimate_prompt",
    "find_quote",
    "load_prices",
    "load_question",
    "load_questions",
    "named_judge",
    "normal_text",
    "open_panel",
    "read_answer",
    "redact",
    "same_model_warning",
    "settled",
    "tally",
    "tokens_of",
    "total",
]
