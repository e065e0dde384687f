"""Piper's network in three pieces, so that the first sound need not wait for the last.

The *front* turns phonemes into lengths and a row of frames of 256 samples at 22 kHz; the *flow* reworks
the frames and the *decoder* makes sound of them. The last two look at no more than some frames to each
side, so a stretch that is made with those beside it is the same as in the whole.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]  # ships no types
from numpy.typing import NDArray

log = logging.getLogger("tts_queue.piper")

FRAME: Final = 256  # samples
# Measured on the default voice: with 10 frames to each side the decoder's sound differs from the whole's
# by 3e-7 of full level, with 24 the flow's frames by 1e-5 where they reach 40.
_DECODER_SIDE: Final = 10
_FLOW_SIDE: Final = 24
# The flow is made for so many frames at once, but for a sentence's first stretch, which is waited for: made
# anew with both sides for each stretch it took a quarter of all the work, and half of that was sides.
_FLOW_AHEAD: Final = 240
_INPUTS: Final = ("input", "input_lengths", "scales")
_PRIOR: Final = "/Add_output_0"
_MASK: Final = "/Cast_2_output_0"
_FLOWED: Final = "/Mul_7_output_0"
_SOUND: Final = "output"
_OVER_ONE: Final = 3  # dimensions of the weights of a convolution over one: out, in, kernel
_HEIGHT: Final = "/height"  # the name of the axis that `flat` adds

Sound = NDArray[np.float32]


@dataclass(slots=True, eq=False)
class Flowed:
    """The frames of a sentence that went through the flow last: from `low` to before `high`."""

    row: NDArray[np.float32] = field(default_factory=lambda: np.zeros((1, 0, 0), np.float32))
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class FrontSentence:
    """What the front made of one sentence: frames by phoneme id, and what the rest of the way needs."""

    widths: tuple[int, ...]
    frames: int
    state: NDArray[np.float32]  # the row of frames; the sound itself if the network could not be cut
    flowed: Flowed = field(default_factory=Flowed)


class Network:
    """The three pieces, or the whole where a model has other names inside. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Load the model; takes seconds."""
        model = onnx.load(str(path))
        (widths,) = {name for node in model.graph.node if node.op_type == "Ceil" for name in node.output}
        made = {name for node in model.graph.node for name in node.output}
        self.in_parts = {_PRIOR, _MASK, _FLOWED} <= made
        if self.in_parts:
            self._front = _session(_cut(model, _INPUTS, (_PRIOR, widths)), many=True)
            self._flow = _session(flat(_cut(model, (_PRIOR, _MASK), (_FLOWED,))))
            self._decoder = _session(flat(_cut(model, (_FLOWED,), (_SOUND,))))
        else:
            log.warning("the voice's network has other names inside: clips come late, as a whole")
            self._front = _session(_cut(model, _INPUTS, (_SOUND, widths)))

    def sentence(self, ids: Sequence[int], scales: Sequence[float]) -> FrontSentence:
        """Return what is to be decoded for phoneme ids; `scales`: noise, length, noise of lengths."""
        given = (np.array([ids], np.int64), np.array([len(ids)], np.int64), np.array(scales, np.float32))
        state, widths = self._front.run(None, dict(zip(_INPUTS, given, strict=True)))
        each = tuple(int(width) for width in widths.ravel())
        return FrontSentence(each, sum(each), state)

    def sound(self, sentence: FrontSentence, first: int, end: int) -> Sound:
        """Return the sound of the frames from `first` to before `end` at 22 kHz, at its own level."""
        if not self.in_parts:
            whole: Sound = sentence.state.reshape(-1)[first * FRAME : end * FRAME]
            return whole
        low, high = max(0, first - _DECODER_SIDE), min(sentence.frames, end + _DECODER_SIDE)
        flowed = sentence.flowed
        if not (flowed.low <= low and high <= flowed.high):
            self._let_flow(sentence, low, high)
        row = flowed.row[:, :, low - flowed.low : high - flowed.low]
        (made,) = self._decoder.run(None, {_FLOWED: row})
        sound: Sound = made.reshape(-1)[(first - low) * FRAME : (end - low) * FRAME]
        return sound

    def _let_flow(self, sentence: FrontSentence, low: int, high: int) -> None:
        """Run the flow for frames `low` to before `high`, and ahead unless it is a first, short stretch."""
        flowed = sentence.flowed
        if flowed.high or high - low > _FLOW_AHEAD // 3:
            high = min(sentence.frames, max(high, low + _FLOW_AHEAD))
        start, end = max(0, low - _FLOW_SIDE), min(sentence.frames, high + _FLOW_SIDE)
        mask = np.ones((1, 1, end - start), np.float32)
        (row,) = self._flow.run(None, {_PRIOR: sentence.state[:, :, start:end], _MASK: mask})
        flowed.row, flowed.low, flowed.high = row[:, :, low - start : high - start], low, high


def _cut(model: onnx.ModelProto, inputs: Sequence[str], outputs: Sequence[str]) -> onnx.ModelProto:
    """Return the part of a model that makes `outputs` of `inputs`."""
    maker = {name: node for node in model.graph.node for name in node.output}
    needed: set[int] = set()
    known, open_names = set(inputs), list(outputs)
    while open_names:
        name = open_names.pop()
        if name not in known and name in maker:
            needed.add(id(maker[name]))
            open_names += maker[name].input
        known.add(name)
    typed = {value.name: value for value in model.graph.input}
    nodes = [node for node in model.graph.node if id(node) in needed]
    used = {name for node in nodes for name in node.input}
    graph = onnx.helper.make_graph(
        nodes,
        "part",
        [typed.get(name) or _floats(name) for name in inputs if name in used],
        [_floats(name) for name in outputs],
        [weights for weights in model.graph.initializer if weights.name in used],
    )
    return onnx.helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def flat(model: onnx.ModelProto) -> onnx.ModelProto:
    """Make each convolution over one dimension one over two, of which the first is 1; return the model.

    It computes the same; onnxruntime's kernels in blocks of channels (NCHWc) are for two dimensions alone.
    """
    graph = model.graph
    weights = {each.name: each for each in graph.initializer}
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        one_dimension = node.op_type == "Conv" and len(weights[node.input[1]].dims) == _OVER_ONE
        nodes += _widened(node) if one_dimension else [node]
    for name in {node.input[1] for node in nodes if node.op_type == "Conv"}:
        if len(weights[name].dims) == _OVER_ONE:
            weights[name].dims.insert(2, 1)
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.append(onnx.numpy_helper.from_array(np.array([2], np.int64), _HEIGHT))
    return model


def _widened(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Return a 1-D convolution as a 2-D one, between nodes that add and drop the second dimension."""
    (given, *constants), (made,) = node.input, node.output
    conv = onnx.helper.make_node("Conv", [f"{made}/wide", *constants], [f"{made}/high"], name=node.name)
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        match attribute.name:
            case "dilations" | "strides" | "kernel_shape":
                value = [1, *value]
            case "pads":
                value = [0, value[0], 0, value[1]]
        conv.attribute.append(onnx.helper.make_attribute(attribute.name, value))
    return [
        onnx.helper.make_node("Unsqueeze", [given, _HEIGHT], [f"{made}/wide"]),
        conv,
        onnx.helper.make_node("Squeeze", [f"{made}/high", _HEIGHT], [made]),
    ]


def _floats(name: str) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)


def _session(model: onnx.ModelProto, *, many: bool = False) -> Any:
    """`many`: its nodes are many and their results small; planning which may share memory took 1.5 s."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_reuse = not many
    options.enable_mem_pattern = False  # no two texts have the same shape: 10 % less time without
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:  # of bytes it would keep a copy: 60 MB in all
        file.write(model.SerializeToString())
        file.flush()
        return onnxruntime.InferenceSession(
            file.name, sess_options=options, providers=["CPUExecutionProvider"]
        )
