# SPDX-License-Identifier: Apache-2.0
# https://github.com/MLI-lab/early_stopping_double_descent/issues/4
# Why does the top-k accuracy of a training script fail in .view(-1)?
# expect: view line 17
# expect: copy line 20
# expect: refused line 20
import torch


def shares_of_hits(scores: torch.Tensor, wanted: torch.Tensor, ranks=(1,)):
    """For each k the percentage of rows whose wanted class is among the k best."""
    shares = {}
    with torch.no_grad():
        best = scores.topk(max(ranks), dim=1).indices

        # one column for each row of the batch
        by_rank = best.t()
        hits = by_rank == wanted.reshape(1, -1).expand_as(by_rank)
        for k in ranks:
            shares[k] = hits[:k].view(-1).float().sum(0, keepdim=True)
            shares[k].mul_(100 / len(wanted))
    return shares


print(shares_of_hits(torch.randn(6, 9), torch.randint(0, 9, (6,)), ranks=(1, 3)))
