"""The reasoning as a graph, elements → claims → comparisons: SVG in a page of its own, and Graphviz dot."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from html import escape

from arwarden.explain.reasoning import Reasoning, Relation
from arwarden.explain.words import heading, tree, verdict

COLUMN_PX, GAP_PX, LINE_PX, PAD_PX = 300, 110, 17, 9
LETTERS = 44
"""A line of a node holds so many."""
_CLASSES = {True: "alarm", False: "doubt"}
_STYLE = """
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; color: #1b1b20;
    background: #fff; padding: 0 1rem; }
  h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin-top: 2rem }
  img { max-width: 100%; border: 1px solid #ccc }
  pre { background: #f4f4f6; padding: 1rem; overflow-x: auto; font-size: 13px }
  svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif }
  rect { fill: #f4f6fa; stroke: #8a93a6 } path { fill: none; stroke: #b4bac6; stroke-width: 1.5 }
  .alarm rect { fill: #ffe1e1; stroke: #c81414 } path.alarm { stroke: #c81414; stroke-width: 2.5 }
  .doubt rect { fill: #fff3cf; stroke: #b98600 } path.doubt { stroke: #b98600; stroke-width: 2 }
"""


@dataclass(slots=True)
class _Node:
    lines: list[str]
    kind: str = ""
    """``alarm`` or ``doubt`` for what is in a contradiction."""
    top: int = 0

    @property
    def height_px(self) -> int:
        return LINE_PX * len(self.lines) + 2 * PAD_PX

    @property
    def middle_px(self) -> float:
        return self.top + self.height_px / 2


@dataclass(slots=True)
class _Edge:
    column: int
    """Of the node it starts from."""
    start: int
    end: int
    kind: str = ""


@dataclass(slots=True)
class _Graph:
    columns: tuple[list[_Node], list[_Node], list[_Node]] = field(default_factory=lambda: ([], [], []))
    edges: list[_Edge] = field(default_factory=list)


def page(reasoning: Reasoning, title: str, picture_png: bytes) -> str:
    """One HTML file with everything in it: the annotated picture, the graph, and the tree as text."""
    data = base64.b64encode(picture_png).decode("ascii")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body><h1>{escape(title)}: {escape(verdict(reasoning))}</h1>
<img alt="The picture with what was found in it" src="data:image/png;base64,{data}">
<h2>From elements to claims to comparisons</h2>
{svg(reasoning)}
<h2>The same in words</h2>
<pre>{escape(tree(reasoning))}</pre>
</body></html>
"""


def svg(reasoning: Reasoning) -> str:
    """The graph as an SVG element: elements to the left, claims in the middle, comparisons to the right."""
    graph = _graph(reasoning)
    for nodes in graph.columns:
        top = PAD_PX
        for node in nodes:
            node.top = top
            top += node.height_px + PAD_PX
    width = 3 * COLUMN_PX + 2 * GAP_PX + 2
    height = (
        max((nodes[-1].top + nodes[-1].height_px for nodes in graph.columns if nodes), default=0) + PAD_PX
    )
    parts = [_path(graph, edge) for edge in sorted(graph.edges, key=lambda edge: bool(edge.kind))]
    parts += [
        _box(node, column * (COLUMN_PX + GAP_PX) + 1)
        for column, nodes in enumerate(graph.columns)
        for node in nodes
    ]
    body = "\n".join(parts)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
    return f"{head}\n{body}\n</svg>"


def dot(reasoning: Reasoning) -> str:
    """The graph for Graphviz: ``dot -Tsvg FILE.dot``."""
    graph = _graph(reasoning)
    colours = {
        "alarm": ' color="#c81414" fillcolor="#ffe1e1"',
        "doubt": ' color="#b98600" fillcolor="#fff3cf"',
    }
    lines = [
        "digraph reasoning {",
        "  rankdir=LR;",
        '  node [shape=box style="rounded,filled" fillcolor="#f4f6fa"];',
    ]
    for column, nodes in enumerate(graph.columns):
        for place, node in enumerate(nodes):
            label = "\\n".join(_quoted(line) for line in node.lines)
            lines.append(f'  n{column}_{place} [label="{label}"{colours.get(node.kind, "")}];')
    for edge in graph.edges:
        colour = ' [color="#c81414" penwidth=2]' if edge.kind == "alarm" else ""
        lines.append(f"  n{edge.column}_{edge.start} -> n{edge.column + 1}_{edge.end}{colour};")
    return "\n".join([*lines, "}", ""])


def _graph(reasoning: Reasoning) -> _Graph:
    graph = _Graph()
    elements, claims, comparisons = graph.columns
    # Of every element the claims that were compared with something; the tree lists all of them.
    used = {
        (place, id(claim)): claim
        for one in reasoning.relations
        for place, claim in zip(one.elements, one.claims, strict=True)
    }
    places: dict[tuple[int, str], int] = {}
    for number, element in enumerate(reasoning.elements):
        elements.append(_Node(_broken(f"{number + 1} {heading(element)}")))
        for (owner, _), claim in used.items():
            key = (owner, claim.describe())
            if owner == number and key not in places:
                places[key] = len(claims)
                claims.append(_Node(_broken(claim.describe())))
                graph.edges.append(_Edge(0, number, places[key]))
    for relation in reasoning.relations:
        kind = _CLASSES[relation.alerting] if relation.contradictory else ""
        for owner, claim in zip(relation.elements, relation.claims, strict=True):
            claim_place = places[owner, claim.describe()]
            graph.edges.append(_Edge(1, claim_place, len(comparisons), kind))
            if kind:
                elements[owner].kind = claims[claim_place].kind = _graver(kind, claims[claim_place].kind)
        comparisons.append(_Node(_comparison(relation), kind))
    return graph


def _graver(one: str, other: str) -> str:
    return "alarm" if "alarm" in (one, other) else one


def _comparison(relation: Relation) -> list[str]:
    first, second = (number + 1 for number in relation.elements)
    head = f"{first} ↔ {second} on {relation.attribute}"
    if not relation.contradictory:
        return [*_broken(head), *_broken(relation.why)]
    sure = f"CONTRADICTION, confidence {relation.confidence:.2f}"
    return [
        *_broken(head),
        *_broken(sure if relation.alerting else f"{sure}: not sure enough"),
        *_broken(relation.why),
    ]


def _broken(text: str) -> list[str]:
    """Lines of a node; a long word is cut."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LETTERS:
            lines.append(word[:LETTERS])
        else:
            lines[-1] = f"{lines[-1]} {word[:LETTERS]}".strip()
    return lines


def _box(node: _Node, left: int) -> str:
    first = node.top + PAD_PX + 0.75 * LINE_PX
    text = "".join(
        f'<text x="{left + PAD_PX}" y="{first + LINE_PX * place:.0f}">{escape(line)}</text>'
        for place, line in enumerate(node.lines)
    )
    box = f'<rect x="{left}" y="{node.top}" width="{COLUMN_PX}" height="{node.height_px}" rx="7"/>'
    return f'<g class="{node.kind}">{box}{text}</g>'


def _path(graph: _Graph, edge: _Edge) -> str:
    left = edge.column * (COLUMN_PX + GAP_PX) + COLUMN_PX + 1
    start = graph.columns[edge.column][edge.start].middle_px
    end = graph.columns[edge.column + 1][edge.end].middle_px
    bend = left + GAP_PX / 2
    return (
        f'<path class="{edge.kind}" d="M{left} {start:.0f} C{bend:.0f} {start:.0f} {bend:.0f} {end:.0f} '
        f'{left + GAP_PX} {end:.0f}"/>'
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
