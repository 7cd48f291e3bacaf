# SPDX-License-Identifier: Apache-2.0
# https://github.com/hyunwoongko/transformer/issues/15
# Why view and then transpose in multi-head attention, and not one view with the sizes in the wanted order?
# expect: view line 10
# expect: scramble line 11
import torch

batch, words, heads, width = 2, 4, 3, 2
words_first = torch.arange(batch * words * heads * width).view(batch, words, heads, width)
right = words_first.transpose(1, 2)
wrong = words_first.view(batch, heads, words, width)
print(f"same sizes: {right.shape == wrong.shape}, same elements: {torch.equal(right, wrong)}")
