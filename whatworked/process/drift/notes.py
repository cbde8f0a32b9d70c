"""Notes as a judge is shown them: numbered revisions, each with what it added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from whatworked.environments.drift.scoring import Revision
from whatworked.judging import find_quote
from whatworked.process.drift.blinding import Blinding


class ShownRevision(NamedTuple):
    """A revision without words of its condition.

    Attributes
    ----------
    number : int
        From 1; those that were turned away count.
    paid : int
        Actions paid for when it was written.
    label : str
        What the judge knows it by.
    added : str
        What the judge is shown of it.
    texts : tuple of str
        Where a quote of this revision may stand: what was written, and all notes as they stood then.
    """

    number: int
    paid: int
    label: str
    added: str
    texts: tuple[str, ...]


class ShownNotes(NamedTuple):
    """All notes of an episode.

    Attributes
    ----------
    revisions : tuple of ShownRevision
        In order.
    final : str
        The last state where it is not the sum of the revisions, else nothing.
    """

    revisions: tuple[ShownRevision, ...]
    final: str

    def first_with(self, quote: str) -> ShownRevision | None:
        """The first revision that holds a quote, by the one rule for quotes; None if none does.

        Parameters
        ----------
        quote : str
            What is said to stand in the notes.

        Returns
        -------
        ShownRevision or None
        """
        for revision in self.revisions:
            if any(find_quote(quote, text) is not None for text in revision.texts):
                return revision
        return None


def shown_notes(revisions: Iterable[Revision], blinding: Blinding) -> ShownNotes:
    """Notes as the judge sees them.

    Parameters
    ----------
    revisions : iterable of Revision
        As they were written.
    blinding : Blinding
        What is hidden.

    Returns
    -------
    ShownNotes
        Of a revision that replaced all, `added` has the lines that did not stand there before.
    """
    workspace = ""
    plain = True
    found = []
    for revision in revisions:
        text = blinding.hide(revision.text)
        added = _new_lines(text, workspace) if revision.replaces else text
        label = f"revision-{revision.number}" + ".replaces" * revision.replaces + ".not-kept" * (not revision.kept)
        after = text if revision.replaces or not workspace else f"{workspace}\n{text}"
        texts = (text,) if not revision.kept else (text, after)
        workspace = after if revision.kept else workspace
        plain = plain and revision.kept and not revision.replaces
        found.append(ShownRevision(revision.number, revision.paid, label, added, texts))
    return ShownNotes(tuple(found), "" if plain else workspace)


def _new_lines(text: str, before: str) -> str:
    known: Sequence[str] = [line.strip() for line in before.splitlines()]
    return "\n".join(line for line in text.splitlines() if line.strip() not in known)
