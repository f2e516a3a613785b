"""Measure the exported networks on scenes they have never seen anything of: test icons, flags, fonts, photos.

    python -m models.elements.evaluate --scenes 300 --crops 6000 --backgrounds PHOTOS

Writes ``build/elements.json`` (all numbers), ``build/elements-confusions.png``, and the tables of the card.
``--split validation --calibrate`` chooses thresholds and temperature on the validation split and writes
them into the model's ``elements.json``; do that once after each export, never on the test split.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from rich.progress import track

from arwarden.core.frame import ByteImage
from arwarden.fast.elements.decode import OTHER, TYPES, USUAL_LEAST, Detections, settled, softmax
from models.calibration.logistic import logistic_fit
from models.cards.marks import fill_card
from models.elements.card import numbers
from models.elements.collage import Collages
from models.elements.crowded import CrowdedScenes
from models.elements.generate import corners, cut, wanted_elements
from models.elements.inference import Model, Networks, read_model
from models.elements.labels import label_name, type_number
from models.elements.metrics import IGNORED, Tally, Truths, angle_error, bucket, match, score
from models.elements.targets import LEAST_VISIBILITY
from models.scenes.backdrop import Backdrops
from models.scenes.kinds import Split
from models.scenes.scene import FULL_SIZE_PX, Scene, SceneMaker
from models.scenes.truth import ElementTruth

LEAST_SIDE_PX, LEAST_EXTENT_PX = 16.0, 40.0
"""Elements narrower or shorter than this in a frame 720 lines high are neither wanted nor wrong."""
LOWEST = 0.1
THRESHOLD_STEPS = tuple(round(0.15 + 0.025 * step, 3) for step in range(27))
LEAST_TO_CHOOSE, USUAL_THRESHOLD = 10, 0.35
CONFUSED_LABELS = 40
LEAST_STEPS = tuple(round(USUAL_LEAST + 0.05 * step, 2) for step in range(10))
NEVER = 2.0
WANTED_PRECISION, PRIOR_CROPS = 0.82, 4
LOWER_STEPS = (0.35, 0.4, 0.45)
LOWER_PRECISION, LOWER_ADDED = 0.9, 0.6
"""A label may be said from a lower share on, where of all and of those added so many are right."""
LEAST_SAID = 0.1
"""A class of which validation recognises a smaller share is not said at all. With 0.25 six classes more are
not said, and validation's verdicts are the same."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A frame with what is in it and what the detector found with a low threshold."""

    rgb: ByteImage
    elements: list[ElementTruth]
    truths: Truths
    found: Detections


@dataclass(frozen=True, slots=True)
class Material:
    """What is measured on."""

    crowded: list[Seen]
    own: list[Seen]
    """Scenes as the generator makes them, most of them panels with text."""
    negatives: list[Seen]
    """Photos without virtual content."""
    crops: list[tuple[ByteImage, Mapping[str, Any]]]
    """Balanced over the labels."""


@dataclass(slots=True)
class Named:
    """Label of the truth and of the classifier, one entry per crop."""

    pairs: list[tuple[str, str]] = field(default_factory=list)
    said: list[bool] = field(default_factory=list)
    """Whether the classifier is sure enough for the label to be said; "of no class" says nothing."""
    angle_errors: list[float] = field(default_factory=list)


def truths_of(elements: Sequence[ElementTruth], size_px: tuple[int, int]) -> Truths:
    """For scoring, in pixels of the frame."""
    boxes = np.array([corners(one.box, size_px) for one in elements], np.float32).reshape(-1, 4)
    sides = (boxes[:, 2:] - boxes[:, :2]) * 720 / size_px[1]
    narrow = sides.min(axis=1, initial=np.inf) < LEAST_SIDE_PX
    narrow |= sides.max(axis=1, initial=0.0) < LEAST_EXTENT_PX
    hidden = np.array([one.visibility < LEAST_VISIBILITY for one in elements], bool)
    types = np.array([type_number(one.kind) for one in elements], np.int64)
    return Truths(boxes, types, narrow | hidden)


def above(found: Detections, thresholds: Sequence[float]) -> Detections:
    """Only the detections that reach the threshold of their type."""
    kept = (
        found.scores >= np.asarray(thresholds, np.float32)[found.types] if len(found) else np.zeros(0, bool)
    )
    return Detections(found.boxes_px[kept], found.types[kept], found.scores[kept])


