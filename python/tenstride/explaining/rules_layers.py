# SPDX-License-Identifier: Apache-2.0
"""Shapes of `torch.nn.functional`: convolutions, pooling, norms, embeddings, losses, padding."""

from __future__ import annotations

import math
from typing import Any, Callable

from .. import _tenstride
from .._tenstride import Tensor
from .rule_tools import alike, broadcast, floating, many, new, text


def convolved(size: int, kernel: int, stride: int, padding: int, dilation: int, *, ceil: bool = False) -> int:
    """The size of an axis after a convolution or pooling: how many windows of `kernel` elements it has.

    >>> convolved(7, 3, 2, 0, 1), convolved(7, 3, 2, 1, 1)
    (3, 4)
    """
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    places = (-(-span // stride) if ceil else span // stride) + 1
    if ceil and (places - 1) * stride >= size + padding:
        places -= 1  # a last window must begin inside
    return places


def _like_input(x: Tensor, sizes: list[int]) -> Tensor:
    """In channels_last where the input is."""
    if len(sizes) == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=_tenstride.channels_last):
        return _tenstride.empty(sizes, dtype=x.dtype, device="meta", memory_format=_tenstride.channels_last)
    return new(sizes, x)


def _convolution(rank: int) -> Callable[..., Tensor]:
    def conv(
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
        kernel, dilations = tuple(weight.shape[2:]), many(dilation, rank)
        if padding == "same":
            sizes = list(input.shape[-rank:])
        else:
            pads = (0,) * rank if padding == "valid" else many(padding, rank)
            steps = zip(input.shape[-rank:], kernel, many(stride, rank), pads, dilations)
            sizes = [convolved(*one) for one in steps]
            if min(sizes) < 1:
                padded = [size + 2 * pad for size, pad in zip(input.shape[-rank:], pads)]
                raise RuntimeError(
                    f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
                    f"({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual input size"
                )
        return _like_input(input, [*input.shape[: -rank - 1], weight.shape[0], *sizes])

    return conv


def _transposed_convolution(rank: int) -> Callable[..., Tensor]:
    def conv(
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
        return _like_input(input, [*input.shape[: -rank - 1], weight.shape[1] * groups, *sizes])

    return conv


def _pooling(rank: int) -> Callable[..., Any]:
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
        **_: Any,
    ) -> Any:
        kernels = many(kernel_size, rank)
        steps = kernels if stride is None or stride == [] else many(stride, rank)
        numbers = zip(input.shape[-rank:], kernels, steps, many(padding, rank), many(dilation, rank))
        sizes = [convolved(*one, ceil=ceil_mode) for one in numbers]
        result = _like_input(input, [*input.shape[:-rank], *sizes])
        return (result, alike(result, _tenstride.int64)) if return_indices else result

    return pool


def _average_pooling(rank: int) -> Callable[..., Any]:
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        *_: Any,
        **__: Any,
    ) -> Any:
        return _pooling(rank)(input, kernel_size, stride, padding, 1, ceil_mode)

    return pool


def _adaptive_pooling(rank: int) -> Callable[..., Any]:
    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        wanted = many(output_size, rank)
        sizes = [have if want is None else want for want, have in zip(wanted, input.shape[-rank:])]
        return _like_input(input, [*input.shape[:-rank], *sizes])

    return pool


def batch_norm(input: Tensor, *_: Any, **__: Any) -> Tensor:
    return _like_input(input, list(input.shape))


def layer_norm(input: Tensor, normalized_shape: Any, *_: Any, **__: Any) -> Tensor:
    wanted = many(normalized_shape, 1)
    if tuple(input.shape[-len(wanted) :]) != tuple(wanted):
        raise RuntimeError(
            f"Given normalized_shape={text(wanted)}, expected input with shape [*, {text(wanted)[1:]}, but got input "
            f"of size{text(input.shape)}"
        )
    return new(input.shape, input)


def group_norm(input: Tensor, num_groups: int, *_: Any, **__: Any) -> Tensor:
    if input.shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{text(input.shape)} and num_groups={num_groups}"
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
    return new(broadcast(input.shape, target.shape), input)


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
        sizes = list(many(size, rank))
    else:
        factors = (scale_factor,) * rank if isinstance(scale_factor, (int, float)) else scale_factor
        sizes = [math.floor(have * factor) for have, factor in zip(input.shape[2:], factors)]
    return _like_input(input, [*input.shape[:2], *sizes])


def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    sizes = list(input.shape)
    if len(pad) % 2 or len(pad) // 2 > len(sizes):
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {len(sizes)}dimensions."
        )
    for pair in range(len(pad) // 2):
        sizes[-1 - pair] += pad[2 * pair] + pad[2 * pair + 1]
    return new(sizes, input)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    kernels = many(kernel_size, 2)
    numbers = zip(input.shape[-2:], kernels, many(stride, 2), many(padding, 2), many(dilation, 2))
    count = math.prod(convolved(*one) for one in numbers)
    return new((*input.shape[:-3], input.shape[-3] * math.prod(kernels), count), input)


def fold(input: Tensor, output_size: Any, kernel_size: Any, *_: Any, **__: Any) -> Tensor:
    channels = input.shape[-2] // math.prod(many(kernel_size, 2))
    return new((*input.shape[:-2], channels, *many(output_size, 2)), input)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    *batch, channels, height, width = input.shape
    factor = upscale_factor
    if channels % factor**2:
        raise RuntimeError(
            f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {factor**2}"
        )
    return new((*batch, channels // factor**2, height * factor, width * factor), input)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    *batch, channels, height, width = input.shape
    factor = downscale_factor
    return new((*batch, channels * factor**2, height // factor, width // factor), input)


def grid_sample(input: Tensor, grid: Tensor, *_: Any, **__: Any) -> Tensor:
    return new((*input.shape[:2], *grid.shape[1:-1]), input)


def affine_grid(theta: Tensor, size: Any, align_corners: Any = None) -> Tensor:
    return new((size[0], *size[2:], len(size) - 2), theta)


LOSSES = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]

FUNCTIONAL: dict[str, Callable[..., Any]] = {
    **{f"conv{rank}d": _convolution(rank) for rank in (1, 2, 3)},
    **{f"conv_transpose{rank}d": _transposed_convolution(rank) for rank in (1, 2, 3)},
    **{f"max_pool{rank}d": _pooling(rank) for rank in (1, 2, 3)},
    **{f"avg_pool{rank}d": _average_pooling(rank) for rank in (1, 2, 3)},
    **{f"adaptive_{kind}_pool{rank}d": _adaptive_pooling(rank) for rank in (1, 2, 3) for kind in ("avg", "max")},
    **dict.fromkeys(("batch_norm", "instance_norm"), batch_norm),
    **dict.fromkeys(LOSSES, loss),
    **dict.fromkeys(("cross_entropy", "nll_loss"), class_loss),
    **dict.fromkeys(("interpolate", "upsample"), interpolate),
    "affine_grid": affine_grid,
    "embedding": embedding,
    "fold": fold,
    "grid_sample": grid_sample,
    "group_norm": group_norm,
    "layer_norm": layer_norm,
    "pad": pad,
    "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle,
    "rms_norm": layer_norm,
    "unfold": unfold,
}
