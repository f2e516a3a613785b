"""Numbers in the papers' text that follow from each other, and the worked example for ICC."""

from __future__ import annotations

import numpy as np

from benchmarks.protocols.adjustment import p_of_z
from benchmarks.protocols.choices import RUNS
from benchmarks.protocols.ratings import reliability
from benchmarks.protocols.splits import PUBLISHED_TEST, PUBLISHED_TRAINING
from benchmarks.published.printed import Printed
from benchmarks.published.tables import FACTORS
from benchmarks.verify.counting import TRIALS
from benchmarks.verify.outcome import Check, Table, compared, impossible

WILCOXON = {
    "placement, image-based": ("-3.23", ".0012"),
    "placement, video-based": ("-3.24", ".0012"),
    "size, image-based": ("-2.57", ".0101"),
    "size, video-based": ("-2.85", ".0044"),
}
"""RateAR, section 5.4.1 and table A5: z and p."""
SHARES = {"improved": (45, "53.6"), "unchanged": (38, "45.2"), "worse": (1, "1.2")}
"""RateAR, section 5.4.1: trials and percent."""
ANNOTATORS = 5
SAMPLES = {"images": 321, "videos": 112}
ICC = {"placement": (".95", "22.20"), "size": (".94", "16.55"), "shadow": (".90", "11.15")}
"""RateAR, section 3: ICC(2,5) and F(432, 1728)."""
DEGREES = (432, 1728)
MODELS = 6
SHROUT_FLEISS = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))
"""Shrout and Fleiss, "Intraclass correlations", Psychological Bulletin 86(2), 1979: targets by judges."""
SHROUT_FLEISS_ICC = ".62"
SHROUT_FLEISS_F = ("11.24", "1.02")
"""Their mean squares between targets and of the residual, whose ratio is F."""


def tables() -> list[Table]:
    """All checks of numbers that are in no file."""
    return [_ratear(), _psychophysics(), shrout_fleiss()]


def shrout_fleiss() -> Table:
    """ICC(2,k) and F of the worked example."""
    found = reliability(np.array(SHROUT_FLEISS).T)
    icc, (between, residual) = (
        Printed.parse(SHROUT_FLEISS_ICC),
        (Printed.parse(one) for one in SHROUT_FLEISS_F),
    )
    checks = (
        compared(
            "ICC(2,4)",
            "icc",
            icc.text,
            f"{found.icc:.4f}",
            same=found.icc is not None and icc.covers(found.icc),
        ),
        compared(
            "ICC(2,4)",
            "F(5, 15)",
            f"{between.text} / {residual.text}",
            f"{found.f:.4f}",
            same=found.f is not None
            and between.low / residual.high <= found.f <= between.high / residual.low,
        ),
    )
    return Table("Shrout and Fleiss 1979", "ICC(2,k) of their six targets and four judges", checks)


def _ratear() -> Table:
    checks: list[Check] = []
    for name, (z_text, p_text) in WILCOXON.items():
        z, p = Printed.parse(z_text), Printed.parse(p_text)
        low, high = sorted((p_of_z(z.low), p_of_z(z.high)))
        checks.append(
            compared(name, "p of z", p_text, f"{low:.5f} to {high:.5f}", same=p.overlaps(low, high))
        )
    trials = sum(count for count, _ in SHARES.values())
    for name, (count, text) in SHARES.items():
        share = 100 * count / trials
        checks.append(compared(name, "percent", text, f"{share:.2f}", same=Printed.parse(text).covers(share)))
    for media, count in SAMPLES.items():
        total = PUBLISHED_TRAINING[media] + PUBLISHED_TEST[media]
        checks.append(compared(media, "training and test", str(count), str(total), same=total == count))
    samples = sum(SAMPLES.values())
    annotations = samples * ANNOTATORS * len(FACTORS)
    checks.append(compared("annotations", "count", "6495", str(annotations), same=annotations == 6495))
    degrees = samples - 1, (samples - 1) * (ANNOTATORS - 1)
    checks.append(compared("ICC", "degrees of freedom", str(DEGREES), str(degrees), same=degrees == DEGREES))
    reason = "needs the annotators' scores"
    checks += [
        impossible(f"ICC(2,5), {name}", "icc, F", f"{icc}, {f}", reason) for name, (icc, f) in ICC.items()
    ]
    reason = "needs the participants' ratings"
    checks += [impossible(name, "medians, IQR, rank-biserial", "section 5.4.1", reason) for name in WILCOXON]
    return Table(
        "RateAR: text", "numbers of sections 3, 5.1, 5.4.1 and table A5 from each other", tuple(checks)
    )


def _psychophysics() -> Table:
    assessments = TRIALS * MODELS * RUNS
    check = compared("assessments", "count", "3780", str(assessments), same=assessments == 3780)
    return Table("psychophysics: text", "pairs x scenes x models x runs", (check,))
