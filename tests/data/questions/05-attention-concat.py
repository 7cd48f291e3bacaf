# SPDX-License-Identifier: Apache-2.0
# https://github.com/hyunwoongko/transformer/issues/21
# What is .contiguous() for when the heads are put together again?
# expect: view line 19
# expect: copy line 25
# expect: view line 25
import torch
import torch.nn as nn
import torch.nn.functional as F


class Heads(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.count = count
        self.maps = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])

    def apart(self, rows):
        return rows.view(*rows.shape[:2], self.count, -1).transpose(1, 2)

    def forward(self, *inputs):
        asked, known, told = (self.apart(one(rows)) for one, rows in zip(self.maps, inputs))
        weights = F.softmax(asked @ known.mT / asked.size(-1) ** 0.5, dim=-1)
        found = weights @ told
        return found.transpose(1, 2).contiguous().view(inputs[0].shape)


rows = torch.randn(2, 5, 12)
print(Heads(12, 3)(rows, rows, rows).shape)
