"""ContrAR: what follows from its printed tables."""

from __future__ import annotations

from pathlib import Path

from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.detection import RUNS, overall_pct
from benchmarks.published.tables import Detection, Distribution, contrar_detection, contrar_distribution
from benchmarks.verify.outcome import Check, Table, compared, impossible

PUBLISHED_VIDEOS = 312


def tables(folder: Path) -> list[Table]:
    """All checks of ContrAR.

    Raises:
        InputError: a table is missing or damaged.
    """
    distribution, rows = contrar_distribution(folder), contrar_detection(folder)
    return [
        _distribution(distribution),
        _overall(distribution, rows),
        _whole_videos(distribution, rows),
        _data(rows),
    ]


def _distribution(distribution: Distribution) -> Table:
    sums = sum(distribution.contradictory.values()), sum(distribution.coherent.values())
    checks = [
        compared(name, "total", str(printed), str(found), same=found == printed)
        for name, found, printed in zip(
            ("contradictory", "non-contradictory"), sums, distribution.totals, strict=True
        )
    ]
    checks.append(
        compared("all", "videos", str(PUBLISHED_VIDEOS), str(sum(sums)), same=sum(sums) == PUBLISHED_VIDEOS)
    )
    checks += [
        compared(
            name,
            "labels 1:1",
            str(count),
            str(distribution.coherent[name]),
            same=count == distribution.coherent[name],
        )
        for name, count in distribution.contradictory.items()
    ]
    return Table(
        "contrar_distribution", "totals from the applications; as many of either label", tuple(checks)
    )


def _overall(distribution: Distribution, rows: list[Detection]) -> Table:
    checks = []
    for row in rows:
        printed = row.overall_pct
        try:
            found = overall_pct(
                {name: one.value for name, one in row.accuracy_pct.items()}, distribution.videos
            )
        except UnusableData as error:
            checks.append(compared(row.name, "overall", printed.text, f"none: {error}", same=False))
            continue
        text = f"{found:.{printed.decimals}f}"
        checks.append(compared(row.name, "overall", printed.text, text, same=printed.covers(found)))
    return Table(
        "contrar_detection",
        "the overall column from the applications and their videos",
        tuple(checks),
    )


def _whole_videos(distribution: Distribution, rows: list[Detection]) -> Table:
    checks: list[Check] = []
    single = 0
    for row in rows:
        for name, printed in row.accuracy_pct.items():
            videos = distribution.videos[name]
            counts = printed.multiples(RUNS * videos)
            single += bool(printed.multiples(videos))
            text = f"{counts[0]} of {RUNS * videos}" if counts else f"no count of {RUNS * videos}"
            checks.append(compared(row.name, name, printed.text, text, same=bool(counts)))
    remark = (
        f"{single} of {len(checks)} are whole counts of a single run's videos too. Means of {RUNS} runs "
        "would be so about one time in three: these look like results of one run."
    )
    return Table(
        "contrar_detection: applications",
        f"a count of videos, added over {RUNS} runs, gives the accuracy",
        tuple(checks),
        remark,
    )


def _data(rows: list[Detection]) -> Table:
    reason = "needs the videos and the closed models, and for latency the authors' network"
    checks = tuple(impossible(row.name, "accuracy, latency", "the row", reason) for row in rows)
    return Table("contrar_detection: measurements", "answers of the models", checks)
