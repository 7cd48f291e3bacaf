# SPDX-License-Identifier: Apache-2.0
# https://github.com/ultralytics/yolov5/issues/10524
# Why does the detection layer permute after view, and not view to the wanted sizes?
# expect: copy line 23
# expect: view line 23
# expect: scramble line 28
from typing import List

import torch
from torch import Tensor, nn


class Boxes(nn.Module):
    """For each cell of each map some boxes, each with some numbers."""

    def __init__(self, boxes=2, numbers=5, channels=(4, 6)):
        super().__init__()
        self.sizes = boxes, numbers
        self.score = nn.ModuleList(nn.Conv2d(c, boxes * numbers, 1) for c in channels)

    def forward(self, maps: List[Tensor]):
        last = lambda t: t.permute(0, 1, 3, 4, 2)
        return [last(f(m).view(-1, *self.sizes, *m.shape[2:])).contiguous() for f, m in zip(self.score, maps)]


found = Boxes()([torch.zeros(1, 4, 3, 3), torch.zeros(1, 6, 2, 4)])
numbered = torch.arange(60).view(1, 3, 5, 2, 2)
wrong = numbered.view(1, 3, 2, 2, 5)
