# SPDX-License-Identifier: Apache-2.0
# https://github.com/pytorch/pytorch/issues/3653
# Can the batch axes of a transposed tensor be merged by view?
# expect: view line 10
# expect: view line 11
# expect: refused line 12
import torch

batch = torch.empty(5, 2, 3, 4)
batch.view(-1, 3, 4)
batch.transpose(2, 3).view(-1, 4, 3)
batch.transpose(2, 3).view(-1, 12)
