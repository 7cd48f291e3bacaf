# SPDX-License-Identifier: Apache-2.0
# https://exchangetuts.com/stacking-up-of-lstm-outputs-in-pytorch-1640998685756292
# What does .contiguous().view(-1, hidden) do with the output of an LSTM?
# expect: copy line 21
# expect: refused line 26
import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self, words=50, width=8, hidden=6):
        super().__init__()
        self.hidden = hidden
        self.table = nn.Embedding(words, width)
        self.memory = nn.LSTM(width, hidden, num_layers=2, batch_first=True)
        self.score = nn.Linear(hidden, 1)

    def forward(self, sentences):
        states, _ = self.memory(self.table(sentences))

        each_word = states.contiguous().view(-1, self.hidden)
        return torch.sigmoid(self.score(each_word)), states


scores, states = Tagger()(torch.randint(0, 50, (4, 9)))
states.view(-1, 6)