def look(networks: Networks, scene: Scene) -> Seen:
    """Detect in one scene."""
    elements = wanted_elements(scene.truth.elements)
    size = (scene.rgb.shape[1], scene.rgb.shape[0])
    return Seen(
        scene.rgb, elements, truths_of(elements, size), networks.find(scene.rgb, (LOWEST,) * len(TYPES))
    )


def best_thresholds(frames: Sequence[Seen]) -> dict[str, float]:
    """For each type the threshold with the best F1; the usual one for a type that is hardly there."""
    chosen = {}
    for number, name in enumerate(TYPES):
        there = sum(int(((one.truths.types == number) & ~one.truths.ignored).sum()) for one in frames)
        if there < LEAST_TO_CHOOSE:
            chosen[name] = USUAL_THRESHOLD
            continue
        results = []
        for value in THRESHOLD_STEPS:
            limits = [value if index == number else 2.0 for index in range(len(TYPES))]
            tally = score((above(one.found, limits), one.truths, 720.0) for one in frames).types[name]
            results.append((2 * tally.found / max(1, 2 * tally.found + tally.false + tally.missed), value))
        chosen[name] = max(results)[1]
    return chosen


def fits_of_scores(frames: Sequence[Seen]) -> dict[str, list[float]]:
    """For each type slope and offset that turn a score into the chance to be right (``as_chances``)."""
    scores, types, right = [], [], []
    for one in frames:
        matched = match(one.found, one.truths)
        counts = matched != IGNORED
        scores.append(one.found.scores[counts])
        types.append(one.found.types[counts])
        right.append(matched[counts] >= 0)
    every = np.concatenate(scores), np.concatenate(types), np.concatenate(right)
    chosen = {}
    for number, name in enumerate(TYPES):
        those = every[1] == number
        if every[2][those].sum() >= LEAST_TO_CHOOSE and (~every[2][those]).sum() >= LEAST_TO_CHOOSE:
            chosen[name] = list(logistic_fit(every[0][those], every[2][those]))
    return chosen


