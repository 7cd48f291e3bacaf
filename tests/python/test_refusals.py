# SPDX-License-Identifier: Apache-2.0
"""What the docstrings say is refused, is refused with that exception."""

from __future__ import annotations

import builtins

import pytest
import tenstride

# What is refused, and the exception, one a line.
REFUSED = """
z(2, 3).T.view(6) -> ViewError
z(2, 3).view(7) -> ShapeError
z(3, dtype=torch.uint8).view(torch.int32) -> RuntimeError
z(2).view_as(z(3)) -> ShapeError
z(2, 3).permute(0, 0) -> RuntimeError
z(2, 3).permute(0) -> RuntimeError
z(2, 3).permute(0, 5) -> IndexError
z(2).transpose(0, 3) -> IndexError
z(2, 3).movedim((0, 0), (0, 1)) -> RuntimeError
z(2, 3).movedim((0,), (0, 1)) -> RuntimeError
z(2).movedim(0, 4) -> IndexError
z(2, 2, 2).t() -> RuntimeError
z(2).mT -> RuntimeError
z(2).mH -> RuntimeError
z(2).adjoint() -> RuntimeError
z(2).H -> RuntimeError
z(2, 2, 2).H -> RuntimeError
z(1).squeeze(4) -> IndexError
z(1).unsqueeze(4) -> IndexError
z(2, 6).unflatten(1, (4, 2)) -> RuntimeError
z(3).expand(4) -> RuntimeError
z(3).broadcast_to((4,)) -> RuntimeError
z(3).as_strided((2,), (1, 1)) -> RuntimeError
z(3).as_strided((2,), (-1,)) -> RuntimeError
z(3).as_strided((2,), (1,), -1) -> RuntimeError
z(3).as_strided((5,), (1,)) -> RuntimeError
z(3).select(0, 5) -> IndexError
z(3).select(2, 0) -> IndexError
z(3).narrow(0, 5, 1) -> IndexError
z(3).narrow(0, 2, 3) -> RuntimeError
z(3).narrow(0, 0, -1) -> RuntimeError
z(3).slice(0, 0, 2, 0) -> RuntimeError
z(3).slice(0, 0, 2, -1) -> RuntimeError
z(3, 3).diagonal(0, 1, 1) -> RuntimeError
z(3, 3).diagonal(0, 1, 4) -> IndexError
torch.linalg.diagonal(z(3, 3), dim1=1) -> RuntimeError
z(3).unfold(0, 4, 1) -> RuntimeError
z(3).unfold(0, 1, 0) -> RuntimeError
torch.view_as_real(z(2)) -> RuntimeError
torch.view_as_real(z(2, dtype=C).conj()) -> RuntimeError
torch.view_as_complex(z(3)) -> RuntimeError
z(2).imag -> RuntimeError
torch.tensor(1).unbind() -> IndexError
z(1).unbind(3) -> IndexError
z(5).split(-1) -> RuntimeError
z(5).split((1, 2)) -> RuntimeError
z(5).split_with_sizes((1, 2)) -> RuntimeError
z(5).chunk(0) -> RuntimeError
z(5).tensor_split(0) -> RuntimeError
z(5).tensor_split(2, 3) -> IndexError
torch.tensor(1).hsplit(1) -> RuntimeError
z(5).hsplit(2) -> RuntimeError
z(5).vsplit(1) -> RuntimeError
z(5, 1).vsplit(2) -> RuntimeError
z(5, 2).dsplit(1) -> RuntimeError
z(1, 1, 5).dsplit(2) -> RuntimeError
torch.broadcast_tensors(z(2), z(3)) -> RuntimeError
torch.meshgrid(z(2, 2)) -> RuntimeError
torch.meshgrid(z(2), a(2)) -> RuntimeError
z(2, 3).T.reshape(6, copy=False) -> ViewError
z(2).reshape(3) -> ShapeError
z(2, 3).flatten(0, 4) -> IndexError
z(2, 3).flatten(1, 0) -> RuntimeError
torch.rearrange(z(2), "a b -> a") -> RuntimeError
torch.reduce(z(2), "a b -> a", "sum") -> RuntimeError
z(2, 3).repeat(2) -> RuntimeError
z(2).contiguous(memory_format=torch.channels_last) -> RuntimeError
z(2).to(memory_format=torch.channels_last) -> RuntimeError
z(2).flip(0, 0) -> RuntimeError
z(2).flip(3) -> IndexError
z(2).fliplr() -> RuntimeError
torch.tensor(1).flipud() -> RuntimeError
z(2, 2).rot90(1, (0, 0)) -> RuntimeError
z(2).roll((1, 2), 0) -> RuntimeError
z(2).repeat_interleave(-1) -> RuntimeError
z(2).repeat_interleave(torch.tensor([1, 2, 3])) -> RuntimeError
z(2).tril() -> RuntimeError
z(2).triu() -> RuntimeError
torch.cat([]) -> RuntimeError
torch.cat([torch.tensor(1)]) -> RuntimeError
torch.cat([z(2, 3), z(2, 4)]) -> RuntimeError
torch.stack([]) -> RuntimeError
torch.stack([z(2), z(3)]) -> RuntimeError
torch.hstack([z(2, 1), z(3, 1)]) -> RuntimeError
torch.vstack([z(2), z(3)]) -> RuntimeError
torch.dstack([z(2), z(3)]) -> RuntimeError
torch.column_stack([z(2), z(3)]) -> RuntimeError
torch.block_diag(z(1, 1, 1)) -> RuntimeError
torch.empty(2, device="meta").cpu() -> RuntimeError
torch.empty(-1) -> RuntimeError
z(-1) -> RuntimeError
torch.ones(-1) -> RuntimeError
torch.full((-1,), 1) -> RuntimeError
torch.empty_strided((1,), (1, 1)) -> RuntimeError
torch.empty_strided((1,), (-1,)) -> RuntimeError
a(0, 3, 0) -> RuntimeError
a(3, 0) -> RuntimeError
torch.linspace(0, 1, -1) -> RuntimeError
torch.eye(-1) -> RuntimeError
torch.tensor([[1], [1, 2]]) -> ValueError
torch.tensor("a") -> TypeError
torch.device("gpu") -> RuntimeError
torch.randint(5, 5, (2,)) -> RuntimeError
torch.randperm(-1) -> RuntimeError
z(2).size(3) -> IndexError
z(2).stride(3) -> IndexError
z(2).item() -> RuntimeError
z(0).item() -> RuntimeError
torch.broadcast_shapes((2,), (3,)) -> RuntimeError
torch.promote_types(torch.uint64, torch.int64) -> RuntimeError
z(2).allclose(z(2).double()) -> RuntimeError
z(2).allclose(z(3)) -> RuntimeError
z(2).copy_(z(3)) -> RuntimeError
z(1).expand(2).copy_(z(2)) -> RuntimeError
z(2).set_(z(2).storage(), -1, (1,)) -> RuntimeError
z(2).set_(z(2, dtype=torch.int32)) -> RuntimeError
z(2).transpose_(0, 4) -> IndexError
z(2, 2, 2).t_() -> RuntimeError
z(2).unsqueeze_(5) -> IndexError
z(2).add(z(3)) -> RuntimeError
z(2).bool().sub(z(2).bool()) -> RuntimeError
z(2).div(2, rounding_mode="x") -> RuntimeError
a(2).div(0, rounding_mode="floor") -> RuntimeError
a(2).floor_divide(0) -> RuntimeError
a(2).remainder(0) -> RuntimeError
a(2).pow(-1) -> RuntimeError
z(2).bool().neg() -> RuntimeError
z(2, dtype=C).maximum(z(2, dtype=C)) -> RuntimeError
z(2, dtype=C).minimum(z(2, dtype=C)) -> RuntimeError
z(2).clamp() -> RuntimeError
torch.where(a(2), z(2), z(2)) -> RuntimeError
torch.where(z(2)>0, z(3), z(2)) -> RuntimeError
z(2).bitwise_and(1) -> RuntimeError
z(2).bitwise_not() -> RuntimeError
z(2).eq(z(3)) -> RuntimeError
z(2, dtype=C).lt(1) -> RuntimeError
z(2, dtype=C).ge(1) -> RuntimeError
z(2).sum(4) -> IndexError
z(2, 2).sum((0, 0)) -> RuntimeError
a(2).mean() -> RuntimeError
z(0).amax() -> RuntimeError
z(0).amax(0) -> IndexError
z(2, dtype=C).amax() -> RuntimeError
z(0).max() -> RuntimeError
z(2, dtype=C).max() -> RuntimeError
z(0).argmax() -> IndexError
z(2).add_(z(3)) -> RuntimeError
a(2).add_(0.5) -> RuntimeError
a(2).logical_and_(z(3)) -> RuntimeError
a(2).div_(2) -> RuntimeError
"""

NAMES = {
    "torch": tenstride,
    "z": tenstride.zeros,
    "a": tenstride.arange,
    "C": tenstride.complex64,
}


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_is_refused(line):
    code, _, name = line.rpartition(" -> ")
    error = getattr(tenstride, name, None) or getattr(builtins, name)
    with pytest.raises(error) as refusal:
        eval(code, dict(NAMES))
    assert len(str(refusal.value)) > 10
    assert ":" in str(refusal.value)
