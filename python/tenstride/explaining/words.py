# SPDX-License-Identifier: Apache-2.0
"""PyTorch's words for refusals that tenstride words in its own way: what a reader searches for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Callable

from .rule_tools import text

_Sizes = Sequence[int]


def _numbers(said: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", said)]


def _view(found: re.Match[str], _: list[_Sizes]) -> str:
    return f"shape '{text(_numbers(found['sizes']))}' is invalid for input of size {found['count']}"


def _axis(found: re.Match[str], _: list[_Sizes]) -> str:
    lowest, highest, given = found["lowest"], found["highest"], found["given"]
    return f"Dimension out of range (expected to be in range of [{lowest}, {highest}], but got {given})"


def _index(found: re.Match[str], shapes: list[_Sizes]) -> str:
    axis = int(found["axis"])
    size = f" with size {shapes[0][axis]}" if shapes and axis < len(shapes[0]) else ""
    return f"index {found['given']} is out of bounds for dimension {axis}{size}"


def _broadcast(found: re.Match[str], _: list[_Sizes]) -> str:
    a, b = _numbers(found["a"]), _numbers(found["b"])
    axis = int(found["axis"])
    place = max(len(a), len(b)) + axis
    return (
        f"The size of tensor a ({a[axis]}) must match the size of tensor b ({b[axis]}) at non-singleton dimension "
        f"{place}"
    )


def _expand(found: re.Match[str], _: list[_Sizes]) -> str:
    return (
        f"The expanded size of the tensor ({found['wanted']}) must match the existing size ({found['have']}) at "
        f"non-singleton dimension {found['place']}.  Target sizes: {text(_numbers(found['to']))}.  Tensor sizes: "
        f"{text(_numbers(found['of']))}"
    )


def _cat(found: re.Match[str], _: list[_Sizes]) -> str:
    other, first = _numbers(found["other"]), _numbers(found["first"])
    axis = int(found["differs"])
    return (
        f"Sizes of tensors must match except in dimension {found['axis']}. Expected size {first[axis]} but got size "
        f"{other[axis]} for tensor number {found['number']} in the list."
    )


def _t(found: re.Match[str], _: list[_Sizes]) -> str:
    return f"t() expects a tensor with <= 2 dimensions, but self is {found['rank']}D"


def _stack(found: re.Match[str], _: list[_Sizes]) -> str:
    first, other = text(_numbers(found["first"])), text(_numbers(found["other"]))
    return (
        f"stack expects each tensor to be equal size, but got {first} at entry 0 and {other} at entry {found['number']}"
    )


def _overlap(found: re.Match[str], _: list[_Sizes]) -> str:
    return (
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation."
    )


_S = r"\([-\d,]*\)"
_WORDS: list[tuple[str, Callable[[re.Match[str], list[_Sizes]], str]]] = [
    (rf"\w+: sizes (?P<sizes>{_S}) make \d+ elements and must make the tensor's (?P<count>\d+)", _view),
    (rf"\w+: sizes (?P<sizes>{_S}) must divide the tensor's (?P<count>\d+) elements", _view),
    (r"\w+: axis (?P<given>-?\d+) must lie in \[(?P<lowest>-?\d+),(?P<highest>-?\d+)\]", _axis),
    (r"\w+: index (?P<given>-?\d+) must lie in \[-?\d+,-?\d+\] on axis (?P<axis>\d+)", _index),
    (rf"broadcast_shapes: shapes (?P<a>{_S}) and (?P<b>{_S}) must .* axis (?P<axis>-\d+) differs", _broadcast),
    (
        rf"expand: size (?P<wanted>\d+) at position (?P<place>\d+) must be (?P<have>\d+), .*"
        rf"\(shape (?P<of>{_S}) to (?P<to>{_S})\)",
        _expand,
    ),
    (
        rf"cat: tensor (?P<number>\d+) of shape (?P<other>{_S}) must agree with tensor 0 of shape (?P<first>{_S}) in "
        r"every axis but (?P<axis>\d+); axis (?P<differs>\d+) differs",
        _cat,
    ),
    (
        rf"stack: tensor (?P<number>\d+) of shape (?P<other>{_S}) must have the shape of tensor 0, (?P<first>{_S})",
        _stack,
    ),
    (r"t: the tensor has (?P<rank>\d+) axes", _t),
    (r"\w+: the destination must not have several elements in one place", _overlap),
]


def of_pytorch(message: str, shapes: list[_Sizes]) -> str | None:
    """The first line of PyTorch's error; None where tenstride's is PyTorch's, or none is known.

    >>> of_pytorch("view: sizes (5) make 5 elements and must make the tensor's 6 (shape (2,3))", [(2, 3)])
    "shape '[5]' is invalid for input of size 6"
    """
    for pattern, words in _WORDS:
        found = re.match(pattern, message)
        if found is not None:
            return words(found, shapes)
    return None
