# SPDX-License-Identifier: Apache-2.0
# https://github.com/pytorch/pytorch/issues/4664
# What does += do with an expanded tensor?
# expect: view line 10
# expect: refused line 11
# expect: copy line 12
import torch

one = torch.tensor([[3.0]])
many = one.expand(2, 6)
many += 1
many = one.expand(2, 6).clone()
many += 1
print(many.sum().item())
