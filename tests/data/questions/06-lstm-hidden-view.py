# SPDX-License-Identifier: Apache-2.0
# https://github.com/graykode/nlp-tutorial/issues/38
# Does h_n.view(batch, hidden * 2, 1) put the two directions of each example side by side?
# expect: scramble line 15
# expect: copy line 16
import torch
from torch import nn

n_hidden, batch = 5, 3
lstm = nn.LSTM(input_size=4, hidden_size=n_hidden, bidirectional=True)
embedded = torch.randn(7, batch, 4)
output, (final_hidden, final_cell) = lstm(embedded)

# num_directions, batch, hidden -> batch, directions, hidden
mixed = final_hidden.view(batch, 2, n_hidden)
right = final_hidden.permute(1, 0, 2).reshape(batch, n_hidden * 2, 1)
print(mixed.size(), right.size())
