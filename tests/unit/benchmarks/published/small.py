"""A small set of tables in the published layout whose numbers follow from each other."""

from __future__ import annotations

import math
from pathlib import Path

APPLICATIONS = "indoor_navigation,outdoor_navigation,safety_inspection,smart_apartment,smart_retail"
FACTORS = ("placement", "size", "shadow")
METRICS = ("srcc", "plcc", "krcc")
NINE = [f"{factor}_{metric}" for factor in FACTORS for metric in METRICS]
CONTRAST = (1, 1, 1, 1, -1, -1, -1, -1)
COLOUR = (1, 1, -1, -1, 1, 1, -1, -1)
REST = (1, -1, 1, -1, 1, -1, 1, -1)

# Of 312 videos 157 are right. Of r = .5, n = 221: atanh(.5) ± 1.96 / sqrt(218); n = 62: ± 1.96 / sqrt(59).
TABLES = {
    "contrar_distribution": [
        f"label,{APPLICATIONS},total",
        "contradictory,27,30,21,45,33,156",
        "non_contradictory,27,30,21,45,33,156",
    ],
    "contrar_detection": [
        f"method,prompting,{APPLICATIONS},overall_accuracy_pct,latency_s",
        "Some,single,50.00,50.00,50.00,50.00,51.52,50.32,1.50",
    ],
    "ratear_images": [f"method,kind,n,{','.join(NINE)}", f"Some,vlm,221,{','.join(['0.5000'] * 9)}"],
    "ratear_videos": [f"method,kind,n,{','.join(NINE)}", f"Some,vlm,62,{','.join(['0.5000'] * 9)}"],
    "ratear_prompt_ablation": [
        f"prompt,method,n,{','.join(NINE)}",
        f"contextual,Some,221,{','.join(['0.5000'] * 9)}",
        f"few_shot,Some,221,{','.join(['0.4000'] * 9)}",
    ],
    "ratear_images_ci95": [
        f"method,{','.join(f'{name}_lo,{name}_hi' for name in NINE)}",
        f"Some,{','.join(['0.39,0.59'] * 9)}",
    ],
    "ratear_videos_ci95": [
        f"method,{','.join(f'{name}_lo,{name}_hi' for name in NINE)}",
        f"Some,{','.join(['0.29,0.67'] * 9)}",
    ],
    "ratear_videos_pvalues": [
        "method,factor,metric,p_adjusted,p_raw,n_tests",
        "Some,size,srcc,<.001,<.001,1",
        "Some,size,krcc,.003,.003,1",
    ],
    "psychophysics_intra_model_vr": [
        "scale,model,vr_mean_pct,vr_max_pct,vr_sd_pct",
        "contrast,A,1.27,1.90,0.55",
        "contrast,B,1.27,1.90,0.55",
    ],
    "psychophysics_cross_model_vr": [
        "scale,model_a,model_b,vr_mean_pct,vr_max_pct,vr_sd_pct",
        "contrast,B,A,4.76,4.76,0.00",
    ],
    "psychophysics_correlation": [
        "scale,model,spearman_rho,p_value,n",
        "colorfulness,A,0.86,0.014,7",
        "overall,A,0.77,0.041,7",
    ],
}


def human_scores() -> list[str]:
    """Two scenes of four operators, weighed as published: .16 of contrast, .59 of colourfulness."""
    rest = math.sqrt(1 - 0.16**2 - 0.59**2)
    overall = [0.16 * a + 0.59 * b + rest * c for a, b, c in zip(CONTRAST, COLOUR, REST, strict=True)]
    found = ["scale,scene,tmo,z_digitised"]
    for scale, values in (("contrast", CONTRAST), ("colourfulness", COLOUR), ("overall", overall)):
        for scene in (0, 1):
            found += [
                f"{scale},scene {scene},{'PQRS'[one]},{values[4 * scene + one]:.2f}" for one in range(4)
            ]
        found += [f"{scale},Mean,{'PQRS'[one]},{(values[one] + values[4 + one]) / 2:.2f}" for one in range(4)]
    return found


def write_tables(folder: Path) -> Path:
    """Write all twelve files and return the folder."""
    for name, text in {**TABLES, "psychophysics_human_zscores": human_scores()}.items():
        (folder / f"{name}.csv").write_text("\n".join(text) + "\n", encoding="utf-8")
    return folder


def replace(folder: Path, name: str, old: str, new: str) -> None:
    """Change a file: ``old`` must occur in it."""
    path = folder / f"{name}.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
