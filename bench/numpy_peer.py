#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The NumPy process of tenstride-bench: it copies on request and answers with the seconds.

Each request is a line of JSON, and so is each answer. `tenstride-bench` starts the process and times it in the same
rounds as the other contenders. The process has its own memory, on huge pages like theirs.
"""

import json
import mmap
import sys
import time

import numpy as np

try:
    import einops
except ImportError:
    einops = None

TYPES = {
    "bool": np.bool_, "uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16,
    "uint32": np.uint32, "int32": np.int32, "uint64": np.uint64, "int64": np.int64, "float16": np.float16,
    "float32": np.float32, "float64": np.float64, "complex64": np.complex64, "complex128": np.complex128,
}
# Elements of types that NumPy does not have are moved as another type of their size.
MOVED_AS = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
HUGE_PAGE = 2 << 20
CHUNK = 1 << 22


class Arena:
    """Memory on huge pages, written once and reused."""

    def __init__(self):
        self.bytes = np.empty(0, np.uint8)

    def require(self, count):
        if self.bytes.size >= count:
            return False
        size = (count + 2 * HUGE_PAGE) // HUGE_PAGE * HUGE_PAGE
        memory = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        whole = np.frombuffer(memory, np.uint8)
        start = -whole.ctypes.data % HUGE_PAGE
        self.bytes = whole[start:start + size]
        self.bytes.fill(0)
        return True


class Numpy:
    def __init__(self):
        self.source = Arena()
        self.destination = Arena()
        self.filled = None
        self.call = None
        self.result = None

    def fill(self, stored, count, mask):
        """The same pattern as the bench's own arenas hold (bench/arena.hpp)."""
        self.source.require(count * stored.itemsize)
        key = (stored, mask)
        if self.filled is not None and self.filled[0] == key and self.filled[1] >= count:
            return
        flat = self.source.bytes[:count * stored.itemsize].view(stored)
        for begin in range(0, count, CHUNK):
            position = np.arange(begin, min(begin + CHUNK, count), dtype=np.uint64)
            value = ((position * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) & np.uint64(mask)).astype(np.uint32)
            if stored.kind == "c":
                part = flat.real.dtype
                flat.real[begin:begin + CHUNK] = value.astype(part)
                flat.imag[begin:begin + CHUNK] = (value ^ np.uint32(mask & 5)).astype(part)
            else:
                flat[begin:begin + CHUNK] = value.astype(stored)
        self.filled = (key, count)

    def view(self, stored, layout):
        """Elements of the source; offset and strides count elements."""
        return np.ndarray(tuple(layout["shape"]), stored, self.source.bytes, layout["offset"] * stored.itemsize,
                          tuple(stride * stored.itemsize for stride in layout["strides"]))

    def prepare(self, case):
        src, dst = case["src_type"], case["dst_type"]
        moves = src == dst and not case["scale"]
        if moves and src in MOVED_AS:
            # The pattern in such a type is the bench's to know; here its bits move.
            stored = result = np.dtype(MOVED_AS[src])
            bits = np.frombuffer(bytes.fromhex(case["bits"]), stored)
        elif src in TYPES and dst in TYPES:
            stored, result, bits = np.dtype(TYPES[src]), np.dtype(TYPES[dst]), None
        else:
            return {"offered": False}
        count = case["source_elements"]
        self.fill(stored, count, case["mask"])
        if bits is not None:
            flat = self.source.bytes[:count * stored.itemsize].view(stored)
            for begin in range(0, count, CHUNK):
                flat[begin:begin + CHUNK] = bits[flat[begin:begin + CHUNK]]
            self.filled = None
        shape = tuple(case["shape"])
        total = int(np.prod(shape, dtype=np.int64))
        self.destination.require(total * result.itemsize)
        self.result = self.destination.bytes[:total * result.itemsize].view(result).reshape(shape)
        view = self.view(stored, case)
        out = self.result
        if case["scale"]:
            along = [1] * len(shape)
            along[case["scale_axis"]] = -1
            scale = np.array(case["scale"], np.float32).reshape(along)
            shift = np.array(case["shift"], np.float32).reshape(along)

            def call():
                np.multiply(view, scale, out=out, casting="unsafe", dtype=np.float32)
                np.add(out, shift, out=out, casting="unsafe", dtype=np.float32)
        else:
            def call():
                np.copyto(out, view, casting="unsafe")
        self.call = call
        return {"offered": True}

    def prepare_chain(self, chain):
        """Steps, or einops' patterns; the result is fresh and row-major."""
        stored = np.dtype(TYPES[chain["type"]])
        shape = tuple(chain["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        self.fill(stored, count, chain["mask"])
        x = self.source.bytes[:count * stored.itemsize].view(stored).reshape(shape)
        steps = [(np.ndarray.transpose if kind == "permute" else np.ndarray.reshape, tuple(dims))
                 for kind, dims in chain["steps"]]
        patterns = chain["patterns"]

        def in_steps():
            y = x
            for step, dims in steps:
                y = step(y, dims)
            return np.ascontiguousarray(y)

        def in_patterns():
            y = x
            for pattern, sizes in patterns:
                y = einops.rearrange(y, pattern, **sizes)
            return np.ascontiguousarray(y)

        self.call = in_patterns if patterns else in_steps
        return {"offered": not patterns or einops is not None}

    def prepare_computation(self, asked):
        """A reduction over axes, or arithmetic with two views; the result is fresh."""
        if asked["type"] not in TYPES:
            return {"offered": False}
        stored = np.dtype(TYPES[asked["type"]])
        self.fill(stored, asked["elements"], asked["mask"])
        views = [self.view(stored, layout) for layout in asked["views"]]
        operation = getattr(np, asked["operation"])
        if len(views) == 2:
            self.call = lambda: operation(*views)
        else:
            # NumPy's sums of uint8 are uint64: the same bytes as the int64 of PyTorch.
            axes, view = tuple(asked["axes"]), views[0]
            self.call = lambda: operation(view, axis=axes)
        return {"offered": True}

    def run(self, calls):
        call = self.call
        begin = time.perf_counter_ns()
        for _ in range(calls):
            made = call()  # frees the result of the call before
        seconds = (time.perf_counter_ns() - begin) * 1e-9
        if made is not None:
            self.result = made
        return {"seconds": seconds}

    def read(self, positions):
        flat = np.reshape(self.result, -1)[np.array(positions, np.int64)]
        return {"bytes": flat.tobytes().hex()}


def main():
    numpy = Numpy()
    print(json.dumps({"version": np.__version__, "einops": einops.__version__ if einops else "absent"}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "case" in request:
            answer = numpy.prepare(request["case"])
        elif "chain" in request:
            answer = numpy.prepare_chain(request["chain"])
        elif "compute" in request:
            answer = numpy.prepare_computation(request["compute"])
        elif "run" in request:
            answer = numpy.run(request["run"])
        else:
            answer = numpy.read(request["read"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
