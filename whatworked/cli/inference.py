"""``whatworked inference``: choose, confirm and calibrate the relevance-averaged processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import echo
from whatworked.cli.rows import format_option, print_rows
from whatworked.errors import StorageError, unknown_name

if TYPE_CHECKING:
    from whatworked.environments.effects import Task
    from whatworked.inference.study.loo import GameRow
    from whatworked.protocols import Estimator, Policy

    Build = Callable[[bool], tuple[Estimator, Policy]]

_GROUPS = ("development", "fresh", "synthetic")
_BASELINE = "gp-effect"


@click.group(cls=Group)
def inference() -> None:
    """Choose, confirm and calibrate our own inference: relevance-averaged Gaussian processes."""


def _out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--out", type=click.Path(path_type=Path, dir_okay=False), help="Also write every single result as JSON."
    )(command)


def _relabel_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--relabel",
        type=click.IntRange(1, 1000),
        default=1,
        show_default=True,
        help="Average over this many orders of the options.",
    )(command)


@inference.command()
@click.option("--variant", "names", multiple=True, metavar="NAME", help="Only these variants. Default: all.")
@click.option(
    "--experience",
    is_flag=True,
    help="RGP and ERGP instead, with the surfaces of other sources as experience.",
)
@_relabel_option
@_out_option
@format_option
def loo(names: tuple[str, ...], experience: bool, relabel: int, out: Path | None, output: str) -> None:
    """Run all variants on the catalog; choose one for each family with that family left out.

    Prints the recovery (family-macro) and the strict count of each track and budget: of every variant, and of the
    choice that never looked at the family it is scored on. About 20 seconds for each variant and order. With
    --experience nothing is chosen: the source is left out of what ERGP reads.
    """
    if experience:
        _experienced_games(names, relabel, out, output)
        return
    from whatworked.inference.study.games import SECTIONS, catalog_games
    from whatworked.inference.study.loo import VARIANTS, leave_one_family_out

    for name in names:
        if name not in VARIANTS:
            raise unknown_name("variant", name, VARIANTS)
    chosen = {name: VARIANTS[name].build for name in VARIANTS if not names or name in names}
    rows = _run(chosen, catalog_games(), relabel)
    kept, choices = leave_one_family_out(rows)
    _write(out, {"rows": rows, "choices": choices})
    parts = {name: [row for row in rows if row.variant == name] for name in chosen}
    print_rows([_line(name, part, SECTIONS) for name, part in {**parts, "left out": kept}.items()], output)
    if output == "table":
        echo("\nchosen without the family: " + ", ".join(f"{f} {name}" for f, name in choices.items()))


def _experienced_games(names: Sequence[str], relabel: int, out: Path | None, output: str) -> None:
    from whatworked.inference.study import experience
    from whatworked.inference.study.games import catalog_games
    from whatworked.inference.study.loo import WITH_EXPERIENCE

    for name in names:
        if name not in WITH_EXPERIENCE:
            raise unknown_name("variant", name, WITH_EXPERIENCE)
    chosen = {name: variant.build for name, variant in WITH_EXPERIENCE.items() if not names or name in names}
    tasks = experience.with_experience(catalog_games(), experience.measured_elsewhere())
    rows = _run(chosen, tasks, relabel, experience.BUDGETS)
    sections = [(track, budget) for track, budgets in experience.BUDGETS.items() for budget in budgets]
    played = [place for place in sections if place[0] in {row.track for row in rows}]
    _write(out, {"rows": rows})
    print_rows([_line(name, [row for row in rows if row.variant == name], played) for name in chosen], output)


@inference.command()
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(("same", "shuffled", "other")),
    help="Experience of this kind only: the family's, the same with option names dealt anew, another family's.",
)
@click.option("--draws", type=click.IntRange(1, 1000), default=1, show_default=True, help="Sets of masks by size.")
@click.option("--every", type=click.IntRange(1, 50), default=1, show_default=True, help="Only every so many surfaces.")
@_out_option
@format_option
def experience(kinds: tuple[Any, ...], draws: int, every: int, out: Path | None, output: str) -> None:
    """Fit RGP and ERGP to the same drawn masks of every surface there is, and average the differences.

    The surfaces of the catalog and those outside it, with six options and with the first four; the experience of each
    is what other sources show. Standard errors are over sources. The last line of each kind pools all sizes. About
    three minutes.
    """
    from whatworked.inference.study import experience as study
    from whatworked.progress import progress

    pool = study.measured_elsewhere()
    tasks = pool[::every]
    fits: list[study.FixedFit] = []
    with progress(len(tasks), "surface") as bar:
        for task in tasks:
            bar.set_postfix_str(task.condition)
            fits += study.fits_of(task, pool, kinds or study.KINDS, draws)
            bar.update()
    _write(out, {"fits": fits})
    print_rows([_fixed_line(line) for line in study.summarise(fits)], output)


def _fixed_line(line: Any) -> dict[str, Any]:
    return {
        "experience": line.kind,
        "options": line.d or "all",
        "measured": line.n or "all",
        "sources": line.sources,
        "RGP": line.without,
        "ERGP": line.experienced,
        "difference": line.difference,
        "error": line.error,
    }


@inference.command()
@click.option("--group", "groups", multiple=True, type=click.Choice(_GROUPS), help="Only these. Default: all.")
@click.option(
    "--experience", is_flag=True, help="RGP and ERGP instead, with the surfaces of other sources as experience."
)
@_relabel_option
@_out_option
@format_option
def surfaces(groups: tuple[str, ...], experience: bool, relabel: int, out: Path | None, output: str) -> None:
    """Score the shipped method on surfaces outside the catalog, beside its plainest variant and the published GP-E.

    development: looked at while the method was designed. fresh: made afterwards. synthetic: structure known; no
    experience has anything like it.
    """
    from whatworked.controls import KrigingEstimator, KrigingPolicy
    from whatworked.inference.study.experience import BUDGETS, measured_elsewhere, with_experience
    from whatworked.inference.study.games import OUTSIDE_SECTIONS, outside_games
    from whatworked.inference.study.loo import VARIANTS, WITH_EXPERIENCE
    from whatworked.inference.study.surfaces import load_outside
    from whatworked.inference.study.surfaces.synthetic import synthetic_surfaces

    methods: dict[str, Build] = {name: VARIANTS[name].build for name in ("default", "relevances")}
    methods[_BASELINE] = lambda aware: (KrigingEstimator(), KrigingPolicy("effect", aware))
    sections, budgets = OUTSIDE_SECTIONS, None
    if experience:
        methods, budgets = {name: variant.build for name, variant in WITH_EXPERIENCE.items()}, BUDGETS
        sections = tuple((track, budget) for track in dict(OUTSIDE_SECTIONS) for budget in BUDGETS[track])
    everything = (*load_outside(), *synthetic_surfaces())
    lines, every_row = [], []
    for group in groups or _GROUPS:
        tasks = outside_games([made for made in everything if made.group == group])
        if experience:
            tasks = with_experience(tasks, measured_elsewhere())
        for name, build in methods.items():
            rows = _run({name: build}, tasks, relabel, budgets)
            every_row += [(group, row) for row in rows]
            line = _line(name, rows, sections)
            lines.append({"group": group, "surfaces": len({row.name for row in rows}), **line})
    _write(out, {"rows": every_row})
    print_rows(lines, output)


@inference.command()
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also draw the coverage into this .svg or .png file.",
)
@click.option("--experience", is_flag=True, help="Of ERGP, with the surfaces of other sources as experience.")
@_out_option
@format_option
def calibrate(plot: Path | None, experience: bool, out: Path | None, output: str) -> None:
    """How often intervals of effects hold the truth, by family, with the width factor fitted to all other families.

    Two lines pool families: "left out" averages the lines above it; "fresh" are surfaces outside the catalog, with the
    factor fitted to the catalog. Takes a few minutes.
    """
    from whatworked.inference.study import calibration
    from whatworked.inference.study.experience import measured_elsewhere, with_experience
    from whatworked.inference.study.games import catalog_games, outside_games
    from whatworked.inference.study.surfaces import load_outside

    def games(tasks: Sequence[Task]) -> Sequence[Task]:
        return with_experience(tasks, measured_elsewhere()) if experience else tasks

    parts = calibration.measure(games(catalog_games()))
    families = calibration.leave_one_family_out(parts)
    factor = calibration.fit_factor(parts)
    fresh = calibration.measure(games(outside_games([made for made in load_outside() if made.group == "fresh"])))
    lines = [*families, calibration.averaged("left out", families, factor), calibration.pooled("fresh", fresh, factor)]
    _write(out, {"levels": calibration.LEVELS, "lines": lines})
    if plot is not None:
        _plot(plot, calibration.LEVELS, lines[-2:])
    print_rows([_coverage_line(line, calibration.LEVELS) for line in lines], output)


@inference.command()
@click.option("--seeds", type=click.IntRange(1, 100), default=2, show_default=True, help="Noisy runs of each cube.")
@click.option("--stated-noise", is_flag=True, help="State the noise instead of having it estimated.")
@_out_option
@format_option
def coverage(seeds: int, stated_noise: bool, out: Path | None, output: str) -> None:
    """Whether what `measure` states holds: stated 0.5, 0.8 and 0.9 against the share that held, with standard errors.

    Measures the catalog, and synthetic cubes, live: exactly, and with noise of 5, 10 and 20 % of a cube's range; 10
    runs with four options, 22 with six. "single" are effects at one setting of the others, "average" those of the
    report, "best" the probability that no setting is better than the one put forward. Takes a few minutes.
    """
    from whatworked.inference.study import live
    from whatworked.inference.study.games import catalog_games, outside_games
    from whatworked.inference.study.surfaces.synthetic import synthetic_surfaces
    from whatworked.progress import progress

    groups = {"catalog": catalog_games(), "synthetic": outside_games(synthetic_surfaces())}
    cubes = {name: live.four_and_six(tasks) for name, tasks in groups.items()}
    total = sum(len(tasks) for tasks in cubes.values()) * (1 + seeds * len(live.NOISES))
    lines, parts = [], []
    with progress(total, "cube") as bar:
        for group, tasks in cubes.items():
            for noise in (0.0, *live.NOISES):
                held = []
                for part in live.check_all(tasks, noise, seeds, stated_noise):
                    held.append(part)
                    bar.update()
                parts += [(group, noise, part) for part in held]
                lines.append(_live_line(group, noise, live.summarise(held)))
    _write(out, {"levels": live.LEVELS, "cubes": parts})
    print_rows(lines, output)


def _live_line(group: str, noise: float, line: Any) -> dict[str, Any]:
    from whatworked.inference.study.live import LEVELS

    found: dict[str, Any] = {"cubes of": group, "noise": noise, "cubes": line.cubes}
    for what in ("single", "average"):
        for level, (share, error) in zip(LEVELS, getattr(line, what), strict=True):
            found[f"{what}_{level:g}"] = f"{share:.3f}±{error:.3f}"
    stated, held, error = line.best
    found["best_stated"], found["best_held"] = round(stated, 3), f"{held:.3f}±{error:.3f}"
    found["repeats"] = round(line.repeats, 3)
    return found


@inference.command("rebuild-outside")
def rebuild_outside() -> None:
    """Run all configurations of the surfaces outside the catalog again and write their table (about a minute)."""
    from whatworked.inference.study.surfaces.recorded import rebuild_outside, recorded_path
    from whatworked.inference.study.surfaces.sources import DEVELOPMENT, FRESH
    from whatworked.progress import progress

    path = recorded_path()
    with progress(len(DEVELOPMENT) + len(FRESH), "surface") as bar:
        count = rebuild_outside(path, bar)
    echo(f"{count} surfaces written to {path}")


def _run(
    methods: Mapping[str, Build],
    tasks: Sequence[Task],
    relabellings: int,
    budgets: Mapping[str, Sequence[int]] | None = None,
) -> list[GameRow]:
    from whatworked.inference.study.games import BUDGETS, relabelled
    from whatworked.inference.study.loo import run
    from whatworked.progress import progress

    games = [(relabelled(task, number), number) for number in range(relabellings) for task in tasks]
    rows = []
    with progress(len(methods) * len(games), "surface") as bar:
        for name, build in methods.items():
            for task, number in games:
                bar.set_postfix_str(f"{name} {task.condition}")
                rows += run(name, build, [task], number, budgets or BUDGETS)
                bar.update()
    return rows


def _line(name: str, rows: Sequence[GameRow], sections: Sequence[tuple[str, int]]) -> dict[str, Any]:
    from whatworked.inference.study.loo import macro, section, strict_count

    line: dict[str, Any] = {"method": name}
    for track, budget in sections:
        part = section(rows, track, budget)
        line[f"{track}_{budget}"] = macro(part) if part else None
        line[f"strict_{track}_{budget}"] = (
            f"{strict_count(part):.3g}/{len({row.name for row in part})}" if part else None
        )
    return line


def _coverage_line(line: Any, levels: Sequence[float]) -> dict[str, Any]:
    plain = {f"plain_{level:g}": share for level, share in zip(levels, line.plain, strict=True)}
    widened = {f"widened_{level:g}": share for level, share in zip(levels, line.widened, strict=True)}
    return {"family": line.family, "factor": line.factor, **plain, **widened}


def _plot(path: Path, levels: Sequence[float], lines: Sequence[Any]) -> None:
    from whatworked.plots import render
    from whatworked.plots.calibration import draw_calibration
    from whatworked.storage.files import write_atomic

    left_out, fresh = lines
    curves = {
        "catalog, no factor": left_out.plain,
        "catalog, factor of the other families": left_out.widened,
        "fresh surfaces, factor of the catalog": fresh.widened,
    }
    write_atomic(path, render(draw_calibration(levels, curves), path.suffix.removeprefix(".").lower()))


def _write(path: Path | None, content: Any) -> None:
    if path is None:
        return
    import msgspec

    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}; choose another file with --out") from error
