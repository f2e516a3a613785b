"""Which frames are worth looking at. Pure decisions, no asyncio."""
