# SPDX-License-Identifier: Apache-2.0
"""The layers of `torch.nn`: their parameters' sizes, and the rule of shapes that a call of them follows."""

from __future__ import annotations

import re
from typing import Any, Callable

from .. import _tenstride
from ..audit.torch_names import words
from .neural import Module, parameter
from .rule_tools import many, new
from .shape_rules import FUNCTIONAL
from .tensors import Tensor, by_rule, in_place, run


class Linear(Module):
    def __init__(self, in_features: int, out_features: int, bias: bool = True, **_: Any) -> None:
        self.in_features, self.out_features = in_features, out_features
        self.weight, self.bias = parameter(out_features, in_features), parameter(out_features) if bias else None

    def forward(self, input: Tensor) -> Any:
        return by_rule(FUNCTIONAL["linear"], (input, self.weight), {})


class Embedding(Module):
    def __init__(self, num_embeddings: int, embedding_dim: int, *_: Any, **__: Any) -> None:
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = parameter(num_embeddings, embedding_dim)

    def forward(self, input: Tensor) -> Any:
        return by_rule(FUNCTIONAL["embedding"], (input, self.weight), {})


class _Convolution(Module):
    rank, rule, transposed = 2, "conv2d", False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        *rest: Any,
        **named: Any,
    ) -> None:
        names = ("output_padding", "groups", "bias", "dilation") if self.transposed else ("dilation", "groups", "bias")
        options = {"stride": stride, "padding": padding, **dict(zip(names, rest)), **named}
        groups = options.get("groups", 1)
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, many(kernel_size, self.rank)
        ends = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = parameter(*ends, *self.kernel_size)
        self.bias = parameter(out_channels) if options.pop("bias", True) else None
        self._named = {name: options[name] for name in ("stride", "padding", *names) if name in options}

    def forward(self, input: Tensor) -> Any:
        return by_rule(FUNCTIONAL[self.rule], (input, self.weight), dict(self._named))


class _ByRule(Module):
    """A layer that is its rule with the arguments of its construction."""

    rule: Callable[..., Any]

    def __init__(self, *args: Any, **named: Any) -> None:
        self._args = args
        self._inplace = named.pop("inplace", False)
        self._named = {name: value for name, value in named.items() if name not in ("device", "dtype")}

    def forward(self, input: Tensor, *others: Any) -> Any:
        if self._inplace:
            return in_place(type(self).rule, input, self._args, self._named)
        return by_rule(type(self).rule, (input, *others, *self._args), self._named)


class _WithWeight(_ByRule):
    """The same, with a weight and a bias for each channel."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        sizes = args[0] if args else next(iter(named.values()))
        self.weight, self.bias = parameter(*many(sizes, 1)), parameter(*many(sizes, 1))


class _Dropout(_ByRule):
    """What gives its input itself in evaluation."""

    def forward(self, input: Tensor) -> Any:
        return by_rule(type(self).rule, (input, *self._args), {**self._named, "training": self.training})


class _Loss(_ByRule):
    """A loss: `reduction=` is what matters of its arguments."""

    def forward(self, input: Tensor, *others: Any) -> Any:
        named = {"reduction": self._named.get("reduction", "mean")}
        return by_rule(type(self).rule, (input, *others), named)


class Flatten(_ByRule):
    """A layer that tenstride carries out."""

    rule = staticmethod(lambda input, start_dim=1, end_dim=-1: input.flatten(start_dim, end_dim))

    def forward(self, input: Tensor) -> Any:
        return run(type(self).rule, (input, *self._args), self._named)


class Unflatten(Flatten):
    rule = staticmethod(lambda input, dim, unflattened_size: input.unflatten(dim, unflattened_size))


class Identity(Flatten):
    rule = staticmethod(lambda input, *_, **__: input)


class GRU(Module):
    """RNN, GRU, LSTM. With batch_first the output is a transposed view, as PyTorch's on the CPU."""

    has_cell = False

    def __init__(self, input_size: int, hidden_size: int, *rest: Any, **named: Any) -> None:
        names = ("num_layers", "bias", "batch_first", "dropout", "bidirectional")
        options = {"num_layers": 1, **dict(zip(names, rest)), **named}
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, options["num_layers"]
        self.batch_first, self.bidirectional = (options.get(name, False) for name in ("batch_first", "bidirectional"))
        self.weight_ih_l0, self.weight_hh_l0 = parameter(hidden_size, input_size), parameter(hidden_size, hidden_size)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return by_rule(self._shapes, (input,), {})

    def flatten_parameters(self) -> None:
        """Nothing: parameters have no elements."""

    def _shapes(self, input: _tenstride.Tensor) -> Any:
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        directions = 2 if self.bidirectional else 1
        width, states = self.hidden_size * directions, self.num_layers * directions
        if input.dim() == 2:
            output, state = new((input.shape[0], width), input), new((states, self.hidden_size), input)
        else:
            batch, length = input.shape[:2] if self.batch_first else (input.shape[1], input.shape[0])
            output = new((length, batch, width), input)
            output = output.transpose(0, 1) if self.batch_first else output
            state = new((states, batch, self.hidden_size), input)
        return output, (state, new(state.shape, input)) if self.has_cell else state


