"""What ``whatworked drift judge --labels`` prints: how far a judge agrees with labels that people gave."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from whatworked.cli.output import echo, print_table, print_text
from whatworked.wording import counted, first_few, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.process.drift import Agreement, Disagreement, Judgement, Label

    Labels = Mapping[tuple[str, str], Label]


def read_labels_of(path: Path, episodes: Collection[str]) -> Labels:
    """The labels of a file that are of some episodes; those of others are named.

    Before anything is sent, so that a wrong file costs nothing.
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process.drift import read_labels

    labels = read_labels(path)
    others = [episode for episode in dict.fromkeys(episode for episode, _ in labels) if episode not in episodes]
    kept = {key: label for key, label in labels.items() if key[0] in episodes}
    if not kept:
        raise InvalidOptionError(
            f"labels {path}: none is of the episodes that are judged ({first_few(sorted(episodes))}), but of "
            f"{first_few(others)}; an episode goes by the name of its folder"
        )
    if others:
        print_text(f"labels of episodes that are not judged here are not used: {first_few(others)}", errors=True)
    return kept


def print_agreement(judgements: Sequence[Judgement], labels: Labels, out: Path) -> None:
    """Print kappa with its interval, in all and for each criterion, and what the two read differently.

    The same is written to ``agreement.json`` in `out`.
    """
    from whatworked.process.drift import agreement, agreement_bytes, disagreements
    from whatworked.storage.files import write_atomic

    path = out / "agreement.json"
    write_atomic(path, agreement_bytes(judgements, labels))
    rows = [["agreement", "of", "pairs", "judge", "labels", "alike", "kappa", "95 % interval"]]
    for name, (stated, grounded) in agreement(judgements, labels).items():
        rows += [_row(name, "statement", stated), _row("", "grounding", grounded)]
    echo(f"\n{path}")
    print_table(rows, right=[2, 3, 4, 5, 6], keys=2)
    print_text(
        "judge and labels: how many each credits. Kappa is Cohen's; the interval resamples episodes. A dash: both give "
        "one and the same answer throughout, or there is one episode."
    )
    _print_disagreements(disagreements(judgements, labels))
    answered = {(j.episode, s.criterion) for j in judgements for s in j.statements if s.reply == "answer"}
    unanswered = sum(key not in answered for key in labels)
    if unanswered:
        print_text(f"left out: {counted(unanswered, 'label')} of a criterion without an answer of the judge")


def _print_disagreements(found: Sequence[Disagreement]) -> None:
    if not found:
        print_text("judge and labels read everything alike")
        return
    rows = [["episode", "criterion", "judge", "label"]]
    rows += [[pair.episode, pair.criterion, _said(pair.judged), _said(pair.labelled)] for pair in found]
    echo()
    print_table(rows, keys=2)


def _row(name: str, what: str, found: Agreement) -> list[str]:
    kappa = "-" if found.kappa is None else fixed(found.kappa, 2)
    numbers = [str(number) for number in (found.pairs, found.judged, found.labelled, found.same)]
    return [name, what, *numbers, kappa, interval_text(found.low, found.high, 2)]


def _said(label: Label) -> str:
    return "grounded" if label.grounded else "stated" if label.stated else "not stated"
