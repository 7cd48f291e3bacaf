# SPDX-License-Identifier: Apache-2.0
# https://github.com/gupta-abhay/pytorch-vit/issues/7
# Patches by unfold, made flat by view: are the pixels of a patch together?
# expect: copy line 12
# expect: view line 12
# expect: copy line 17
# expect: scramble line 13
import torch

N, C, P = 2, 3, 4
x = torch.randn(N, C, 8, 8)
patches = x.unfold(2, P, P).unfold(3, P, P).contiguous()
mixed = patches.view(N, -1, P * P * C)

# better: all channels of one patch in a row
p = patches.view(N, C, -1, P**2).permute(0, 2, 1, 3)
words = p.reshape(N, -1, C * P**2)
print(mixed.shape == words.shape)
