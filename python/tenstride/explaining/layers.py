# SPDX-License-Identifier: Apache-2.0
"""The layers of `torch.nn`: their parameters' sizes, and the rule of shapes that a call of them follows."""

from __future__ import annotations

from typing import Any, Callable

from .. import _tenstride
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
        options = {**dict(zip(names, rest)), **named}
        groups = options.get("groups", 1)
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, many(kernel_size, self.rank)
        first, second = (
            (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        )
        self.weight = parameter(first, second, *self.kernel_size)
        self.bias = parameter(out_channels) if options.get("bias", True) else None
        kept = ("dilation", "groups", "output_padding") if self.transposed else ("dilation", "groups")
        self._named = {"stride": stride, "padding": padding, **{n: options[n] for n in kept if n in options}}

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


class Flatten(Module):
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Any:
        return run(_tenstride.Tensor.flatten, (input, self.start_dim, self.end_dim), {})


class Unflatten(Module):
    def __init__(self, dim: int, unflattened_size: Any) -> None:
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Any:
        return run(_tenstride.Tensor.unflatten, (input, self.dim, self.unflattened_size), {})


class Identity(Module):
    def __init__(self, *_: Any, **__: Any) -> None:
        """Takes any arguments, as PyTorch's."""

    def forward(self, input: Tensor) -> Any:
        return input


class _Recurrent(Module):
    """RNN, GRU, LSTM. With batch_first the output is a transposed view, as PyTorch's on the CPU."""

    has_cell = False

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        **_: Any,
    ) -> None:
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.bidirectional = batch_first, bidirectional
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


class LSTM(_Recurrent):
    has_cell = True


class _Cell(Module):
    has_cell = False

    def __init__(self, input_size: int, hidden_size: int, *_: Any, **__: Any) -> None:
        self.hidden_size = hidden_size

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return by_rule(self._shapes, (input,), {})

    def _shapes(self, input: _tenstride.Tensor) -> Any:
        state = new((*input.shape[:-1], self.hidden_size), input)
        return (state, new(state.shape, input)) if self.has_cell else state


class LSTMCell(_Cell):
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


class _Transformer(Module):
    def __init__(self, *_: Any, **__: Any) -> None:
        """Gives what it is given, in shape."""

    def forward(self, input: Tensor, *_: Any, **__: Any) -> Any:
        return by_rule(lambda x: new(x.shape, x), (input,), {})


def _kinds(base: type[Module], names: dict[str, str], rules: dict[str, Callable[..., Any]]) -> dict[str, type[Module]]:
    """Classes by name, each with its rule."""
    return {name: type(name, (base,), {"rule": staticmethod(rules[rule])}) for name, rule in names.items()}


_ELEMENTS = [
    "ELU",
    "GELU",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "GLU",
    "CELU",
    "Tanhshrink",
]
_SNAKE = {"LeakyReLU": "leaky_relu", "LogSoftmax": "log_softmax"}
_WINDOWS = {
    **{f"{kind}Pool{n}d": f"{kind.lower()}_pool{n}d" for n in (1, 2, 3) for kind in ("Max", "Avg")},
    **{f"Adaptive{kind}Pool{n}d": f"adaptive_{kind.lower()}_pool{n}d" for n in (1, 2, 3) for kind in ("Max", "Avg")},
    "PixelShuffle": "pixel_shuffle",
    "PixelUnshuffle": "pixel_unshuffle",
    "Unfold": "unfold",
    "Fold": "fold",
    "Upsample": "interpolate",
    "CosineSimilarity": "cosine_similarity",
    "PairwiseDistance": "pairwise_distance",
}
_DROPOUTS = {**{f"Dropout{n}": f"dropout{n.lower()}" for n in ("", "1d", "2d", "3d")}, "AlphaDropout": "alpha_dropout"}
_LOSSES = {
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy",
    "HuberLoss": "huber_loss",
    "KLDivLoss": "kl_div",
    "L1Loss": "l1_loss",
    "MSELoss": "mse_loss",
    "NLLLoss": "nll_loss",
    "SmoothL1Loss": "smooth_l1_loss",
}
_NORMS = {
    **{f"BatchNorm{n}d": "batch_norm" for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": "instance_norm" for n in (1, 2, 3)},
    "LayerNorm": "layer_norm",
    "RMSNorm": "rms_norm",
}


def _convolutions() -> dict[str, type[Module]]:
    kinds = {}
    for rank in (1, 2, 3):
        for name, rule, transposed in (
            (f"Conv{rank}d", "conv", False),
            (f"ConvTranspose{rank}d", "conv_transpose", True),
        ):
            members = {"rank": rank, "rule": f"{rule}{rank}d", "transposed": transposed}
            kinds[name] = type(name, (_Convolution,), members)
    return kinds


LAYERS: dict[str, type[Module]] = {
    **_kinds(_ByRule, {name: _SNAKE.get(name, name.lower()) for name in _ELEMENTS}, FUNCTIONAL),
    **_kinds(_ByRule, _WINDOWS, FUNCTIONAL),
    **_kinds(_Dropout, _DROPOUTS, FUNCTIONAL),
    **_kinds(_WithWeight, _NORMS, FUNCTIONAL),
    **_kinds(_ByRule, {"GroupNorm": "group_norm"}, FUNCTIONAL),
    **_kinds(_Loss, _LOSSES, FUNCTIONAL),
    **_convolutions(),
    "Embedding": Embedding,
    "Flatten": Flatten,
    "GRU": type("GRU", (_Recurrent,), {}),
    "GRUCell": type("GRUCell", (_Cell,), {}),
    "Identity": Identity,
    "LSTM": LSTM,
    "LSTMCell": LSTMCell,
    "Linear": Linear,
    "MultiheadAttention": MultiheadAttention,
    "RNN": type("RNN", (_Recurrent,), {}),
    "TransformerDecoderLayer": type("TransformerDecoderLayer", (_Transformer,), {}),
    "TransformerEncoder": type("TransformerEncoder", (_Transformer,), {}),
    "TransformerEncoderLayer": type("TransformerEncoderLayer", (_Transformer,), {}),
    "Unflatten": Unflatten,
}
