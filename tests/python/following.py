# SPDX-License-Identifier: Apache-2.0
"""Follows the fixes of an audit while the program runs: the calls that copied are made as the fixes say."""

from __future__ import annotations

import contextlib
import dis
import os
import sys

import torch


def _line(file, line, instruction, code):
    """A call of the program: its file, its line, and the instruction there, without the caches behind it."""
    starts = [one.offset for one in dis.get_instructions(code) if one.offset <= instruction]
    return file, line, max(starts, default=instruction)


class Edits:
    """What is done at which call of the program: {(file, line, instruction): edit}."""

    def __init__(self, copies):
        self.wanted = {}
        for copy in copies:
            for place in {copy.inside, copy.place} - {None}:
                self.wanted.setdefault((place.file, place.line), []).append((place.instruction, copy.advice.edit))
        self.done = 0

    def at(self, frame):
        """The edit of the call under way in the frame, or None."""
        while f"{os.sep}tenstride{os.sep}audit{os.sep}" in frame.f_code.co_filename:
            frame = frame.f_back
        code = frame.f_code
        for instruction, edit in self.wanted.get((code.co_filename, frame.f_lineno), ()):
            here = _line(code.co_filename, frame.f_lineno, frame.f_lasti, code)
            if here == _line(code.co_filename, frame.f_lineno, instruction, code):
                self.done += 1
                return edit
        return None


def _expanded(x, args):
    sizes = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    shape = (1,) * (len(sizes) - x.dim()) + tuple(x.shape)
    return x.expand([size * count for size, count in zip(shape, sizes)])


def _sliced(x, axis, index):
    values = index.tolist() if isinstance(index, torch.Tensor) else list(index)
    step = values[1] - values[0] if len(values) > 1 else 1
    stop = values[-1] + 1
    return x[(slice(None),) * axis + (slice(values[0], stop if stop else None, step),)]


def _edited(name, original, edits):
    def call(x, *args, **options):
        edit = edits.at(sys._getframe(1)) if edits.wanted else None
        if edit == "drop":
            return x
        if edit == "expand" and name == "repeat":
            return _expanded(x, args)
        if edit == "slice" and name == "index_select":
            return _sliced(x, args[0], args[1])
        return original(x, *args, **options)

    return call


def _indexed(original, edits):
    def call(x, index):
        edit = edits.at(sys._getframe(1)) if edits.wanted else None
        if edit == "slice":
            parts = index if isinstance(index, tuple) else (index,)
            axis, picked = next((a, one) for a, one in enumerate(parts) if isinstance(one, (list, torch.Tensor)))
            return _sliced(x, axis, picked)
        return original(x, index)

    return call


@contextlib.contextmanager
def followed(copies):
    """While it is open, each call that a fix with an edit stands at is made as the fix says. Gives the Edits."""
    edits = Edits(copies)
    tensor, functional = torch.Tensor, torch.nn.functional
    names = ["contiguous", "clone", "to", "repeat", "index_select", "reshape", "flatten"]
    kept = [(tensor, name, getattr(tensor, name)) for name in names] + [(functional, "pad", functional.pad)]
    getitem = tensor.__getitem__
    try:
        for owner, name, original in kept:
            setattr(owner, name, _edited(name, original, edits))
        tensor.__getitem__ = _indexed(getitem, edits)
        yield edits
    finally:
        for owner, name, original in kept:
            setattr(owner, name, original)
        tensor.__getitem__ = getitem
