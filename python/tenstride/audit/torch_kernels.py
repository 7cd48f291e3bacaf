# SPDX-License-Identifier: Apache-2.0
"""Kernels of PyTorch that copy an operand inside, out of the dispatcher's sight, and the layouts they take as they are.

What each takes was read from PyTorch's profiler (1.13, 2.6, 2.15, CPU); a test reads it again.
"""

from __future__ import annotations

import functools
from typing import Callable

from .layouts import Layout, is_channels_last, is_contiguous
from .torch_names import words

OPAQUE = words(
    "_transformer_encoder_layer_fwd _native_multi_head_attention _transformer_decoder_only_layer_fwd "
    "lstm gru mkldnn_rnn_layer _cudnn_rnn miopen_rnn _thnn_fused_lstm_cell quantized_lstm"
)
"""Fused operations, whose copies inside are out of sight whatever they are given."""

_ROWS = words("native_layer_norm _softmax _log_softmax")
_IMAGES = words(
    "convolution _convolution mkldnn_convolution convolution_overrideable native_group_norm native_batch_norm "
    "_native_batch_norm_legit _native_batch_norm_legit_functional max_pool2d_with_indices max_pool3d_with_indices "
    "avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d"
)
_MATRICES = words("mm bmm addmm baddbmm addbmm mv addmv")
_LAST_AXIS = words(
    "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention "
    "_scaled_dot_product_efficient_attention _scaled_dot_product_attention_math "
    "_scaled_dot_product_fused_attention_overrideable _fft_r2c _fft_c2r _fft_c2c"
)


def _has_unit_side(layout: Layout) -> bool:
    sides = list(zip(layout.shape, layout.strides))[-2:]
    return any(stride == 1 or size == 1 for size, stride in sides)


def _has_unit_end(layout: Layout) -> bool:
    return not layout.shape or layout.shape[-1] == 1 or layout.strides[-1] == 1


def _is_dense_image(layout: Layout) -> bool:
    return is_contiguous(layout) or is_channels_last(layout)


def _is_resized_as_it_is(layout: Layout) -> bool:
    """From four channels on, PyTorch 2 brings an image into channels_last before it resizes it."""
    return len(layout.shape) < 4 or layout.shape[1] < 4 or is_channels_last(layout)


@functools.lru_cache(4096)
def _takes(name: str) -> Callable[[Layout], bool] | None:
    if name in _ROWS:
        return is_contiguous
    if name in _IMAGES:
        return _is_dense_image
    if name in _MATRICES:
        return _has_unit_side
    if name in _LAST_AXIS:
        return _has_unit_end
    if name.startswith("upsample_") and not name.endswith("_backward"):
        return _is_resized_as_it_is
    return None


def may_copy_inside(name: str) -> bool:
    """Whether the kernel of an aten operation copies operands of some layouts."""
    return _takes(name) is not None


def copied_inside(name: str, operands: list[Layout]) -> list[Layout]:
    """The operands that the kernel of an aten operation may copy, as they do not lie as it takes them.

    >>> odd = Layout((2, 3), (1, 2))
    >>> copied_inside("_softmax", [odd]) == [odd], copied_inside("mm", [odd]), copied_inside("add", [odd])
    (True, [], [])
    """
    takes = _takes(name)
    if takes is None:
        return []
    return [layout for layout in operands if layout.numel and layout.shape and not takes(layout)]
