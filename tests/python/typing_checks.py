# SPDX-License-Identifier: Apache-2.0
"""The API as users write it, for mypy --strict; a test runs it too. What must not pass carries `type: ignore`, and
mypy complains where such a line passes after all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import tenstride
import tenstride as torch
import tenstride.numpy as tnp
from tenstride import Size, Tensor
from tenstride.audit import Report
from tenstride.distributed import (
    Distribution,
    Placement,
    Ranks,
    RedistributionPlan,
    Redistributor,
    Shard,
    distribute,
    plan_redistribution,
    redistribute,
)
from typing_extensions import assert_type


def factories() -> Tensor:
    assert_type(torch.zeros(2, 3), Tensor)
    assert_type(torch.zeros((2, 3), dtype=torch.float64), Tensor)
    assert_type(torch.empty(2, device="meta"), Tensor)
    assert_type(torch.full((2,), 1.5, dtype=float), Tensor)
    assert_type(torch.arange(6), Tensor)
    assert_type(torch.arange(0, 6, 2, dtype=torch.int32), Tensor)
    assert_type(torch.tensor([[1, 2], [3, 4]]), Tensor)
    assert_type(torch.randint(3, (2, 2)), Tensor)
    assert_type(torch.zeros_like(torch.ones(2), memory_format=torch.preserve_format), Tensor)
    assert_type(torch.linalg.diagonal(torch.eye(3)), Tensor)
    return torch.arange(24).view(2, 3, 4)


def views(x: Tensor) -> None:
    assert_type(x.view(6, 4), Tensor)
    assert_type(x.view((6, 4)), Tensor)
    assert_type(x.view(torch.uint8), Tensor)
    assert_type(x.permute(2, 0, 1), Tensor)
    assert_type(torch.permute(x, (2, 0, 1)), Tensor)
    assert_type(x.reshape(shape=(4, 6)), Tensor)
    assert_type(x.transpose(-1, -2).T.mT, Tensor)
    assert_type(x.expand(5, -1, -1, -1), Tensor)
    assert_type(x.split(2, dim=1), tuple[Tensor, ...])
    assert_type(x.unbind(), tuple[Tensor, ...])
    assert_type(x.squeeze().unsqueeze(0), Tensor)
    assert_type(x[0, 1:, None, ..., ::-1], Tensor)
    assert_type(x[[0, 1]], Tensor)
    assert_type(x[x > 3], Tensor)
    x[0] = 1.5
    x[..., 0] = torch.zeros(2, 3)


def questions(x: Tensor) -> None:
    assert_type(x.shape, Size)
    assert_type(x.shape[1:], Size)
    assert_type(x.size(), Size)
    assert_type(x.size(0), int)
    assert_type(x.stride(), tuple[int, ...])
    assert_type(x.stride(-1), int)
    assert_type(x.dtype, torch.dtype)
    assert_type(x.dtype.itemsize, int)
    assert_type(x.device, torch.device)
    assert_type(x.is_contiguous(memory_format=torch.contiguous_format), bool)
    assert_type(x.data_ptr(), int)
    assert_type(x.storage(), torch.TypedStorage)
    assert_type(x.untyped_storage().nbytes(), int)
    assert_type(x.tolist(), Any)
    assert_type(len(x), int)
    assert_type(iter(x), Iterator[Tensor])
    assert_type(torch.broadcast_shapes((3, 1), (4,)), Size)
    assert_type(torch.is_tensor(x), bool)


def arithmetic(x: Tensor) -> None:
    assert_type(x + 1, Tensor)
    assert_type(2.0 / (x + 1), Tensor)
    assert_type(-x % 3, Tensor)
    assert_type(x == x, Tensor)
    assert_type((x > 2) & (x < 5), Tensor)
    assert_type(x.sum(), Tensor)
    assert_type(x.sum((0, 1), keepdim=True), Tensor)
    assert_type(x.max(), Tensor)
    assert_type(x.max(1).values, Tensor)
    largest, where = x.max(1)
    assert_type(largest, Tensor)
    assert_type(where, Tensor)
    assert_type(torch.max(x, x), Tensor)
    assert_type(torch.where(x > 2, x, 0), Tensor)
    assert_type(x.add_(1), Tensor)
    x += 1
    assert_type(x, Tensor)
    assert_type(bool(x.any()), bool)
    assert_type(float(x.sum()), float)


def copies(x: Tensor) -> None:
    assert_type(x.to(torch.float64), Tensor)
    assert_type(x.to("meta"), Tensor)
    assert_type(x.to(dtype=torch.float16, copy=True), Tensor)
    assert_type(x.to(torch.ones(1)), Tensor)
    assert_type(x.type(), str)
    assert_type(x.type(torch.int8), Tensor)
    assert_type(x.contiguous().clone(memory_format=torch.preserve_format), Tensor)
    assert_type(torch.cat([x, x], dim=1), Any)
    assert_type(tenstride.rearrange(x, "a b c -> (a b) c"), Any)
    with tenstride.CopyLedger() as ledger:
        x.T.contiguous()
    assert_type(ledger, tenstride.CopyLedger)
    assert_type(ledger.copies, int)
    assert_type(ledger.entries, list[dict[str, Any]])
    with tenstride.NoCopy():
        x.view(-1)


def exchange(x: Tensor) -> None:
    assert_type(torch.from_numpy(numpy.zeros((2, 3))), Tensor)
    assert_type(torch.asarray([1, 2], dtype=torch.int8), Tensor)
    assert_type(x.numpy().shape, tuple[Any, ...])
    assert_type(x.__dlpack_device__(), tuple[int, int])
    assert_type(torch.from_dlpack(x), Tensor)


def explanations(x: Tensor) -> None:
    why = tenstride.why_not_view(x.T, (24,))
    assert why is not None
    assert_type(why.fixes[0].code, str)
    assert_type(tenstride.show(x).to_svg(), str)
    assert_type(tenstride.explain("x.T", x=x).copies, int)
    assert_type(tenstride.explain(x), str)
    assert_type(str(tenstride.explore("torch.zeros(2)", height=300)), str)
    assert_type(tenstride.lazy(x).permute(2, 0, 1).reshape((4, 6)).materialize(), Tensor)
    assert_type(tnp.flip(x), Tensor)
    with tenstride.audit() as report:
        pass
    assert_type(report, Report)
    assert_type(report.total_bytes, int)
    try:
        x.T.view(24)
    except torch.ViewError as error:
        assert_type(str(error), str)


def distributions(x: Tensor) -> None:
    held = distribute((4, 6), mesh=2, placements=[Shard(0)])
    assert_type(held, Distribution)
    assert_type(held.placements, tuple[Placement, ...])
    assert_type(held.view(24), Distribution)
    assert_type(held.local_shape(0), Size)
    assert_type(tenstride.distributed.Replicate(), Placement)
    plan = plan_redistribution(held, held.permute(1, 0), order=(1, 0), dtype=torch.float64)
    assert_type(plan, RedistributionPlan)
    assert_type(plan.exchanges, list[tuple[int, int, int]])


def ranks_of_mpi(comm: Any, x: Tensor, held: Distribution) -> None:
    with Ranks(comm) as ranks:
        assert_type(ranks.empty((2, 3), dtype=torch.float64), Tensor)
        Redistributor(ranks, plan_redistribution(held, held)).run(x, x.clone())
        redistribute(ranks, x, held, held)
        redistribute(ranks, x, held, "S(0)")  # type: ignore[arg-type]


def refused_by_mypy(x: Tensor) -> None:
    x.permute("a")  # type: ignore[arg-type]
    x.sise()  # type: ignore[attr-defined]
    torch.zeros("a")  # type: ignore[arg-type]
    torch.cat([x], axes=0)  # type: ignore[call-arg]
    x.is_contiguous(memory_format=True)  # type: ignore[arg-type]
    x.numel() + "a"  # type: ignore[operator]
    x.shape = (1, 2)  # type: ignore[misc, assignment]


def use() -> None:
    """All of it, as it runs."""
    for part in (views, questions, arithmetic, copies, exchange, explanations, distributions):
        part(factories())
