"""The slow tier: vision-language models that give a second opinion, in process or behind an endpoint."""
