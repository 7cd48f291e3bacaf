# SPDX-License-Identifier: Apache-2.0
# https://github.com/arogozhnikov/einops/issues/38
# Is what einops.rearrange gives a view, so that it can be written to?
# expect: view line 10
# expect: copy line 13
import torch
from einops import rearrange

x = torch.zeros(4, 6, 8)
y = rearrange(x, "n h w -> n w h")
y[0] = 1.0

z = rearrange(x, "n (h ph) (w pw) -> n h w (ph pw)", ph=2, pw=4)
z.fill_(7)
print(x.max(), y.data_ptr() == x.data_ptr(), z.data_ptr() == x.data_ptr())
