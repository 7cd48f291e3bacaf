# SPDX-License-Identifier: Apache-2.0
"""PyTorch's operations as the audit names and sorts them."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


MOVES = words(
    "clone _to_copy copy_ copy cat stack flip roll rot90 repeat tile repeat_interleave index _unsafe_index "
    "index_select gather take masked_select index_put_ constant_pad_nd reflection_pad1d reflection_pad2d "
    "reflection_pad3d replication_pad1d replication_pad2d replication_pad3d pixel_shuffle pixel_unshuffle "
    "channel_shuffle native_channel_shuffle im2col slice_scatter select_scatter diagonal_scatter "
    "as_strided_scatter diag_embed block_diag _foreach_copy_"
)
"""aten operations that write elements elsewhere and change none; and all whose names end in ``_copy``."""

ONLY_MOVES = MOVES | words(
    "contiguous to index pad tile concat concatenate hstack vstack dstack column_stack row_stack fliplr flipud "
    "take_along_dim unfold setitem scatter scatter_ index_copy index_copy_ index_put put_ masked_scatter_"
)
"""What a line calls where it moves elements and computes nothing: such a call can be left out, or a view made of it."""

WRITES_INTO = frozenset({"copy_", "index_put_", "_foreach_copy_"})
"""Those whose destination is their first argument."""

EXPLICIT = words(
    "clone copy copy_ setitem deepcopy index_copy index_copy_ index_put index_put_ load_state_dict tensor "
    "new_tensor as_tensor put_ scatter_ masked_scatter_ narrow_copy detach_copy _foreach_copy_ slice_scatter "
    "select_scatter pin_memory"
)
"""Calls that say that they copy."""

CAN_SCRAMBLE = frozenset({"view", "reshape", "view_as", "reshape_as"})
"""What can scramble."""

UNNAMED = words("backward grad apply map_ apply_ register_hook run_backward load save compile")
"""Names of torch that say nothing about what one of the operations below them does."""

MODULE_CALLS = frozenset({"_call_impl", "_wrapped_call_impl", "_slow_forward"})
BACKWARD_CALLS = frozenset({"run_backward", "_engine_run_backward"})

_PRETTY = {
    "_to_copy": "to",
    "constant_pad_nd": "pad",
    "im2col": "unfold",
    "_unsafe_index": "index",
    "_unsafe_view": "view",
    "_reshape_alias": "view",
    "numpy_T": "T",
}


PRINTING = os.path.join("torch", "_tensor_str.py")
"""The end of the file that prints tensors, whose copies are not the program's."""


def pretty(call: str) -> str:
    """An aten operation by the name a user knows."""
    if "_pad" in call and call.startswith(("reflection", "replication")):
        return "pad"
    return _PRETTY.get(call, call)


def known_names(torch: Any) -> frozenset[str]:
    """Every name that is an operation of PyTorch's."""
    names = {"setitem", "matmul", "deepcopy", "load_state_dict"}
    for owner in (
        torch.Tensor,
        torch,
        torch.nn.functional,
        torch.linalg,
        torch.fft,
        torch.special,
        torch._C._nn,
    ):
        names.update(name for name in dir(owner) if not name.startswith("__"))
    return frozenset(names - UNNAMED)


class Called(NamedTuple):
    """An operation as the stack names it."""

    operation: str
    is_own: bool
    """Whether the user's own line says so."""
    is_backward: bool
    """Whether autograd's backward pass called it."""
    said: str | None
    """The name at the call itself, also one of another's operation; None where the stack does not tell."""


def operation_of(site: Any, fallback: str, known: frozenset[str], function: str | None) -> Called:
    """What was called. `fallback` is its name where nothing better is known, `function` what the function mode saw."""
    is_backward = site.inside_call in BACKWARD_CALLS or bool(site.through & BACKWARD_CALLS)
    own = function or site.call
    if is_backward:
        return Called(fallback, False, True, None)
    if own in known and not site.through & MODULE_CALLS:
        return Called(own, function is None or site.inside is None, False, own)
    if site.inside is not None:
        inner = site.inside_call or function
        return Called(site.inside_call if site.inside_call in known else fallback, False, False, inner)
    return Called(fallback, True, False, own)


def kind_of(operation: str, is_own: bool, call: str, converts: bool) -> str:
    """silent, explicit or conversion."""
    is_explicit = operation in EXPLICIT or operation.endswith("_copy")
    if is_own and is_explicit:
        return "explicit"
    return "conversion" if converts and call != "copy_" else "silent"
