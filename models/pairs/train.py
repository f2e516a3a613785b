"""Fine-tune the encoder on pairs. A time box; a stopped run goes on with ``--resume``.

    python -m models.pairs.train --data build/pairs --base BASE --out build/pairs/run --minutes 45

``BASE`` is the folder with ``model.safetensors`` and ``vocab.txt`` (see README).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from arwarden.fast.pairs.weights import LABELS
from arwarden.fast.pairs.wordpieces import WordPieces
from models.pairs.compose import CONTRADICTORY, NEUTRAL, Pair
from models.pairs.data import Encoded, batches, encoded, padded, read_pairs
from models.pairs.description import NETWORK
from models.pairs.network import PairNetwork, pretrained
from models.pairs.shipped import shipped_weights
from models.pairs.vocabulary import chosen, read_vocabulary

CHECKPOINT = "checkpoint.pt"
SAVED_EVERY_S = 120.0
TOLD_EVERY = 50
AVERAGED = 0.995
"""Of the running average of weights, per step; less in the first steps."""
WARM_SHARE = 0.04
LEAST_RATE = 0.03
HEAD_RATE = 8.0
"""The head learns this much faster: it begins at random."""
CLIP = 1.0
WORD_TABLE = frozenset({"table", "scales"})
"""What of the network is never trained and depends on the vocabulary."""


def learning_rate(done: float) -> float:
    """Share of the full rate after this share of the time: a short rise, then half a cosine."""
    if done < WARM_SHARE:
        return max(done / WARM_SHARE, 0.02)
    return (
        LEAST_RATE + (1 - LEAST_RATE) * (1 + math.cos(math.pi * (done - WARM_SHARE) / (1 - WARM_SHARE))) / 2
    )


class Run:
    """A network in training, with all that is needed to go on after a stop."""

    def __init__(self, network: PairNetwork, vocabulary: list[str], rate: float, frozen: int) -> None:
        self.network, self.vocabulary = network, vocabulary
        self.steps, self.seconds = 0, 0.0
        network.freeze(frozen)
        head = list(network.head.parameters())
        body = [
            part for name, part in network.named_parameters() if part.requires_grad and "head." not in name
        ]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": body, "lr": rate, "full": rate},
                {"params": head, "lr": rate, "full": rate * HEAD_RATE},
            ],
            weight_decay=0.01,
        )
        self.average = {name: part.detach().clone() for name, part in self._learning()}

    def _learning(self) -> list[tuple[str, torch.Tensor]]:
        return [(name, part) for name, part in self.network.named_parameters() if part.requires_grad]

    def step(self, batch: tuple[np.ndarray, np.ndarray, np.ndarray], done: float, *, half: bool) -> float:
        """One step; returns the loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = group["full"] * learning_rate(done)
        numbers, segments, labels = (torch.from_numpy(part) for part in batch)
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            logits = self.network(numbers, segments)
        loss = functional.cross_entropy(logits.float(), labels, label_smoothing=0.03)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.steps += 1
        kept = min(AVERAGED, (self.steps + 1) / (self.steps + 10))
        for name, part in self._learning():
            self.average[name].lerp_(part.detach(), 1 - kept)
        return float(loss.detach())

    def averaged(self) -> dict[str, torch.Tensor]:
        """All weights, the learning ones as their running average."""
        return {**self.network.state_dict(), **self.average}

    def save(self, folder: Path) -> None:
        """Write the checkpoint, whole or not at all."""
        stored = {
            "network": self.network.state_dict(),
            "average": self.averaged(),
            "optimiser": self.optimiser.state_dict(),
            "steps": self.steps,
            "seconds": self.seconds,
            "vocabulary": self.vocabulary,
        }
        torch.save(stored, folder / f"{CHECKPOINT}.part")
        (folder / f"{CHECKPOINT}.part").rename(folder / CHECKPOINT)

    def load(self, stored: dict[str, Any], *, optimiser: bool) -> None:
        """Go on from a checkpoint; without the state of its optimiser and its clock begin with its weights.

        Its word table is that of the base, with the words of its own vocabulary.
        """
        weights = stored["network" if optimiser else "average"]
        own = {name: part for name, part in weights.items() if optimiser or name not in WORD_TABLE}
        self.network.load_state_dict(own, strict=optimiser)
        for name in self.average:
            self.average[name].copy_(stored["average"][name])
        if optimiser:
            self.optimiser.load_state_dict(stored["optimiser"])
            self.steps, self.seconds = stored["steps"], stored["seconds"]


