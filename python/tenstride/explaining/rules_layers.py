# SPDX-License-Identifier: Apache-2.0
"""Shapes of `torch.nn.functional`: convolutions, pooling, norms, embeddings, losses."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable

from .. import _tenstride
from .._tenstride import Tensor, broadcast_shapes
from ..audit.torch_names import words
from .rule_tools import alike, floating, many, new, text


def windows(size: int, kernel: int, stride: int, padding: int, dilation: int, *, ceil: bool = False) -> int:
    """The size of an axis after a convolution or pooling: how many windows of `kernel` elements it has.

    >>> windows(7, 3, 2, 0, 1), windows(7, 3, 2, 1, 1)
    (3, 4)
    """
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    places = (-(-span // stride) if ceil else span // stride) + 1
    if ceil and (places - 1) * stride >= size + padding:
        places -= 1  # a last window must begin inside
    return places


def like_input(x: Tensor, sizes: Any) -> Tensor:
    """In channels_last where the input is."""
    if len(sizes) == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=_tenstride.channels_last):
        return _tenstride.empty(sizes, dtype=x.dtype, device="meta", memory_format=_tenstride.channels_last)
    return new(sizes, x)


def convolution(
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    if input.dim() not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to conv{rank}d, but got input of "
            f"size: {text(input.shape)}"
        )
    channels = input.shape[-rank - 1]
    if channels != weight.shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {text(weight.shape)}, expected input{text(input.shape)} to "
            f"have {weight.shape[1] * groups} channels, but got {channels} channels instead"
        )
    sizes, kernel = list(input.shape[-rank:]), tuple(weight.shape[2:])
    if padding != "same":
        pads = (0,) * rank if padding == "valid" else many(padding, rank)
        padded = [size + 2 * pad for size, pad in zip(sizes, pads)]
        sizes = [windows(*one) for one in zip(sizes, kernel, many(stride, rank), pads, many(dilation, rank))]
        if min(sizes) < 1:
            raise RuntimeError(
                f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
                f"({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual input size"
            )
    return like_input(input, [*input.shape[: -rank - 1], weight.shape[0], *sizes])


def transposed_convolution(
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    if input.shape[-rank - 1] != weight.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {text(weight.shape)}, expected input{text(input.shape)} to have "
            f"{weight.shape[0]} channels, but got {input.shape[-rank - 1]} channels instead"
        )
    numbers = (many(one, rank) for one in (stride, padding, output_padding, dilation))
    sizes = [
        (size - 1) * step - 2 * pad + spread * (kernel - 1) + out + 1
        for size, kernel, step, pad, out, spread in zip(input.shape[-rank:], weight.shape[2:], *numbers)
    ]
    return like_input(input, [*input.shape[: -rank - 1], weight.shape[1] * groups, *sizes])


def pooling(
    rank: int,
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    kernels = many(kernel_size, rank)
    steps = kernels if stride is None or stride == [] else many(stride, rank)
    numbers = zip(input.shape[-rank:], kernels, steps, many(padding, rank), many(dilation, rank))
    result = like_input(input, [*input.shape[:-rank], *(windows(*one, ceil=ceil_mode) for one in numbers)])
    return (result, alike(result, _tenstride.int64)) if return_indices else result


def average_pooling(
    rank: int,
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    *_: Any,
    **__: Any,
) -> Any:
    return pooling(rank, input, kernel_size, stride, padding, 1, ceil_mode)


def adaptive_pooling(rank: int, input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    sizes = zip(many(output_size, rank), input.shape[-rank:])
    return like_input(input, [*input.shape[:-rank], *(have if want is None else want for want, have in sizes)])


def batch_norm(input: Tensor, *_: Any, **__: Any) -> Tensor:
    return like_input(input, input.shape)


def layer_norm(input: Tensor, normalized_shape: Any, *_: Any, **__: Any) -> Tensor:
    wanted = many(normalized_shape, 1)
    if tuple(input.shape[-len(wanted) :]) != wanted:
        raise RuntimeError(
            f"Given normalized_shape={text(wanted)}, expected input with shape [*, {text(wanted)[1:]}, but got input "
            f"of size{text(input.shape)}"
        )
    return new(input.shape, input)


def embedding(input: Tensor, weight: Tensor, *_: Any, **__: Any) -> Tensor:
    if input.is_floating_point():
        name = "Double" if input.dtype is _tenstride.float64 else "Float"
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{name}Tensor instead (while checking arguments for embedding)"
        )
    return new((*input.shape, weight.shape[1]), weight)


def loss(input: Tensor, target: Any = None, *_: Any, reduction: str = "mean", **__: Any) -> Tensor:
    if reduction != "none":
        return new((), input, floating(input))
    return new(broadcast_shapes(input.shape, target.shape), input)


def class_loss(input: Tensor, target: Tensor, *_: Any, reduction: str = "mean", **__: Any) -> Tensor:
    expected = (input.shape[0], *input.shape[2:]) if input.dim() > 1 else ()
    if (target.dim() == input.dim() and not target.is_floating_point()) or target.dim() < input.dim() - 1:
        if target.dim() > 1 and input.dim() == 2:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        raise RuntimeError(f"Expected target size {text(expected)}, got {text(target.shape)}")
    if target.dim() == input.dim() - 1 and input.dim() > 1 and tuple(target.shape) != expected:
        if input.dim() == 2:
            raise ValueError(
                f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
            )
        raise RuntimeError(f"Expected target size {text(expected)}, got {text(target.shape)}")
    return new(expected if reduction == "none" else (), input)


def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", **_: Any) -> Tensor:
    rank = input.dim() - 2
    if (size is None) == (scale_factor is None):
        raise ValueError(f"{'only one of' if size is not None else 'either'} size or scale_factor should be defined")
    if size is not None:
        return like_input(input, [*input.shape[:2], *many(size, rank)])
    factors = (scale_factor,) * rank if isinstance(scale_factor, (int, float)) else scale_factor
    scaled = (math.floor(have * factor) for have, factor in zip(input.shape[2:], factors))
    return like_input(input, [*input.shape[:2], *scaled])


_BY_RANK = {
    "conv{}d": convolution,
    "conv_transpose{}d": transposed_convolution,
    "max_pool{}d": pooling,
    "avg_pool{}d": average_pooling,
    "adaptive_avg_pool{}d": adaptive_pooling,
    "adaptive_max_pool{}d": adaptive_pooling,
}
_LOSSES = words(
    "binary_cross_entropy binary_cross_entropy_with_logits gaussian_nll_loss hinge_embedding_loss huber_loss kl_div "
    "l1_loss mse_loss poisson_nll_loss smooth_l1_loss soft_margin_loss"
)

FUNCTIONAL: dict[str, Callable[..., Any]] = {
    **{name.format(rank): partial(rule, rank) for name, rule in _BY_RANK.items() for rank in (1, 2, 3)},
    **dict.fromkeys(("batch_norm", "instance_norm"), batch_norm),
    **dict.fromkeys(_LOSSES, loss),
    **dict.fromkeys(("cross_entropy", "nll_loss"), class_loss),
    **dict.fromkeys(("interpolate", "upsample"), interpolate),
    **dict.fromkeys(("layer_norm", "rms_norm"), layer_norm),
    "embedding": embedding,
}
