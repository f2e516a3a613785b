"""arwarden: warns the wearer of an AR headset of virtual content that contradicts itself."""

import os

__version__ = "0.1.0"

# onnxruntime (seen in 1.32) reports its use to its makers: on import it keeps a database with a device id in
# ~/.cache and looks up a collector's address within seconds (1.32: four DNS queries in 15 s), and
# disable_telemetry_events() comes too late. Nothing of a headset's monitor is to leave the machine, so it is
# off before anything can import it. Delete when a bare import writes nothing:
# tests/unit/test_silence.py fails then.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
