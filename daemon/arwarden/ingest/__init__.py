"""Headset streams in: WHIP, peer connections, clocks, transport health, frames."""
