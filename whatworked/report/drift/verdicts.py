"""What a page shows of a judgement."""

from __future__ import annotations

from whatworked.errors import InvalidOptionError
from whatworked.process.drift import Judgement
from whatworked.report.drift.graph import Verdicts


def verdicts_of(judgement: Judgement) -> Verdicts:
    """The times of a judgement, as a page shows them.

    Parameters
    ----------
    judgement : Judgement
        Of the episode that the page is about.

    Returns
    -------
    Verdicts

    Raises
    ------
    InvalidOptionError
        If some criterion has no answer: what nobody judged would be shown as not stated.
    """
    if judgement.score is None:
        raise InvalidOptionError(
            f"the judgement of {judgement.episode} is not finished; run the same command again when the judge can be "
            "reached"
        )
    return Verdicts(
        stated={statement.criterion: statement.stated_at for statement in judgement.statements},
        grounding={statement.criterion: statement.grounded_at for statement in judgement.statements},
        grounded=judgement.score.times,
    )
