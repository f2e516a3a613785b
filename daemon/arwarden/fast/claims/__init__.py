"""Claims and contradictions: what texts say about the world, and which of them cannot both be true."""

from arwarden.fast.claims.contradictions import find_contradictions
from arwarden.fast.claims.elements import ElementReader, Picture
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.pairs import PairJudge, PairRelation, PairVerdict
from arwarden.fast.claims.reader import ClaimReader

__all__ = [
    "ClaimReader",
    "ElementReader",
    "Lexicon",
    "PairJudge",
    "PairRelation",
    "PairVerdict",
    "Picture",
    "find_contradictions",
]
