# SPDX-License-Identifier: Apache-2.0
"""Attention written out as products, and what ``scaled_dot_product_attention`` would copy in its place.

Splitting and joining heads is where models of language and vision copy most, and no other order of the same lines
avoids it: the batched product takes matrices with one stride between them. The fused kernel takes the heads as they
lie. Whether it does is tried on the kernel itself, with the recorded strides, few rows and a batch of two.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.utils._python_dispatch import TorchDispatchMode  # type: ignore[import-not-found,unused-ignore]

from .fixes import Fix
from .layouts import Layout
from .torch_kernels import copied_inside
from .torch_names import words
from .torch_schema import schema_of
from .torch_tape import Operand, Tape

_NEAR = 96  # calls before and behind a copy that are looked through
_ROWS = 64  # of the sequences that are tried
_BETWEEN = words(
    "mul div add sub masked_fill where _to_copy native_dropout dropout clone maximum minimum clamp "
    "mul_ div_ add_ sub_ masked_fill_"
)
"""What may be done to scores between the product and its softmax, and to weights behind it."""

_attend: Any = getattr(torch.nn.functional, "scaled_dot_product_attention", None)


class _Attention(NamedTuple):
    """Operands as the program had them: queries, keys and values of (batch, heads, time, width)."""

    query: Operand
    key: Operand
    value: Operand
    first: int
    last: int
    is_fused: bool


def attention_fix(tape: Tape, at: int) -> Fix | None:
    """The fix of a copy that belongs to an attention: heads brought in order for a product, repeated, or joined."""
    call = tape.calls[at]
    if call.copy is None or _attend is None:
        return None
    found = _attention_of(tape, at)
    if found is None:
        return None
    key, value = _unrepeated(tape, found.key), _unrepeated(tape, found.value)
    is_grouped = key.layout.shape[1] != found.query.layout.shape[1]
    result = _tried(found.query, key, value, is_grouped) if is_grouped or not found.is_fused else None
    if result is None and is_grouped:
        if call.copy.target is not None and 0 in call.operands()[0].layout.strides:
            return Fix("stays: scaled_dot_product_attention(…, enable_gqa=True) copies them inside on the CPU (tried)")
        is_grouped = False
        result = None if found.is_fused else _tried(found.query, found.key, found.value, False)
    if result is None or (at > found.last and not result.transpose(1, 2).is_contiguous()):
        return None
    options = ", enable_gqa=True" if is_grouped else ""
    what = "repeat no heads" if found.is_fused else "softmax(q @ k.mT) @ v is one call (attn_mask=, scale=)"
    joins = " and gives heads that join without a copy" if at > found.last else ""
    kernel = "its kernel was tried" if call.copy.dst_device in (None, "cpu") else "tried with the CPU's kernel"
    text = f"{what}: F.scaled_dot_product_attention(q, k, v{options}) takes these strides{joins} ({kernel})"
    return Fix(text, call.copy.bytes_written)


def _attention_of(tape: Tape, at: int) -> _Attention | None:
    """The attention that the copy prepares, or whose result it brings in order."""
    call = tape.calls[at]
    result = call.results[0].storage if call.results else -1
    source = call.operands()[0].storage
    for place in range(max(0, at - _NEAR), min(len(tape.calls), at + _NEAR)):
        name = tape.calls[place].schema.name
        found = None
        if name in ("_softmax", "_safe_softmax"):
            found = _written_out(tape, place)
        elif name.startswith("_scaled_dot_product") and at < place:
            found = _fused(tape, place)
        if found is None:
            continue
        ends = [one.storage for one in tape.calls[found.last].results]
        if at > found.last and source in ends and len(call.operands()[0].layout.shape) == 4:
            return found
        inner = {one.storage for at_ in (found.first, found.last) for one in tape.calls[at_].operands()}
        if at < found.last and result in inner:
            return found
    return None


def _fused(tape: Tape, at: int) -> _Attention | None:
    operands = tape.calls[at].operands()[:3]
    if len(operands) < 3 or any(len(one.layout.shape) != 4 for one in operands):
        return None
    return _Attention(*operands, at, at, True)


def _written_out(tape: Tape, softmax: int) -> _Attention | None:
    """The two products around a softmax."""
    first = _product_before(tape, softmax)
    last = _product_behind(tape, softmax)
    if first is None or last is None:
        return None
    query, transposed_key = (_root(tape, one, first) for one in tape.calls[first].operands()[:2])
    value = _root(tape, tape.calls[last].operands()[1], last)
    if any(len(one.layout.shape) != 4 for one in (query, transposed_key, value)):
        return None
    shape, strides, offset = transposed_key.layout
    key = Layout((*shape[:2], shape[3], shape[2]), (*strides[:2], strides[3], strides[2]), offset)
    found = _Attention(query, transposed_key._replace(layout=key), value, first, last, False)
    return found if key.shape[3] == query.layout.shape[3] and key.shape[2] == value.layout.shape[2] else None


def _product_before(tape: Tape, at: int) -> int | None:
    storage = tape.calls[at].operands()[0].storage
    for place in range(at - 1, max(-1, at - _NEAR), -1):
        call = tape.calls[place]
        if call.schema.is_view or all(one.storage != storage for one in call.results):
            continue
        if call.schema.name == "bmm":
            return place
        scores = next(
            (one for one in call.operands() if len(one.layout.shape) > 2 and one.dtype.is_floating_point), None
        )
        if call.schema.name not in _BETWEEN or scores is None:
            return None
        storage = scores.storage
    return None


def _product_behind(tape: Tape, at: int) -> int | None:
    reached = {one.storage for one in tape.calls[at].results}
    for place in range(at + 1, min(len(tape.calls), at + _NEAR)):
        call = tape.calls[place]
        operands = call.operands()
        if call.schema.name == "bmm" and operands[0].storage in reached:
            return place
        if any(one.storage in reached for one in operands) and (call.schema.is_view or call.schema.name in _BETWEEN):
            reached.update(one.storage for one in call.results)
    return None


def _root(tape: Tape, operand: Operand, at: int) -> Operand:
    """What the program gave to a product: the operand before the product's own views and copies."""
    product = tape.calls[at]
    for place in range(at - 1, max(-1, at - 16), -1):
        call = tape.calls[place]
        if operand in call.results and call.is_part_of(product):
            operand = call.operands()[0]
    return operand


