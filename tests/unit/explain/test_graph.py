from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

from arwarden.explain.graph import dot, page, svg
from tests.unit.explain.scenes import FRANCE, ITALY, explained, said

SVG = "{http://www.w3.org/2000/svg}"


def test_the_graph_has_a_node_for_each_element_claim_and_comparison() -> None:
    root = ET.fromstring(svg(explained(FRANCE, ITALY)))  # noqa: S314 - our own output
    nodes = root.findall(f"{SVG}g")
    text = ["".join(node.itertext()) for node in nodes]
    assert sum("text “Made in" in one for one in text) == 2
    assert "origin = France" in text
    assert sum("CONTRADICTION" in one for one in text) >= 1
    assert any(node.get("class") == "alarm" for node in nodes)
    assert {edge.get("class") for edge in root.findall(f"{SVG}path")} >= {"alarm"}


def test_nodes_lie_within_the_drawing_and_do_not_overlap() -> None:
    elements = [
        said(f"Door {number} is {'locked' if number % 2 else 'unlocked'}", 0, 0) for number in range(12)
    ]
    root = ET.fromstring(svg(explained(*elements)))  # noqa: S314 - our own output
    _, _, width, height = (float(part) for part in str(root.get("viewBox")).split())
    boxes = [
        (
            float(str(r.get("x"))),
            float(str(r.get("y"))),
            float(str(r.get("width"))),
            float(str(r.get("height"))),
        )
        for r in root.iter(f"{SVG}rect")
    ]
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)
    for column in {x for x, *_ in boxes}:
        spans = sorted((y, y + h) for x, y, _, h in boxes if x == column)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_what_the_picture_says_is_never_markup() -> None:
    hostile = said('<script>alert("x")</script> & made in France', 0, 0)
    html = page(explained(hostile, ITALY), "<b>name</b>", b"png")
    assert "<script" not in html
    assert "<b>" not in html
    ET.fromstring(svg(explained(hostile, ITALY)))  # noqa: S314 - our own output


def test_dot_is_quoted_and_joins_the_same_nodes() -> None:
    text = dot(explained(said('Made in "France" \\ here', 0, 0), ITALY))
    assert text.startswith("digraph reasoning {")
    assert '\\"France\\"' in text
    assert "n0_0 -> n1_0" in text
    assert text.rstrip().endswith("}")


def test_a_picture_of_nothing_has_a_graph() -> None:
    assert "<svg" in svg(explained())
    assert "digraph" in dot(explained())