def probabilities(network: PairNetwork, rows: Sequence[Encoded], size: int = 64) -> np.ndarray:
    """Of the three relations for every pair, (n, 3)."""
    network.eval()
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].numbers))
    found = np.zeros((len(rows), len(LABELS)))
    with torch.no_grad():
        for start in range(0, len(order), size):
            places = order[start : start + size]
            numbers, segments, _ = padded([rows[at] for at in places])
            logits = network(torch.from_numpy(numbers), torch.from_numpy(segments))
            found[places] = logits.softmax(-1).numpy()
    return found


def checked(network: PairNetwork, rows: Sequence[Encoded]) -> str:
    """Accuracy, and the contradictions found where one in 100 other pairs is taken for one."""
    found, labels = probabilities(network, rows), np.array([row.label for row in rows])
    wrong = LABELS.index(CONTRADICTORY)
    scores, contradictory = found[:, wrong], labels == wrong
    threshold = np.quantile(scores[~contradictory], 0.99)
    return (
        f"accuracy {(found.argmax(1) == labels).mean():.3f}, "
        f"found at 1 % false alarms {(scores[contradictory] > threshold).mean():.3f} "
        f"(threshold {threshold:.2f}), "
        f"neutral right {(found.argmax(1) == labels)[labels == LABELS.index(NEUTRAL)].mean():.3f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("build/pairs"))
    parser.add_argument("--base", type=Path, required=True, help="folder of the pretrained encoder")
    parser.add_argument("--out", type=Path, default=Path("build/pairs/run"))
    parser.add_argument("--minutes", type=float, default=45.0)
    parser.add_argument("--frozen", type=int, default=2, help="lowest layers that do not learn")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="compute in fp32 also where bfloat16 is faster")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    parser.add_argument(
        "--start", type=Path, help="begin with the weights of this checkpoint, or of this folder as shipped"
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    run = opened(options)
    pieces = WordPieces(run.vocabulary)
    pairs = read_pairs(options.data / "train.tsv")
    checks = {
        name: encoded(read_pairs(options.data / f"{name}.tsv")[:600], pieces)
        for name in ("validation", "kept", "written")
    }
    train(run, pairs, pieces, options)
    run.network.load_state_dict(run.averaged())
    for name, part in checks.items():
        print(f"{name}: {checked(run.network, part)}", flush=True)  # noqa: T201


def opened(options: argparse.Namespace) -> Run:
    """A new run, or the one to go on with."""
    start: Path | None = options.out / CHECKPOINT if options.resume else options.start
    shipped = start is not None and start.is_dir()
    stored = torch.load(start, map_location="cpu", weights_only=True) if start and not shipped else None
    whole = read_vocabulary(options.base / "vocab.txt")
    kept = (
        np.array([whole.index(piece) for piece in stored["vocabulary"]])
        if stored is not None and options.resume
        else chosen(whole)
    )
    network = pretrained(options.base / "model.safetensors", kept)
    if start is not None and shipped:
        network.load_state_dict(shipped_weights(start / NETWORK), strict=False)
    run = Run(network, [whole[at] for at in kept], options.rate, options.frozen)
    if stored is not None:
        run.load(stored, optimiser=options.resume)
    return run


def train(run: Run, pairs: Sequence[Pair], pieces: WordPieces, options: argparse.Namespace) -> None:
    """Learn until the time box is used up."""
    total_s = options.minutes * 60
    # Where the processor has to imitate it, bfloat16 takes ten times as long as fp32.
    half = not options.full and "AVX512" in torch.backends.cpu.get_cpu_capability()
    begun = time.monotonic() - run.seconds
    saved, losses = time.monotonic(), []
    run.network.train()
    for batch in batches(pairs, pieces, options.batch, seed=options.seed, skip=run.steps):
        run.seconds = time.monotonic() - begun
        if run.seconds >= total_s:
            break
        losses.append(run.step(batch, run.seconds / total_s, half=half))
        if run.steps % TOLD_EVERY == 0:
            print(  # noqa: T201
                f"step {run.steps} at {run.seconds / 60:.1f} min: loss {np.mean(losses):.4f}", flush=True
            )
            losses.clear()
        if time.monotonic() - saved > SAVED_EVERY_S:
            run.save(options.out)
            saved = time.monotonic()
    run.save(options.out)


if __name__ == "__main__":
    main()
