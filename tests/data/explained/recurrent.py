# SPDX-License-Identifier: Apache-2.0
# A bidirectional encoder, additive attention, and cells, norms and losses.
import torch
import torch.nn.functional as F
from torch import nn


class Reader(nn.Module):
    def __init__(self, words=20, width=8, hidden=6):
        super().__init__()
        self.table = nn.Embedding(words, width, padding_idx=0)
        self.both_ways = nn.GRU(width, hidden, num_layers=2, bidirectional=True)
        self.merge = nn.Linear(2 * hidden, hidden)

    def forward(self, text):
        states, last = self.both_ways(self.table(text))
        forth, back = last[-2], last[-1]
        return states, self.merge(torch.cat([forth, back], dim=-1)).tanh()


class Weights(nn.Module):
    def __init__(self, hidden=6):
        super().__init__()
        self.energy = nn.Linear(3 * hidden, hidden)
        self.direction = nn.Parameter(torch.rand(hidden))

    def forward(self, query, states):
        asked = query[:, None].expand(-1, states.shape[0], -1)
        energy = self.energy(torch.cat([asked, states.transpose(0, 1)], dim=-1)).tanh()
        return F.softmax(energy @ self.direction, dim=1)


text = torch.randint(1, 20, (7, 3))
states, query = Reader()(text)
weights = Weights()(query, states)
context = torch.bmm(weights[:, None], states.permute(1, 0, 2)).permute(1, 0, 2)
h, c = nn.LSTMCell(6, 6)(query)
rows = query.view(1, -1, 6)
mixed, shares = nn.MultiheadAttention(6, 2, batch_first=True)(rows, rows, rows)
normed = nn.BatchNorm1d(6)(query)
windows = nn.Conv1d(12, 4, 3)(states.permute(1, 2, 0))
best = F.max_pool1d(windows, windows.size(2)).squeeze(2)
spread = states.std(dim=0, unbiased=False)
unit = F.normalize(query, p=2, dim=1)
alike = F.cosine_similarity(query, unit)
loss = F.mse_loss(query, torch.zeros_like(query)) + nn.L1Loss()(query, unit)
