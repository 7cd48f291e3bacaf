# SPDX-License-Identifier: Apache-2.0
# https://github.com/shionhonda/viton-gan/issues/12
# A regression network fails where forward() flattens the feature map.
# expect: view line 24
# expect: refused line 25
import torch
import torch.nn as nn


class GridHead(nn.Module):
    def __init__(self, inputs: int = 6, points: int = 9) -> None:
        super(GridHead, self).__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, 12, 4, stride=2, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(inplace=True),
            nn.Conv2d(12, 5, 3, stride=2, padding=1),
        )
        self.points = nn.Linear(5 * 4 * 3, 2 * points)

    def forward(self, pair):
        features = self.layers(pair)
        # width first, as the other branch has it
        turned = features.transpose(2, 3)
        flat = turned.view(turned.size(0), -1)
        return torch.tanh(self.points(flat))


head = GridHead()
theta = head(torch.randn(2, 6, 16, 12))
print(theta.shape)
