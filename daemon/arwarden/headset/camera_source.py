"""A webcam as a source: the newest picture wins, a slow reader never sees an old one."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

import cv2
import numpy as np

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import PictureSize, letterboxed

FIRST_PICTURE_TIMEOUT_S = 5.0
LOST_AFTER_S = 3.0
_SPEC = re.compile(r"camera(?::(\d{1,2}))?")


class CameraSource:
    """Reads a camera in a thread of its own and keeps the newest picture."""

    def __init__(self, what: str, size: PictureSize) -> None:
        match = _SPEC.fullmatch(what)
        if match is None:
            raise InputError(what, "a camera is named camera, or camera:N for the camera number N")
        index = int(match[1] or 0)
        if is_missing(index):
            reason = f"there is no camera /dev/video{index}; connect one, or name another source"
            raise InputError(what, reason)
        self.name = what
        self._size = size
        self._capture = cv2.VideoCapture(index)
        self._newest: ByteImage | None = None
        self._arrived = threading.Condition()
        self._closing = False
        if not self._capture.isOpened():
            raise InputError(what, "the camera cannot be opened; another program may be using it")
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size.width_px)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size.height_px)
        self._thread = threading.Thread(target=self._grab, name="camera", daemon=True)
        self._thread.start()

    def read(self, t_s: float) -> ByteImage | None:  # noqa: ARG002 - a camera only knows now
        """The newest picture; waits for one where the last was already taken."""
        with self._arrived:
            arrived = self._arrived.wait_for(
                lambda: self._newest is not None or self._closing, timeout=FIRST_PICTURE_TIMEOUT_S
            )
            newest, self._newest = self._newest, None
        if newest is None:
            reason = "the camera sends no picture any more" if arrived else "the camera sends no picture"
            raise InputError(self.name, reason)
        rgb = np.asarray(cv2.cvtColor(newest, cv2.COLOR_BGR2RGB), dtype=np.uint8)
        return letterboxed(rgb, self._size)

    def close(self) -> None:
        """Stop the thread and free the device."""
        with self._arrived:
            self._closing = True
            self._arrived.notify_all()
        self._thread.join(timeout=LOST_AFTER_S)
        self._capture.release()

    def _grab(self) -> None:
        while not self._closing:
            ok, bgr = self._capture.read()
            with self._arrived:
                if ok:
                    self._newest = np.asarray(bgr, dtype=np.uint8)
                else:
                    self._closing = True
                self._arrived.notify_all()


def is_missing(index: int) -> bool:
    """Whether the system has no such camera, where that can be known beforehand.

    Asking OpenCV for a device that is not there prints a page of its own errors.
    """
    return sys.platform == "linux" and not Path(f"/dev/video{index}").exists()