class LSTM(GRU):
    has_cell = True


class GRUCell(Module):
    has_cell = False

    def __init__(self, input_size: int, hidden_size: int, *_: Any, **__: Any) -> None:
        self.hidden_size = hidden_size

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return by_rule(self._shapes, (input,), {})

    def _shapes(self, input: _tenstride.Tensor) -> Any:
        state = new((*input.shape[:-1], self.hidden_size), input)
        return (state, new(state.shape, input)) if self.has_cell else state


class LSTMCell(GRUCell):
    has_cell = True


class MultiheadAttention(Module):
    def __init__(self, embed_dim: int, num_heads: int, *_: Any, batch_first: bool = False, **__: Any) -> None:
        self.embed_dim, self.num_heads, self.batch_first = embed_dim, num_heads, batch_first
        self.in_proj_weight = parameter(3 * embed_dim, embed_dim)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> Any:
        return by_rule(self._shapes, (query, key), {})

    def _shapes(self, query: _tenstride.Tensor, key: _tenstride.Tensor) -> Any:
        if query.dim() == 2:
            return new(query.shape, query), new((query.shape[0], key.shape[0]), query)
        batch, length = (query.shape[0], query.shape[1]) if self.batch_first else (query.shape[1], query.shape[0])
        output = new((length, batch, query.shape[2]), query)
        source = key.shape[1 if self.batch_first else 0]
        return output.transpose(0, 1) if self.batch_first else output, new((batch, length, source), query)


class TransformerEncoderLayer(Module):
    def __init__(self, *_: Any, **__: Any) -> None:
        """Gives what it is given, in shape."""

    def forward(self, input: Tensor, *_: Any, **__: Any) -> Any:
        return by_rule(lambda x: new(x.shape, x), (input,), {})


_RULED = words(
    "ELU GELU Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU ReLU ReLU6 SELU SiLU Sigmoid "
    "Softmax Softplus Softsign Tanh CELU Tanhshrink MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d "
    "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d "
    "Upsample CosineSimilarity Dropout Dropout1d Dropout2d Dropout3d AlphaDropout CrossEntropyLoss HuberLoss KLDivLoss "
    "L1Loss MSELoss NLLLoss SmoothL1Loss BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d "
    "InstanceNorm3d LayerNorm RMSNorm"
)
"""Layers with the name of their rule, as `LeakyReLU` for `leaky_relu`, `BatchNorm2d` for `batch_norm`."""


def _ruled(name: str) -> type[Module]:
    plain = name.lower()
    names = (plain, plain.replace("loss", ""), re.sub(r"\dd$", "", plain))
    rule = next(rule for rule_name, rule in FUNCTIONAL.items() if rule_name.replace("_", "") in names)
    kinds = {"Norm": _WithWeight, "Dropout": _Dropout, "Loss": _Loss}
    base = next((kind for part, kind in kinds.items() if part in name), _ByRule)
    return type(name, (base,), {"rule": staticmethod(rule)})


def _convolution(rank: int, transposed: bool) -> type[Module]:
    members = {"rank": rank, "rule": f"conv{'_transpose' * transposed}{rank}d", "transposed": transposed}
    return type(f"Conv{'Transpose' * transposed}{rank}d", (_Convolution,), members)


LAYERS: dict[str, type[Module]] = {
    layer.__name__: layer
    for layer in (
        *map(_ruled, sorted(_RULED)),
        *(_convolution(rank, transposed) for rank in (1, 2, 3) for transposed in (False, True)),
        *(Embedding, Flatten, GRU, GRUCell, Identity, LSTM, LSTMCell, Linear, MultiheadAttention, Unflatten),
        type("RNN", (GRU,), {}),
        TransformerEncoderLayer,
        type("TransformerEncoder", (TransformerEncoderLayer,), {}),
        type("TransformerDecoderLayer", (TransformerEncoderLayer,), {}),
    )
}
