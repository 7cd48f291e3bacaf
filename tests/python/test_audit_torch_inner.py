# SPDX-License-Identifier: Apache-2.0
"""Copies inside operations of PyTorch's that compute: the operation stays, whatever it copies."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

from tenstride.audit import audit  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


def test_a_batch_that_lstm_copies_is_made_in_its_order_and_lstm_stays():
    lstm = nn.LSTM(16, 8, batch_first=True)
    with torch.no_grad():
        with audit() as report:
            lstm(torch.randn(4, 16, 6).permute(0, 2, 1))
        with audit() as after:
            lstm(torch.randn(6, 4, 16).transpose(0, 1))
    copy = max(report.copies, key=lambda copy: copy.bytes_written)
    # oneDNN's lstm copies the batch, that of PyTorch 1.13 multiplies it as a matrix.
    assert copy.fix.startswith(
        (
            "stays: lstm copies what does not lie as (6,4,16):(64,16,1)+0; make it in that order",
            "stays: lstm takes it as (24,16), for which axes 0 and 1 have to merge",
        )
    )
    assert report.saves == 0
    assert after.bytes_written == report.bytes_written - copy.bytes_written


def _permuted(*shape):
    """Of the shape, in memory the other way round."""
    return torch.rand(shape[::-1]).permute(*range(len(shape))[::-1])


COMPUTES = {
    "lstm": lambda: nn.LSTM(16, 8, batch_first=True)(_permuted(4, 6, 16)),
    "lstm of two layers, both ways": lambda: nn.LSTM(16, 8, 2, bidirectional=True)(_permuted(6, 4, 16)),
    "gru": lambda: nn.GRU(16, 8, batch_first=True)(_permuted(4, 6, 16)),
    "rnn": lambda: nn.RNN(16, 8)(_permuted(6, 4, 16)),
    "lstm cell": lambda: nn.LSTMCell(16, 8)(_permuted(4, 16)),
    "packed": lambda: nn.LSTM(16, 8)(
        nn.utils.rnn.pack_padded_sequence(_permuted(6, 4, 16), torch.tensor([6, 5, 3, 3]))
    ),
    "packed, unsorted": lambda: nn.utils.rnn.pack_padded_sequence(
        _permuted(6, 4, 16), torch.tensor([6, 5, 3, 3]), enforce_sorted=False
    ),
    "conv1d": lambda: F.conv1d(_permuted(2, 8, 12), _permuted(4, 8, 3), padding="same"),
    "conv2d": lambda: F.conv2d(_permuted(2, 8, 6, 6), _permuted(4, 8, 2, 2), padding="same"),
    "conv3d": lambda: F.conv3d(_permuted(2, 4, 5, 5, 5), _permuted(4, 4, 2, 2, 2)),
    "conv_transpose2d": lambda: F.conv_transpose2d(_permuted(2, 8, 6, 6), _permuted(8, 4, 2, 2)),
    "conv padded round": lambda: nn.Conv2d(8, 4, 3, padding=1, padding_mode="circular")(_permuted(2, 8, 6, 6)),
    "linear": lambda: F.linear(_permuted(2, 3, 8), _permuted(4, 8)),
    "bilinear": lambda: F.bilinear(_permuted(2, 3, 8), _permuted(2, 3, 8), _permuted(4, 8, 8)),
    "matmul": lambda: _permuted(2, 3, 8) @ _permuted(8, 4),
    "bmm": lambda: torch.bmm(_permuted(2, 3, 8), _permuted(2, 8, 4)),
    "einsum": lambda: torch.einsum("bij,bkj->bik", _permuted(2, 3, 8), _permuted(2, 5, 8)),
    "tensordot": lambda: torch.tensordot(_permuted(2, 3, 8), _permuted(3, 8, 5), 2),
    "kron": lambda: torch.kron(_permuted(2, 3), _permuted(4, 5)),
    "attention": lambda: nn.MultiheadAttention(16, 2, batch_first=True)(*[_permuted(2, 6, 16)] * 3),
    "attention with bias": lambda: nn.MultiheadAttention(16, 2, add_bias_kv=True)(*[_permuted(6, 2, 16)] * 3),
    "encoder": lambda: nn.TransformerEncoderLayer(16, 2, 32)(_permuted(6, 2, 16)),
    "layer_norm": lambda: F.layer_norm(_permuted(2, 3, 8), (8,)),
    "batch_norm": lambda: nn.BatchNorm2d(8)(_permuted(2, 8, 6, 6)),
    "instance_norm": lambda: nn.InstanceNorm2d(8)(_permuted(2, 8, 6, 6)),
    "group_norm": lambda: F.group_norm(_permuted(2, 8, 6, 6), 2),
    "max_pool2d": lambda: F.max_pool2d(_permuted(2, 8, 6, 6), 2),
    "lp_pool2d": lambda: F.lp_pool2d(_permuted(2, 8, 6, 6), 2, 2),
    "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(_permuted(2, 8, 6, 6), 3),
    "embedding": lambda: F.embedding(torch.arange(6).view(2, 3).t(), _permuted(9, 4)),
    "embedding_bag": lambda: F.embedding_bag(torch.arange(6).view(2, 3).t(), _permuted(9, 4)),
    "softmax": lambda: F.softmax(_permuted(2, 3, 8), -1),
    "cross_entropy": lambda: F.cross_entropy(_permuted(3, 5, 8), torch.zeros(3, 8, dtype=torch.int64)),
    "interpolate": lambda: F.interpolate(_permuted(2, 8, 6, 6), scale_factor=2, mode="bicubic"),
    "grid_sample": lambda: F.grid_sample(_permuted(2, 8, 6, 6), _permuted(2, 3, 3, 2), align_corners=False),
    "rfft": lambda: torch.fft.rfft2(_permuted(2, 8, 6, 6)),
    "stft": lambda: torch.stft(_permuted(2, 64), 16, window=torch.ones(16), return_complex=True),
    "sort": lambda: torch.sort(_permuted(2, 3, 8), 1),
    "cdist": lambda: torch.cdist(_permuted(2, 3, 8), _permuted(2, 5, 8)),
    "solve": lambda: torch.linalg.solve(_permuted(4, 4), _permuted(4, 2)),
    "svd": lambda: torch.linalg.svd(_permuted(4, 6)),
    "det": lambda: torch.linalg.det(_permuted(2, 4, 4)),
    "unique": lambda: torch.unique(_permuted(3, 4), dim=1),
    "cov": lambda: torch.cov(_permuted(3, 8)),
    "resolve_conj": lambda: torch.complex(_permuted(2, 3), _permuted(2, 3)).conj().resolve_conj(),
}


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("name", COMPUTES)
@pytest.mark.parametrize("names", ["stack", "functions"])
@pytest.mark.parametrize("needs_grad", [False, True])
def test_what_computes_is_never_dropped(name, names, needs_grad):
    with torch.set_grad_enabled(needs_grad), audit(names=names) as report:
        COMPUTES[name]()
    for copy in report.copies:
        assert not copy.advice.edit and "drop " not in copy.fix, copy.fix
        assert not copy.saves or copy.fix.startswith("call it before "), copy.fix


def test_what_another_s_operation_copies_inside_is_not_advised_to_be_left_out():
    module = torch.jit.CompilationUnit("def loop(x, y):\n    z = x.contiguous()\n    return z.clone() + z[y]\n")
    x = torch.randn(8, 8).t()
    with torch.no_grad(), audit() as report:
        module.loop(x, torch.arange(8))
    assert len(report.copies) >= 2
    assert all(copy.fix.startswith("stays: loop copies ") for copy in report.copies)
    assert report.saves == 0