def _unrepeated(tape: Tape, operand: Operand) -> Operand:
    """Keys or values before their heads were repeated by expand and reshape, or themselves."""
    call = tape.maker(operand.storage)
    if call is None or call.copy is None or call.copy.target is None:
        return operand
    layout = call.operands()[0].layout
    if len(layout.shape) != 5 or layout.strides[2] != 0 or layout.shape[2] == 1:
        return operand
    keep = (0, 1, 3, 4)
    small = Layout(tuple(layout.shape[a] for a in keep), tuple(layout.strides[a] for a in keep), layout.offset)
    return call.operands()[0]._replace(layout=small)


def _tried(query: Operand, key: Operand, value: Operand, is_grouped: bool) -> torch.Tensor | None:
    """What the fused attention gives of tensors with these strides; None where it copies, or takes no such tensors."""
    options = {"enable_gqa": True} if is_grouped else {}
    try:
        small = [_small(one) for one in (query, key, value)]
        with torch.no_grad(), _Watch() as watch:
            result = _attend(*small, **options)
    except (RuntimeError, TypeError):
        return None
    return None if watch.copies else result


class _Watch(TorchDispatchMode):  # type: ignore[misc,unused-ignore]
    """Says whether any operation copied."""

    def __init__(self) -> None:
        super().__init__()
        self.copies = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        schema = schema_of(func)
        layouts = [Layout(tuple(one.shape), one.stride()) for one in args if isinstance(one, torch.Tensor)]
        if schema.moves or copied_inside(schema.name, layouts):
            self.copies = True
        return func(*args, **(kwargs or {}))


def _small(operand: Operand) -> torch.Tensor:
    (batch, heads, rows, width), strides, _ = operand.layout
    shape = (min(batch, 2), heads, min(rows, _ROWS), width)
    return torch.empty_strided(shape, strides, dtype=operand.dtype).zero_()
