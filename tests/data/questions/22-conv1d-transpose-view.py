# SPDX-License-Identifier: Apache-2.0
# https://github.com/pytorch/pytorch/issues/764
# view() fails behind transpose() with a gradient in between. Is that to be expected?
# expect: copy line 13
# expect: view line 13
# expect: refused line 18
import numpy as np
import torch
from torch.autograd import Variable
from torch.nn import Conv1d

noise = np.random.randn(3, 7, 4)
steps = Variable(torch.from_numpy(noise).float(), requires_grad=True).transpose(1, 2)

layer = Conv1d(4, 6, kernel_size=3)
out = layer(steps)
# channels first, to score them one by one
flat = out.transpose(0, 1).view(-1)
out.sum().backward()
