"""The relevance-averaged process with what other sources of the family teach, as an estimator."""

from __future__ import annotations

from dataclasses import dataclass, field

from whatworked.inference.estimator import INFLATION, RelevanceModel
from whatworked.inference.family import SHARE, family_for
from whatworked.inference.kernel import Prior
from whatworked.inference.mixture import fit_mixture
from whatworked.inference.sampler import Sampler
from whatworked.methods.observations import check_observations
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import BitArray, FloatArray, bits_of


@dataclass(frozen=True)
class ExperiencedRelevanceEstimator:
    """The relevance-averaged process with what other sources of the family teach.

    Without experience it is `RelevanceEstimator`, to the last bit. With it, a second set of kernels takes part, whose
    prior comes from the known surfaces (`whatworked.inference.family`), and the evidence of the measurements decides
    how much it says.

    Parameters
    ----------
    prior : Prior
        Prior over kernels, without experience.
    sampler : Sampler
        How many kernels the average takes in.
    inflation : float
        Factor on the half-width of intervals; predictions do not depend on it.
    share : float
        Prior probability, above 0 and below 1, that the surface is like the known ones.

    Examples
    --------
    >>> import numpy as np
    >>> from whatworked.surfaces import Experience, KnownSurface
    >>> known = KnownSurface("tides", ("A", "B"), np.array([0.1, 0.4, 0.2, 0.9]))
    >>> measured = np.array([[0, 0], [1, 1], [1, 0]], dtype=np.int8)
    >>> estimator = ExperiencedRelevanceEstimator()
    >>> asked, utilities = np.array([[0, 1]], dtype=np.int8), np.array([0.0, 0.8, 0.1])
    >>> alone = estimator.fit(measured, utilities).predict(asked)[0]
    >>> experienced = estimator.fit(measured, utilities, Experience(("A", "B"), [known])).predict(asked)[0]
    >>> bool(0.3 < experienced < alone)  # the known surface went up by 0.3 there
    True
    """

    prior: Prior = field(default_factory=Prior)
    sampler: Sampler = field(default_factory=Sampler)
    inflation: float = INFLATION
    share: float = SHARE

    def fit(self, masks: BitArray, utilities: FloatArray, experience: Experience | None = None) -> RelevanceModel:
        """Fit to the measured masks and what is known of other sources.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.
        experience : Experience, optional
            About the same d options; default: none.

        Returns
        -------
        RelevanceModel

        Raises
        ------
        InvalidMaskError
            If there is no mask, a row is not a mask, a mask appears twice, or the experience is of another number of
            options.
        InvalidSurfaceError
            If there is not one finite utility for each mask.
        """
        d, ranks, values = check_observations(masks, utilities)
        if len(ranks) < 2:
            return RelevanceModel(None, float(values[0]), self.inflation)
        family = family_for(experience, d, self.prior, self.sampler, self.share)
        mixture = fit_mixture(bits_of(ranks, d), values, self.prior, self.sampler, family)
        return RelevanceModel(mixture, float(values.mean()), self.inflation)
