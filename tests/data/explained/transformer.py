# SPDX-License-Identifier: Apache-2.0
# A small transformer with a causal mask, and one step of sampling.
import torch
import torch.nn.functional as F
from torch import nn


class Attending(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads, self.width = heads, width
        self.all_three = nn.Linear(width, 3 * width)
        self.together = nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)
        past = torch.ones(longest, longest).tril()
        self.register_buffer("past", past[None, None])

    def forward(self, rows):
        n, length, _ = rows.shape
        parts = self.all_three(rows).chunk(3, dim=-1)
        asked, known, told = [one.view(n, length, self.heads, -1).transpose(1, 2) for one in parts]
        scores = asked @ known.transpose(-1, -2) * known.size(-1) ** -0.5
        scores = scores.masked_fill(self.past[..., :length, :length] == 0, float("-inf"))
        mixed = self.drop(scores.softmax(dim=-1)) @ told
        return self.together(mixed.transpose(1, 2).reshape(n, length, self.width))


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attending = Attending(width, 4, 16)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.wide = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, rows):
        first, second = self.norms
        rows = rows + self.attending(first(rows))
        return rows + self.wide(second(rows))


class Model(nn.Module):
    def __init__(self, words=40, width=32):
        super().__init__()
        self.tables = nn.ModuleDict({"word": nn.Embedding(words, width), "place": nn.Embedding(16, width)})
        self.layers = nn.ModuleList(Layer(width) for _ in range(2))
        self.score = nn.Linear(width, words, bias=False)
        self.apply(self.start)

    def start(self, module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, text):
        places = torch.arange(text.size(1))[None]
        rows = self.tables["word"](text) + self.tables["place"](places)
        for layer in self.layers:
            rows = layer(rows)
        return self.score(rows)


model = Model().eval()
print(sum(p.numel() for p in model.parameters()))
text = torch.randint(0, 40, (2, 8))
scores = model(text)
loss = F.cross_entropy(scores.flatten(0, 1), text.flatten())
last = scores[:, -1] / 0.8
kept, where = torch.topk(last, 5)
drawn = torch.multinomial(F.softmax(kept, dim=-1), 1)
text = torch.cat([text, where[:, :1]], dim=1)
