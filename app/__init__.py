"""Composition roots: each process of EXAIM Voice is put together and started here.

onnxruntime reports its use to its maker, and writes a device's id to do so, from its import on. Every process
of ours comes by this package first, and hands the variable to its children.
"""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
