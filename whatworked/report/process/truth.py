"""The page about truth beside process: stated effects against true ones, and process measures against knowledge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import Template

from whatworked import __version__
from whatworked.process.measures import AXES
from whatworked.process.truth import (
    EVIDENCE,
    SHOWN_AXES,
    Relation,
    StatedBelief,
    Tally,
    TruthGame,
    TruthGames,
    belief_row,
    game_row,
    limits_of,
    relation_sentence,
    relations,
    tallies,
)
from whatworked.report.parts import asset, plain_table, short
from whatworked.report.process.scatter import MOST_POINTS, Dot, Frame, scatter
from whatworked.report.shell import whole_page
from whatworked.report.svg import SERIES, element, marker, text_of
from whatworked.wording import counted, fixed, interval_text, printable

_SIZES = {"for-wide": 620.0, "for-narrow": 350.0}
_MOST_ROWS = 400
"""Stated effects that stand on the page; the command prints all of them as CSV."""
_VERDICTS = {"rises": "rise together", "falls": "one falls", "open": "open", "untold": "–"}


def render(found: TruthGames, *, confidence: float, resamples: int) -> str:
    """The page as text.

    Parameters
    ----------
    found : TruthGames
        Games with what was believed in them.
    confidence : float
        Nominal coverage of the intervals.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    str
    """
    games = found.games
    kinds = tallies(games, confidence=confidence, resamples=resamples)
    related = relations(games, confidence=confidence, resamples=resamples)
    said = [(game, belief) for game in games for belief in game.distinct]
    body = Template(asset("truth.html")).substitute(
        title=text_of(_title(games)),
        ran=text_of(_ran(found)),
        summary=_summary(games, said),
        key=_key(EVIDENCE),
        beliefs=_beliefs(said),
        without=_without_size(said),
        kinds=_kinds(kinds, confidence),
        sentences=_sentences(related),
        relations=_relations(related, confidence),
        plots=_plots(games, lambda game: game.recovery, "effect recovery"),
        errors=_plots(games, lambda game: game.closeness, "minus the mean error of effects"),
        games=_games(games),
        statements=_statements(said),
        limits="".join(element("li", text_of(line)) for line in limits_of(related)),
        version=text_of(__version__),
    )
    return whole_page(_title(games), asset("report.css") + asset("episode.css") + asset("truth.css"), body)


def _title(games: Sequence[TruthGame]) -> str:
    return f"Truth beside process: {counted(len(games), 'game')}"


def _ran(found: TruthGames) -> str:
    games = found.games
    judges = sorted({f"{game.scores.judge}, scorer {game.scores.scorer}" for game in games})
    players = sorted({game.player or "not stated" for game in games})
    budgets = sorted({game.purchases for game in games})
    parts = [
        f"Judge {'; '.join(judges)}.",
        f"Players: {', '.join(players[:12])}{', …' if len(players) > 12 else ''}.",
        f"Configurations bought: {budgets[0]} to {budgets[-1]}." if len(budgets) > 1 else f"Bought: {budgets[0]} each.",
    ]
    if found.unscored:
        parts.append(f"Left out, without a graph: {counted(len(found.unscored), 'episode')}.")
    if found.unplayed:
        parts.append(f"Left out, without an episode: {counted(len(found.unplayed), 'graph')}.")
    return printable(" ".join(parts))


def _summary(games: Sequence[TruthGame], said: Sequence[tuple[TruthGame, StatedBelief]]) -> str:
    held = [belief for game in games for belief in game.held]
    true = sum(belief.checked.true for belief in held)
    facts = [
        (str(len(games)), "games"),
        (str(len({game.source for game in games})), "sources"),
        (str(len(said)), "stated effects"),
        (str(len(held)), "of them as true"),
        ("–" if not held else f"{100 * true / len(held):.0f}%", "of these are true"),
        (str(sum(game.unread for game in games)), "beliefs without a readable effect"),
    ]
    return "".join(element("div", element("dt", name) + element("dd", value)) for value, name in facts)


def _key(names: Sequence[str]) -> str:
    return "".join(
        element(
            "span",
            element("svg", marker(0, 7, 7, name), viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")
            + text_of(name),
            class_=f"series s{place % SERIES}",
        )
        for place, name in enumerate(names)
    )


def _beliefs(said: Sequence[tuple[TruthGame, StatedBelief]]) -> str:
    dots = []
    for game, belief in said:
        row = belief_row(game, belief)
        size = 0.0 if belief.checked.stated.direction == 0 else belief.checked.stated.size
        if size is not None:
            tip = (
                f"{game.name}: {row['option']} at {row['background']}, stated {size:+.3f}, true "
                f"{belief.checked.effect:+.3f}, {belief.checked.evidence}: {short(belief.words, 90)}"
            )
            series = EVIDENCE.index(belief.checked.evidence)
            dots.append(Dot(belief.checked.effect, size, series, tip, hollow=not belief.checked.true))
    if not dots:
        return element("p", "No effect was stated with a size.", class_="note")
    extent = 1.05 * max(0.01, *(abs(value) for dot in dots for value in (dot.x, dot.y)))
    frame = Frame("true effect", "stated effect", (-extent, extent), (-extent, extent), diagonal=True)
    drawn = _drawn(dots, frame, "Stated effects against true ones")
    return element("figure", drawn, class_="large scatter") + _cut_note(len(dots))


def _drawn(dots: Sequence[Dot], frame: Frame, name: str) -> str:
    return "".join(element("div", scatter(dots, frame, name, size), class_=kind) for kind, size in _SIZES.items())


def _cut_note(number: int) -> str:
    if number <= MOST_POINTS:
        return ""
    return element("p", f"{MOST_POINTS:,} of {number:,} points are drawn, evenly chosen.", class_="note")


def _without_size(said: Sequence[tuple[TruthGame, StatedBelief]]) -> str:
    bare = [belief for _, belief in said if belief.checked.stated.size is None and belief.checked.stated.direction]
    if not bare:
        return ""
    right = sum(belief.checked.direction_holds for belief in bare)
    return element(
        "p", f"{counted(len(bare), 'effect')} more stated a direction without a size; it is right in {right} of them."
    )


def _kinds(kinds: Sequence[Tally], confidence: float) -> str:
    if not kinds:
        return element("p", "No effect was stated in words that can be read.", class_="note")
    rows = [
        (
            f"{tally.kind}s" if tally.group == "type" else f"{tally.group}: {tally.kind}",
            str(tally.stated),
            str(tally.true),
            str(tally.direction),
            fixed(tally.share.estimate, 3),
            "–" if tally.share.low is None else interval_text(tally.share.low, tally.share.high, 2),
            "–" if tally.size_error is None else fixed(tally.size_error, 3),
        )
        for tally in kinds
    ]
    head = ("kind", "stated", "true", "direction", "share", f"{100 * confidence:g}% interval", "size error")
    return plain_table(
        "Each effect once a game; share of true ones, mean error of size; from the second group on beliefs alone",
        head,
        rows,
    )


def _sentences(related: Sequence[Relation]) -> str:
    told = [entry for entry in related if entry.process in SHOWN_AXES and entry.told]
    if not told:
        return element("p", "No two such games differ in a competence and in what is known.", class_="note")
    return element("ul", "".join(element("li", text_of(relation_sentence(entry))) for entry in told))


def _relations(related: Sequence[Relation], confidence: float) -> str:
    rows = []
    for entry in (entry for entry in related if entry.told):
        equal, overall = entry.equal, entry.overall
        taus = ["–" if value is None else fixed(value, 2, signed=True) for value in (equal.tau, overall.tau)]
        interval = "–" if equal.low is None else interval_text(equal.low, equal.high, 2, signed=True)
        share = "–" if equal.concordant is None else fixed(equal.concordant, 2)
        rows.append(
            (
                entry.name,
                entry.knowledge.replace("_", " "),
                *(str(number) for number in (entry.games, equal.pairs, equal.clusters)),
                share,
                taus[0],
                interval,
                _VERDICTS[entry.verdict],
                taus[1],
            )
        )
    head = (
        "measure", "knowledge", "games", "pairs", "sources", "concordant", "tau", f"{100 * confidence:g}% interval",
        "verdict", "tau over all",
    )  # fmt: skip
    same = list(dict.fromkeys(entry.name for entry in related if not entry.told))
    note = f"The same in all such games, or in what is known: {', '.join(same)}."
    table = plain_table("At equal purchases; the last column compares all games", head, rows) if rows else ""
    return table + (element("p", text_of(note), class_="note") if same else "")


def _plots(games: Sequence[TruthGame], known: Callable[[TruthGame], float | None], label: str) -> str:
    """Each axis against a figure of knowledge."""
    bought = sorted({game.purchases for game in games})
    drawn, flat = [], []
    for place, axis in enumerate(AXES):
        dots = _axis_dots(games, place, bought, known)
        name = f"{axis.id} {axis.name}"
        if dots and len({dot.x for dot in dots}) == 1:
            flat.append(f"{name} ({dots[0].x:.2f})")
        elif dots:
            frame = Frame(name, label, (0.0, 1.0), _range([dot.y for dot in dots]), diagonal=False)
            drawn.append(element("figure", scatter(dots, frame, f"{name} against {label}", 300.0)))
    note = f"The same in every game that has it: {', '.join(flat)}." if flat else ""
    if not drawn:
        return element("p", text_of(note or "No axis of process has a score."), class_="note")
    key = element("p", "Bought: " + _key([str(number) for number in bought]), class_="key letters")
    return (
        key
        + element("div", "".join(drawn), class_="panels")
        + (element("p", text_of(note), class_="note") if note else "")
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """From or to 0, with a little room."""
    low, high = min(0.0, *values), max(0.0, *values)
    room = max(0.01, 0.05 * (high - low))
    return (low - room if low < 0 else 0.0), (high + room if high > 0 or low == 0 else 0.0)


def _axis_dots(
    games: Sequence[TruthGame], place: int, bought: Sequence[int], known: Callable[[TruthGame], float | None]
) -> list[Dot]:
    dots = []
    for game in games:
        x, y = game.scores.axes[place].score, known(game)
        if x is not None and y is not None:
            tip = f"{game.name}, {game.instance}, {game.player}: {x:.2f}, known {y:.3f}, bought {game.purchases}"
            dots.append(Dot(x, y, bought.index(game.purchases), tip))
    return dots


def _games(games: Sequence[TruthGame]) -> str:
    rows = []
    for game in games:
        row = game_row(game)
        axes = ["–" if row[name] is None else fixed(row[name], 2) for name in SHOWN_AXES]
        rows.append(
            (
                printable(game.name),
                printable(game.instance),
                printable(game.player),
                str(game.purchases),
                "–" if game.recovery is None else fixed(game.recovery, 3),
                *(str(row[name]) for name in ("stated", "true", "measured")),
                *axes,
            )
        )
    head = ("game", "instance", "player", "bought", "recovery", "stated", "true", "measured", *SHOWN_AXES)
    return plain_table("Games; stated are beliefs, each once; measured counts what could be derived, too", head, rows)


def _statements(said: Sequence[tuple[TruthGame, StatedBelief]]) -> str:
    rows = []
    for game, belief in said[:_MOST_ROWS]:
        row = belief_row(game, belief)
        rows.append(
            (
                printable(game.name),
                row["option"],
                row["background"],
                row["direction"] if row["size"] is None else f"{row['size']:+.3f}",
                f"{row['true_effect']:+.3f}",
                "true" if row["true"] else "false",
                row["evidence"],
                row["ground"] or "–",
                short(belief.words, 200),
            )
        )
    if not rows:
        return element("p", "No effect was stated in words that can be read.", class_="note")
    head = ("game", "option", "others", "stated", "true", "holds", "evidence", "ground", "words")
    table = plain_table("Stated effects; * is the option itself, - any setting", head, rows)
    more = len(said) - len(rows)
    note = f"{counted(more, 'stated effect')} more: whatworked process truth FOLDER --csv beliefs lists all."
    return table + (element("p", note, class_="note") if more else "")