def best_temperature(logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> float:
    """The temperature under which the right labels are likeliest (Guo et al. 2017, section 4.2)."""
    rows = np.arange(len(labels))
    costs = {
        value: float(-np.log(softmax(logits / value)[rows, labels] + 1e-9).mean())
        for value in np.geomspace(0.4, 3.0, 41).round(3)
    }
    return float(min(costs, key=costs.__getitem__))


def crops_of(
    split: Split, seed: int, backgrounds: Path | None, count: int
) -> Iterator[tuple[ByteImage, Mapping[str, Any]]]:
    """Balanced crops of a split, with labels, directions and sizes."""
    collages = Collages(split, seed, Backdrops(split, backgrounds))
    for index in track(range(count // Collages.PER_PICTURE), description="crops"):
        rgb, found = collages.collage(index)
        rng = np.random.default_rng((seed, 8, index))
        yield from (crop for one in found if (crop := cut(rgb, one, rng)) is not None)


def detection_report(frames: Sequence[Seen], thresholds: Sequence[float]) -> dict[str, Any]:
    """Precision and recall by type and size."""
    return dict(
        score((above(one.found, thresholds), one.truths, float(one.rgb.shape[0])) for one in frames).as_dict()
    )


def named_report(networks: Networks, frames: Sequence[Seen], thresholds: Sequence[float]) -> dict[str, Any]:
    """Detector and classifier together: of the elements there, how many are found and named rightly."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    errors: list[float] = []
    after: list[tuple[Detections, Truths, float]] = []
    for one in frames:
        found = above(one.found, thresholds)
        found, readings = settled(found, networks.read(one.rgb, found.boxes_px))
        matched = match(found, one.truths)
        after.append((found, one.truths, float(one.rgb.shape[0])))
        hit: set[int] = set()
        for truth, reading in zip(matched, readings, strict=True):
            if truth < 0:
                if truth == -1 and not reading.label.startswith("#background"):
                    tallies[reading.label].false += 1
                continue
            element = one.elements[truth]
            wanted = _label(networks, element)
            if reading.label == wanted:
                hit.add(int(truth))
            else:
                tallies[reading.label].false += 1
            if element.direction_deg is not None and element.kind == "arrow":
                errors.append(angle_error(reading.direction_deg, element.direction_deg))
        for index in np.flatnonzero(~one.truths.ignored):
            element = one.elements[index]
            name = _label(networks, element) or "#unknown"
            tally = tallies[name]
            tally.found, tally.missed = tally.found + (index in hit), tally.missed + (index not in hit)
    everything = Tally(
        *(sum(getattr(t, part) for t in tallies.values()) for part in ("found", "missed", "false"))
    )
    return {
        "overall": everything.as_dict(),
        "arrow_angle": angle_report(errors),
        "types": score(after).as_dict()["types"],
        "found": score(after).as_dict()["overall"],
    }


def _label(networks: Networks, element: ElementTruth) -> str | None:
    """What the classifier is to say; a label that counts as another one is that one."""
    name = label_name(element.kind, element.cls)
    return networks.model.same.get(name, name) if name else None


def angle_report(errors: Sequence[float]) -> dict[str, float]:
    """Median and tail of the errors of arrows' directions."""
    if not errors:
        return {"arrows": 0}
    return {
        "arrows": len(errors),
        "median_deg": round(float(np.median(errors)), 1),
        "over_30_share": round(float((np.array(errors) > 30).mean()), 4),
        "over_45_share": round(float((np.array(errors) > 45).mean()), 4),
    }


def classify(
    networks: Networks, crops: Sequence[tuple[ByteImage, Mapping[str, Any]]]
) -> tuple[Named, list[str]]:
    """Name all crops; also the size group of each."""
    from models.elements.data import resized  # noqa: PLC0415 - needs torch

    pictures = resized(np.stack([picture for picture, _ in crops]), networks.model.side_px)
    readings = networks.readings(pictures)
    named = Named()
    sizes = []
    for (_, entry), reading in zip(crops, readings, strict=True):
        wanted = str(entry["label"])
        named.pairs.append((networks.model.same.get(wanted, wanted), reading.label))
        named.said.append(reading.label != OTHER and reading.confidence >= USUAL_LEAST)
        if entry["direction"] is not None:
            named.angle_errors.append(angle_error(reading.direction_deg, entry["direction"]))
        side = float(entry["side"])
        sizes.append(bucket(np.array([0, 0, side, side], np.float32), 720))
    return named, sizes


def class_report(named: Named, sizes: Sequence[str]) -> dict[str, Any]:
    """Accuracy of the classifier alone: overall, by group, by size, by class; and what it mixes up most."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    by_size: dict[str, list[bool]] = defaultdict(list)
    groups: dict[str, list[bool]] = defaultdict(list)
    for (true, found), said, size in zip(named.pairs, named.said, sizes, strict=True):
        right = true == found
        tallies[true].found += right and said
        tallies[true].missed += not (right and said) and true != OTHER
        tallies[found].false += said and not right
        by_size[size].append(right)
        groups[_group(true)].append(right)
    mixed = Counter(pair for pair in named.pairs if pair[0] != pair[1])
    pictograms = {
        name: t
        for name, t in tallies.items()
        if not name.startswith(("#", "flag:")) and t.found + t.missed >= 5
    }
    worst = sorted(pictograms, key=lambda name: (pictograms[name].recall, name))
    return {
        "accuracy": _mean([true == found for true, found in named.pairs]),
        "said": _said(named, lambda _: True),
        "said_groups": {
            group: _said(named, lambda label, group=group: _group(label) == group)  # type: ignore[misc]
            for group in sorted(groups)
        },
        "groups": {name: _mean(values) for name, values in sorted(groups.items())},
        "sizes": {
            name: _mean(values)
            for name, values in sorted(
                by_size.items(), key=lambda item: int(item[0].rstrip("+").split("-")[0])
            )
        },
        "classes": {name: tallies[name].as_dict() for name in sorted(tallies)},
        "worst": worst[:15],
        "mixed_up": [[true, found, count] for (true, found), count in mixed.most_common(25)],
        "arrow_angle": angle_report(named.angle_errors),
    }


def _group(label: str) -> str:
    return "flags" if label.startswith("flag:") else "other" if label.startswith("#") else "pictograms"


def _said(named: Named, wanted: Callable[[str], bool]) -> dict[str, float]:
    """Of the labels said, how many are right; of the crops, how many have their label said."""
    tally = Tally()
    for (true, found), said in zip(named.pairs, named.said, strict=True):
        right = said and true == found
        tally.found += right and wanted(true)
        tally.missed += not right and wanted(true) and true != OTHER
        tally.false += said and not right and wanted(found)
    return tally.as_dict()


def draw_confusions(named: Named, path: Path) -> None:
    """A picture of what is taken for what: the labels with most mistakes, rows true, columns found."""
    wrong = Counter(name for pair in named.pairs if pair[0] != pair[1] for name in pair)
    names = sorted(name for name, _ in wrong.most_common(CONFUSED_LABELS))
    place = {name: index for index, name in enumerate(names)}
    cell, margin = 20, 170
    side = margin + cell * len(names)
    picture = np.full((side, side, 3), 255, np.uint8)
    counts = Counter(named.pairs)
    rows = Counter(true for true, _ in named.pairs)
    for (true, found), count in counts.items():
        if true in place and found in place:
            share = count / rows[true]
            colour = (255 - int(200 * share), 255 - int(90 * share), 255 - int(200 * share))
            if true != found:
                colour = (255 - int(220 * share), 255 - int(220 * share), 255)
            x, y = margin + cell * place[found], margin + cell * place[true]
            cv2.rectangle(picture, (x, y), (x + cell - 1, y + cell - 1), colour, -1)
    for name, index in place.items():
        at = margin + cell * index + 14
        cv2.putText(picture, name, (4, at), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
        strip = np.full((cell, margin, 3), 255, np.uint8)
        cv2.putText(strip, name, (4, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
        picture[:margin, margin + cell * index : margin + cell * (index + 1)] = cv2.rotate(
            strip, cv2.ROTATE_90_COUNTERCLOCKWISE
        )
    cv2.imwrite(str(path), picture)


def latency_report(networks: Networks, frames: Sequence[Seen], repeats: int = 30) -> dict[str, float]:
    """Milliseconds for one 1280x720 frame on one thread: detector, and eight crops, all included."""
    rgb = frames[0].rgb
    boxes = np.array([[80.0 * i + 20, 100, 80.0 * i + 120, 220] for i in range(8)], np.float32)
    times: dict[str, list[float]] = {"detector": [], "eight_crops": []}
    for _ in range(repeats):
        start = time.perf_counter()
        networks.find(rgb)
        middle = time.perf_counter()
        networks.read(rgb, boxes)
        times["detector"].append((middle - start) * 1000)
        times["eight_crops"].append((time.perf_counter() - middle) * 1000)
    result = {}
    for name, values in times.items():
        result[f"{name}_min"] = round(min(values), 1)
        result[f"{name}_median"] = round(float(np.median(values)), 1)
    return result


def calibrate(
    networks: Networks, frames: Sequence[Seen], crops: Sequence[tuple[ByteImage, Mapping[str, Any]]]
) -> None:
    """Choose thresholds, chances, temperature and least shares; write them into the model's description."""
    from models.elements.data import resized  # noqa: PLC0415

    model = networks.model
    numbers = {name: index for index, name in enumerate(model.labels)}
    known = [(picture, numbers[entry["label"]]) for picture, entry in crops if entry["label"] in numbers]
    labels = np.array([number for _, number in known])
    pictures = resized(np.stack([picture for picture, _ in known]), model.side_px)
    networks.namer.naming = replace(networks.namer.naming, least={})
    for _ in range(2):  # what is looked at twice depends on the temperature a little
        logits, _ = networks.namer.raw(pictures)
        temperature = best_temperature(logits, labels)
        networks.namer.naming = replace(networks.namer.naming, temperature=temperature)
    counted = np.array([numbers[model.same.get(name, name)] for name in model.labels])
    least = least_of_each(networks.namer.naming.plain(logits), counted[labels], model.labels)
    thresholds, fits = best_thresholds(frames), fits_of_scores(frames)
    path = model.folder / "elements.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["detector"]["thresholds"] = thresholds
    values["detector"]["fits"] = fits
    values["classifier"]["temperature"] = temperature
    values["classifier"]["least"] = least
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    never = sorted(name for name, share in least.items() if share > 1)
    print(f"thresholds {thresholds}, temperature {temperature}, never said: {never}: in {path}")  # noqa: T201


def least_of_each(
    shares: npt.NDArray[np.float32], labels: npt.NDArray[np.int64], names: Sequence[str]
) -> dict[str, float]:
    """The share from which each pictogram or flag is right often enough, where the usual one will not do.

    Few crops show one class, so each is judged as if ``PRIOR_CROPS`` more had turned out as all labels
    together do at that share. A label that is right too seldom, or hardly ever said then, is never said.
    """
    best, share = shares.argmax(axis=1), shares.max(axis=1)
    right = best == labels
    together = {limit: float(right[share >= limit].mean()) for limit in (*LOWER_STEPS, *LEAST_STEPS)}
    chosen: dict[str, float] = {}
    for number, name in enumerate(names):
        if name.startswith("#"):
            continue
        limit = next((
            limit for limit in LEAST_STEPS
            if _smoothed(right[(best == number) & (share >= limit)], together[limit]) >= WANTED_PRECISION
        ), NEVER)  # fmt: skip
        there = int((labels == number).sum())
        said = int(((best == number) & right & (share >= limit)).sum())
        if there >= LEAST_TO_CHOOSE and said < LEAST_SAID * there:
            limit = NEVER
        # A flag that the view's edge cuts looks like another one (France without its blue like Poland), and
        # validation shows most flags whole.
        if limit == USUAL_LEAST and not name.startswith("flag:"):
            limit = _lower(best == number, right, share, together)
        if limit != USUAL_LEAST:
            chosen[name] = limit
    return chosen


def _lower(
    named: npt.NDArray[np.bool_],
    right: npt.NDArray[np.bool_],
    share: npt.NDArray[np.float32],
    together: Mapping[float, float],
) -> float:
    """A share below the usual one from which a label that is hardly ever wrong may be said as well."""
    for limit in LOWER_STEPS:
        added = right[named & (share >= limit) & (share < USUAL_LEAST)]
        every = _smoothed(right[named & (share >= limit)], together[limit])
        if every >= LOWER_PRECISION and len(added) and float(added.mean()) >= LOWER_ADDED:
            return limit
    return USUAL_LEAST


def _smoothed(right: npt.NDArray[np.bool_], together: float) -> float:
    return float((right.sum() + PRIOR_CROPS * together) / (len(right) + PRIOR_CROPS))


def evaluate(networks: Networks, material: Material, confusions: Path) -> dict[str, Any]:
    """All numbers; draws what is confused into a file."""
    frames, crops = material.crowded, material.crops
    limits = [networks.model.thresholds[name] for name in TYPES]
    named, sizes = classify(networks, crops)
    draw_confusions(named, confusions)
    quiet = [len(above(one.found, limits)) for one in material.negatives]
    return {
        "detector": detection_report(frames, limits),
        "detector_own_scenes": detection_report(material.own, limits),
        "detector_and_classifier": named_report(networks, frames, limits),
        "classifier": class_report(named, sizes),
        "negatives": {
            "photos": len(quiet),
            "with_any_detection": _mean([count > 0 for count in quiet]),
            "detections_per_photo": round(float(np.mean(quiet)), 3) if quiet else 0.0,
        },
        "latency_ms": latency_report(networks, frames),
    }


def _mean(values: Sequence[bool]) -> float:
    return round(float(np.mean(values)), 4) if len(values) else 0.0


def _material(
    networks: Networks, split: Split, seed: int, backgrounds: Path | None, counts: tuple[int, int]
) -> Material:
    """Make so many scenes, half as many of the other frames, and so many crops."""
    count = counts[0]
    maker = SceneMaker(split, seed, backgrounds=backgrounds)
    crowded = CrowdedScenes(split, seed, backgrounds, Collages(split, seed, maker.backdrops), FULL_SIZE_PX)
    frames = [
        look(networks, crowded.crowded(index)) for index in track(range(count), description="crowded scenes")
    ]
    own = []
    for index in track(range(count // 2), description="scenes"):
        try:
            own.append(look(networks, maker.scene(index)))
        except ValueError:  # what the generator says where it finds no room
            continue
    negatives = [
        look(networks, maker.negative(index)) for index in track(range(count // 2), description="photos")
    ]
    return Material(frames, own, negatives, list(crops_of(split, seed, backgrounds, counts[1])))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--weights", type=Path, default=Path(__file__).parent / "weights")
    parser.add_argument("--split", type=Split, choices=tuple(Split), default=Split.TEST)
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--crops", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--backgrounds", type=Path)
    parser.add_argument("--calibrate", action="store_true", help="choose thresholds and temperature instead")
    parser.add_argument("--out", type=Path, default=Path("build/elements.json"))
    arguments = parser.parse_args()
    if arguments.calibrate and arguments.split is not Split.VALIDATION:
        parser.error("calibrate on --split validation only: the test split stays unseen")
    cv2.setNumThreads(1)
    model: Model = read_model(arguments.weights)
    networks = Networks(model)
    counts = (arguments.scenes, arguments.crops)
    material = _material(networks, arguments.split, arguments.seed, arguments.backgrounds, counts)
    if arguments.calibrate:
        calibrate(networks, [*material.crowded, *material.own, *material.negatives], material.crops)
        return
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    confusions = arguments.out.with_name(f"{arguments.out.stem}-confusions.png")
    result = evaluate(networks, material, confusions)
    result |= {"split": arguments.split.value, "seed": arguments.seed, "sha256": model.sha256}
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    fill_card(arguments.weights / "MODEL_CARD.md", numbers(result))
    shown = {name: result[name] for name in ("detector", "negatives", "latency_ms")}
    print(json.dumps(shown, indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
