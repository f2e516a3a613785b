"""From findings to alerts: the life cycle. Pure decisions, no asyncio."""
