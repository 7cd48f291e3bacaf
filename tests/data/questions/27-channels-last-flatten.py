# SPDX-License-Identifier: Apache-2.0
# https://github.com/fl16180/small-object-detection/issues/2
# The same network runs until its input is channels_last: where does the layout come from?
# expect: copy line 13
# expect: refused line 16
# expect: copy line 18
import torch
import torch.nn.functional as F

torch.manual_seed(0)
w = torch.randn(6, 3, 3, 3)
x = torch.randn(2, 3, 8, 8)
x = x.contiguous(memory_format=torch.channels_last)
features = F.relu(F.conv2d(x, w, padding=1))
n = features.size(0) if features.dim() == 4 else 1
flat = features.view(n, -1)
assert not features.is_contiguous()
flat = features.reshape(n, -1)
