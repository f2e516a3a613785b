"""``python -m arwarden`` is ``arwarden``."""

from arwarden.cli import main

main()
