#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What two models of PyTorch's own modules copy in a forward pass, found by ``tenstride.audit``.

A transformer that mixes sequence-first and batch-first layers, its attention written by hand as people write
it; and a small convolutional net fed with images as decoders give them (height, width, channels). Prints both
reports; with a folder as argument also writes transformer.html, convnet.html and their traces there.
"""

import pathlib
import sys

import tenstride.audit
import torch
from torch import nn


class Attention(nn.Module):
    """Multi-head attention with the heads split and joined by hand. Batch first."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = self.qkv(x).view(batch, time, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5).softmax(-1)
        joined = (weights @ v).transpose(1, 2).contiguous().view(batch, time, width)
        return self.out(joined)


class Encoder(nn.Module):
    """Embeds, encodes by PyTorch's layer (sequence first), attends once more by hand, pools."""

    def __init__(self, words=1000, width=64, heads=4, classes=10):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layer = nn.TransformerEncoderLayer(width, heads, 4 * width)
        self.attention = Attention(width, heads)
        self.head = nn.Linear(width, classes)

    def forward(self, words):
        x = self.embed(words)  # batch, time, width
        x = self.layer(x.permute(1, 0, 2))  # the layer wants time first
        x = x.permute(1, 0, 2).contiguous()
        x = x + self.attention(x)
        last = x[:, [-1]].flatten(1)  # the last word stands for all
        return self.head(last)


class ConvNet(nn.Module):
    """Two convolutions, pooling, and a classifier of the flattened features."""

    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(4),
        )
        self.classify = nn.Sequential(nn.Flatten(), nn.Linear(32 * 16, classes))

    def forward(self, images):
        x = images.permute(0, 3, 1, 2).float() / 255  # N,H,W,C bytes to N,C,H,W
        return self.classify(self.features(x))


def main():
    torch.manual_seed(0)
    encoder, net = Encoder().train(), ConvNet().train()
    words = torch.randint(1000, (8, 32))
    images = torch.randint(256, (8, 64, 64, 3), dtype=torch.uint8)

    with tenstride.audit() as transformer:
        encoder(words)
    with tenstride.audit() as convnet:
        net(images)

    for name, report in (("transformer", transformer), ("convnet", convnet)):
        print(f"== {name}\n{report}\n")
        if len(sys.argv) > 1:
            folder = pathlib.Path(sys.argv[1])
            (folder / f"{name}.html").write_text(report.to_html(f"Copies of the {name}"), encoding="utf-8")
            (folder / f"{name}.json").write_text(report.to_trace(), encoding="utf-8")


if __name__ == "__main__":
    main()
