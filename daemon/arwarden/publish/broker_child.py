"""The embedded broker's own process: ``python -P broker_child.py TOML_FILE``. Imports nothing of ours.

rumqttd has no way to be stopped, so it gets a process that can be. The process ends when its standard
input closes, that is when the parent ends in whatever way, even by SIGKILL.
"""

from __future__ import annotations

import logging
import os
import sys
import threading

from iotcore import IotCoreBroker


def main() -> None:
    """Serve until standard input closes or a signal comes."""
    logging.basicConfig(level=logging.ERROR)
    # rumqttd logs each routed packet as an error.
    logging.getLogger("rumqttd").setLevel(logging.CRITICAL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    IotCoreBroker(config_path=sys.argv[1]).run_forever()


def _end_with_parent() -> None:
    try:
        sys.stdin.buffer.read()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
