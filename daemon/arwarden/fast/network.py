"""How the tier opens its networks on onnxruntime."""

from __future__ import annotations

import onnxruntime

from arwarden.core.errors import ModelError
from arwarden.fast.ocr.base import ModelFile


def open_network(content: bytes, file: ModelFile, threads: int) -> onnxruntime.InferenceSession:
    """A network of the tier on ``threads`` threads.

    Raises:
        ModelError: the bytes are no network that this onnxruntime runs; names the file.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Waiting threads must sleep: spinning ones take the core that decodes the video.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(content, sess_options=options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises pybind types without a public base class
        msg = f"onnxruntime {onnxruntime.__version__} cannot load {file.path}: {error}"
        raise ModelError(msg) from error
