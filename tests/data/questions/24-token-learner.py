# SPDX-License-Identifier: Apache-2.0
# https://github.com/rish-16/tokenlearner-pytorch/issues/1
# Is a view the way to exchange the first two axes for MultiheadAttention?
# expect: scramble line 11
# expect: scramble line 13
import torch
from torch import nn

attention = nn.MultiheadAttention(4, 2)
tokens = torch.randn(32, 6, 4)
first = tokens.view(6, 32, 4)
mixed, weights = attention(first, first, first)
back = mixed.view(32, 6, 4)
