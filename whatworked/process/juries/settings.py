"""How much of a run one question is shown: bounds that keep prompts from growing with what came before."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Bounds of what is shown.

    Attributes
    ----------
    window_steps, window_characters : int
        Most steps, and about how many characters, of a window of extraction. A text that is longer is cut in parts.
    context_steps, context_characters : int
        Steps before a window whose words are shown, and the most of each.
    ideas, launches : int
        Ideas and open launches of a pass that a window is told of, the latest ones.
    known : int
        Ideas that new ones are compared with.
    batch : int
        New ideas, or acts, in one question.
    results : int
        Results that a statement is held to, the latest before it.
    settled, settled_before : int
        Settled ideas that a new one is compared with; fewer than the second, and it is not asked.
    acts_after : int
        Acts after a contradiction that are looked at.
    words_after : int
        Texts of the agent after a result that are looked at.
    excerpt : int
        Characters on either side of a quote that are shown with it.
    part : int
        Characters of one part of a text that is shown whole.
    parts : int
        Parts in one question.
    report_parts : int
        Parts of each of the last texts of the agent that are shown as its report.
    task_characters : int
        Most characters of the task and of its rules.
    """

    window_steps: int = 5
    window_characters: int = 24_000
    context_steps: int = 3
    context_characters: int = 1_000
    ideas: int = 20
    launches: int = 12
    known: int = 20
    batch: int = 8
    results: int = 8
    settled: int = 12
    settled_before: int = 3
    acts_after: int = 6
    words_after: int = 4
    excerpt: int = 600
    part: int = 8_000
    parts: int = 3
    report_parts: int = 6
    task_characters: int = 6_000


SETTINGS = Settings()
"""Those of this version of the scorer."""
