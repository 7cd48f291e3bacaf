# SPDX-License-Identifier: Apache-2.0
# https://github.com/pytorch/pytorch/issues/2013
# Softmax over the channels of an N x C x H x W tensor by views: does view keep them together?
# expect: scramble line 12
# expect: copy line 15
# expect: view line 15
import torch
import torch.nn.functional as F

N, C, H, W = 2, 3, 2, 4
t = torch.rand(N, C, H, W)
wrong = t.view(N, H, W, C)

# channels last, then one row for each pixel
rows = t.permute(0, 2, 3, 1).reshape(-1, C)
probabilities = F.softmax(rows, dim=1).view(N, H, W, C).permute(0, 3, 1, 2)
assert probabilities.shape == t.shape, "the shape must come back"
