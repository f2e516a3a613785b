from __future__ import annotations

import av
import numpy as np

from arwarden.config import SamplingConfig
from arwarden.core.frame import ByteImage
from arwarden.sampling.gate import compare, glance
from tests.support.requirements import shared_file
from tests.unit.sampling.scenes import luma_of, noisy, through_codec, with_panel

THRESHOLD = SamplingConfig().change_threshold


def real_view() -> ByteImage:
    with av.open(str(shared_file("data/contrar/smart_retail_contradictory.mp4"))) as source:
        for index, decoded in enumerate(source.decode(video=0)):
            if index == 60:
                return luma_of(decoded).copy()
    msg = "the recording has fewer than 61 pictures"
    raise AssertionError(msg)


def test_in_a_real_view_noise_is_skipped_and_small_text_noticed() -> None:
    view, rng = real_view(), np.random.default_rng(3)
    panelled = with_panel(view, "France", (760, 60, 60, 20))
    planes = [noisy(view, 4.0, rng) for _ in range(18)] + [noisy(panelled, 4.0, rng) for _ in range(4)]
    seen = [glance(plane) for plane in through_codec(planes, kbps=2500)]
    skipped = [not compare(seen[10], later, THRESHOLD).changed for later in seen[11:18]]
    assert sum(skipped) >= 6
    assert compare(seen[10], seen[-1], THRESHOLD).changed
