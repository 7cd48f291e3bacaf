# SPDX-License-Identifier: Apache-2.0
# https://github.com/agrimgupta92/sgan/issues/22
# A view to (-1, 2) fails on the CPU for trajectories that the loader permuted.
# expect: copy line 11
# expect: refused line 15
# expect: copy line 16
import torch

scenes = [torch.randn(people, 2, 5) for people in (3, 1, 2)]
head, *tail = scenes
walks = torch.cat([head, *tail], dim=0).permute(2, 0, 1)

print("strides:", walks.stride())

points = walks.view(-1, 2)
points = walks.reshape(-1, 2)
assert list(map(len, scenes)) == [3, 1, 2]
