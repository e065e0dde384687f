"""A model whose weights are stored in eight bits, rewritten so that it also computes with them in eight bits.

As it is packaged, each weight is a pair of `Cast` and `Mul` before a `MatMul` or a `Gather`. onnxruntime works those
out when it loads, and then holds and multiplies 32 bits: 97 MB and 8.8 ms for a text of 22 tokens in the place of 33 MB
and 5.7 ms. What is rewritten gives nearly the same vectors (docs/decisions/085-answers-by-meaning.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import onnx
from onnx.helper import make_node

_FLOAT: Final = int(onnx.TensorProto.FLOAT)
Weights = Mapping[str, tuple[str, str]]  # by the name of a weight in 32 bits: its eight bits, and their scale


def rewrite(path: Path, to: Path) -> None:
    """Write the model of a file to another, rewritten. Raises: OSError."""
    model = onnx.load(str(path))
    graph = model.graph
    weights = _weights(graph.node)
    quantized: set[str] = set()
    nodes = [new for node in graph.node for new in _rewritten(node, weights, quantized)]
    kept = _used(nodes, {each.name for each in graph.output})
    needed = {name for node in kept for name in node.input}
    constants = [each for each in graph.initializer if each.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(kept)
    graph.initializer.extend(constants)
    onnx.save(model, str(to))


def _weights(nodes: Any) -> Weights:
    casts = {node.output[0]: node.input[0] for node in nodes if node.op_type == "Cast"}
    scaled = [node for node in nodes if node.op_type == "Mul" and node.input[0] in casts]
    return {node.output[0]: (casts[node.input[0]], node.input[1]) for node in scaled}


def _rewritten(node: Any, weights: Weights, quantized: set[str]) -> Iterator[Any]:
    """Give what takes a node's place; `quantized` are the inputs that were brought to eight bits before."""
    out = node.output[0]
    if node.op_type == "Gather" and node.input[0] in weights:
        stored, scale = weights[node.input[0]]
        yield make_node("Gather", [stored, node.input[1]], [f"{out}/stored"])
        yield make_node("Cast", [f"{out}/stored"], [f"{out}/float"], to=_FLOAT)
        yield make_node("Gather", [scale, node.input[1]], [f"{out}/scale"])
        yield make_node("Mul", [f"{out}/float", f"{out}/scale"], [out])
    elif node.op_type == "MatMul" and node.input[1] in weights:
        stored, scale = weights[node.input[1]]
        given = node.input[0]
        parts = [f"{given}/whole", f"{given}/step", f"{given}/zero"]
        if given not in quantized:
            quantized.add(given)
            yield make_node("DynamicQuantizeLinear", [given], parts)
        yield make_node("MatMulInteger", [parts[0], stored, parts[2]], [f"{out}/product"])
        yield make_node("Cast", [f"{out}/product"], [f"{out}/float"], to=_FLOAT)
        yield make_node("Mul", [parts[1], scale], [f"{out}/scale"])
        yield make_node("Mul", [f"{out}/float", f"{out}/scale"], [out])
    else:
        yield node


def _used(nodes: list[Any], outputs: set[str]) -> list[Any]:
    """Return the nodes that an output needs; they stand in the order in which they are computed."""
    needed = set(outputs)
    kept = []
    for node in reversed(nodes):
        if not needed.isdisjoint(node.output):
            needed.update(node.input)
            kept.append(node)
    return kept[::-1]
