"""Six switches of a text classifier, twelve runs: what does each switch do, and how sure is that?

The reviews are made up: words that praise or blame, now and then behind a "not", and words that say nothing.
"""

import itertools
import random

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline

import whatworked

PRAISE = ["good", "great", "lovely", "bright", "warm", "clever", "honest", "fresh", "quick", "kind"]
BLAME = ["bad", "poor", "dull", "cold", "slow", "false", "stale", "rude", "late", "weak"]
FILLER = ["the", "a", "this", "film", "book", "place", "meal", "it", "was", "is", "and", "very", "we", "had", "with"]
OPTIONS = ["bigrams", "stop_words", "sublinear", "idf", "balanced", "strong_penalty"]


def reviews(count, seed):
    """Texts and labels; one in four is a complaint."""
    chance = random.Random(seed)
    texts, labels = [], []
    for _ in range(count):
        complaint = chance.random() < 0.25
        words = chance.choices(FILLER, k=chance.randint(8, 30))
        for _ in range(chance.randint(1, 3)):
            negated = chance.random() < 0.4
            # "not good" blames, "not bad" praises: a single word does not tell.
            word = chance.choice(BLAME if complaint != negated else PRAISE)
            place = chance.randrange(len(words) + 1)
            words[place:place] = ["not", word] if negated else [word]
        texts.append(" ".join(words))
        labels.append(complaint)
    return texts, labels


TRAIN, TEST = reviews(600, seed=1), reviews(600, seed=2)


def accuracy(setting):
    """Balanced accuracy on the test reviews, in per cent."""
    model = make_pipeline(
        TfidfVectorizer(
            ngram_range=(1, 2) if setting["bigrams"] else (1, 1),
            stop_words=FILLER if setting["stop_words"] else None,
            sublinear_tf=setting["sublinear"],
            use_idf=setting["idf"],
        ),
        LogisticRegression(
            C=1.0 if setting["strong_penalty"] else 10.0,
            class_weight="balanced" if setting["balanced"] else None,
            max_iter=1000,
        ),
    )
    return 100 * balanced_accuracy_score(TEST[1], model.fit(*TRAIN).predict(TEST[0]))


def whole_table():
    """The response surface of all 64 settings, in utilities from 0 to 1: what twelve runs are to tell about."""
    settings = [
        dict(zip(OPTIONS, map(bool, bits), strict=True)) for bits in itertools.product((0, 1), repeat=len(OPTIONS))
    ]
    return whatworked.ResponseSurface(OPTIONS, [accuracy(setting) / 100 for setting in settings])


if __name__ == "__main__":
    found = whatworked.measure(accuracy, OPTIONS, budget=12, range=(0, 100))
    print(found)
    truth = dict(zip(OPTIONS, 100 * whole_table().mean_effects(), strict=True))
    for effect in found.effects:
        held = "holds" if 100 * effect.low <= truth[effect.option] <= 100 * effect.high else "does not hold"
        print(f"{effect.option}: {truth[effect.option]:+.2f} over all 64 settings, the interval {held}")
