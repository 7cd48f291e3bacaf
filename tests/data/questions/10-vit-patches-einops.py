# SPDX-License-Identifier: Apache-2.0
# https://www.motion-boseong.com/blog/einops
# What does the Rearrange layer in a vision transformer do with an image?
# expect: copy line 15
import torch
from torch import nn
from einops.layers.torch import Rearrange

side, width = 4, 16
embed = nn.Sequential(
    Rearrange("n c (rows y) (cols x) -> n (rows cols) (y x c)", y=side, x=side),
    nn.Linear(3 * side * side, width),
    nn.LayerNorm(width),
)
tokens = embed(torch.randn(2, 3, 8, 12))
print(tokens.shape)  # 2 images, 6 patches
