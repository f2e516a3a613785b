"""ContrAR: videos by application and label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from arwarden.core.errors import InputError
from arwarden.headset.pictures import IMAGE_SUFFIXES
from arwarden.offline import VIDEO_SUFFIXES
from benchmarks.datasets.checks import Checked, Problem, doubled, error, note, spelled, table, unreadable
from benchmarks.published.tables import APPLICATIONS, Distribution

TABLE = "labels.csv"
COLUMNS = ("id", "file", "application", "label")
LABELS = {"contradictory": True, "non_contradictory": False}
_SPELLINGS = {**LABELS, "noncontradictory": False, "consistent": False}


@dataclass(frozen=True, slots=True)
class Video:
    """One scene. ``file`` may also be a picture, which every protocol then shows."""

    id: str
    file: Path
    application: str
    contradictory: bool
    raw: Path | None = None
    """The same without virtual content, in sets of pairs."""


def load(folder: Path, published: Distribution | None = None, *, thoroughly: bool = False) -> Checked[Video]:
    """A set, from ``labels.csv`` or, without it, from folders or file names that say application and label.

    ``published`` are the counts to compare with. ``thoroughly`` decodes every file.

    Raises:
        InputError: the folder or ``labels.csv`` cannot be read.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "there is no such folder")
    listed = (folder / TABLE).is_file()
    videos, problems = _from_table(folder) if listed else _from_names(folder)
    problems += doubled(video.id for video in videos)
    problems += _others(folder, videos)
    problems += unreadable((video.file for video in videos), thoroughly=thoroughly)
    if published is not None:
        problems += _counts(folder, videos, published)
    return Checked(folder, tuple(sorted(videos, key=lambda video: video.id)), tuple(problems))


def counts(videos: Sequence[Video]) -> Counter[tuple[str, bool]]:
    """How many there are of each application and label."""
    return Counter((video.application, video.contradictory) for video in videos)


def _from_table(folder: Path) -> tuple[list[Video], list[Problem]]:
    # Doubled ids are reported with all other problems, so the file name is part of the key here.
    rows = table(folder / TABLE, COLUMNS, ("id", "file"))
    return [
        Video(
            row.text("id"),
            folder / row.text("file"),
            row.text("application"),
            LABELS[row.one_of("label", tuple(LABELS))],
        )
        for row in rows
    ], []


def _from_names(folder: Path) -> tuple[list[Video], list[Problem]]:
    videos: list[Video] = []
    problems: list[Problem] = []
    for path in sorted(_media(folder)):
        inside = path.relative_to(folder)
        words = [spelled(part) for part in (*inside.parts[:-1], inside.stem)]
        application = _said(words, APPLICATIONS)
        label = _said(words, tuple(_SPELLINGS))
        if application is None or label is None:
            what = "application" if application is None else "label"
            problems.append(error(path, f"neither its folders nor its name say the {what}"))
            continue
        videos.append(Video(inside.as_posix(), path, application, _SPELLINGS[label]))
    return videos, problems


def _media(folder: Path) -> Iterator[Path]:
    suffixes = VIDEO_SUFFIXES | IMAGE_SUFFIXES
    return (path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in suffixes)


def _said(words: Sequence[str], names: Sequence[str]) -> str | None:
    """The name that the words say; of several the longest, as ``non_contradictory`` holds the other."""
    found = [name for name in names if any(f"_{name}_" in f"_{word}_" for word in words)]
    return max(found, key=len) if found else None


def _counts(folder: Path, videos: Sequence[Video], published: Distribution) -> list[Problem]:
    have = counts(videos)
    wanted = {(name, True): count for name, count in published.contradictory.items()}
    wanted |= {(name, False): count for name, count in published.coherent.items()}
    names = {True: "contradictory", False: "non_contradictory"}
    return [
        note(
            folder, f"{application}, {names[label]}: {have[application, label]} videos, published are {count}"
        )
        for (application, label), count in wanted.items()
        if have[application, label] != count
    ]


def _others(folder: Path, videos: Sequence[Video]) -> list[Problem]:
    """Applications that the paper does not have: meant so in a set of one's own, or mistyped."""
    found = []
    for application in sorted({video.application for video in videos} - set(APPLICATIONS)):
        near = get_close_matches(spelled(application), APPLICATIONS, n=1)
        hint = f" ({near[0]}?)" if near else ""
        found.append(note(folder, f"{application} is no published application{hint}"))
    return found
