# SPDX-License-Identifier: Apache-2.0
# https://coderapp.vercel.app/answer/68695219
# What is the difference between (h n) and (n h) in the patterns of rearrange?
# expect: copy line 11
# expect: copy line 12
# expect: copy line 14
import torch
from einops import rearrange

rows = torch.arange(18).reshape(6, 3)
pairs_last = rearrange(rows, '(group two) c -> (two group) c', two = 2)
pairs_first = rearrange(rows, '(two group) c -> (group two) c', two = 2)
# each undoes the other
back = rearrange(pairs_last, '(two group) c -> (group two) c', two = 2)
assert torch.equal(back, rows), 'not the inverse'
