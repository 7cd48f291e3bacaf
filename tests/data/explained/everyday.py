# SPDX-License-Identifier: Apache-2.0
# The operations that move, copy and view, one after another.
import torch

x = torch.arange(24).view(2, 3, 4)
y = x.float().mean(dim=1, keepdim=True)
y = x.flip(0), x.roll(1, 2), x.repeat(2, 1, 1), x.unfold(2, 2, 1)
y = x.permute(2, 0, 1).clone(), x.permute(2, 0, 1).float(), x.permute(2, 0, 1) + 1
y = torch.stack([x, x], dim=1), torch.cat([x, x], -1), x.chunk(2, dim=2), x.split([1, 2], 1)
y = x[:, 1], x[..., 0], x[:, [0, 2]], x[x > 5], x[None], x[1, :, ::2]
y = x.expand(5, 2, 3, 4).reshape(-1, 4), x.squeeze(0), x.movedim(0, 2), x.swapaxes(0, 1)
y = x.transpose(0, 1).flatten(1), x.view(-1)[3:9].view(2, 3)
y = x.new_zeros(3), torch.zeros_like(x.permute(2, 0, 1)), x.type(torch.float16), x.double()
y = torch.where(x > 3, x, 0 * x), x.gather(2, x[:, :, :2] % 4), x.diagonal(dim1=0, dim2=1), torch.tril(x[0])
y = x.contiguous(), x.mT, x.mT.contiguous(), x.mT.to(torch.int64), x.detach(), x.unbind(1), x.select(1, 0)
y = x.narrow(2, 1, 2), x.index_select(1, torch.tensor([0, 2])), x.max(1), x.max(), x.sum((0, 2))
z = x.float()
z.mul_(2)
z += 1
z.fill_(3)
z.zero_()
y = torch.broadcast_tensors(x[:1], x), torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
y = x.view(torch.int32), x.as_strided((2, 2), (1, 2)), x.unflatten(2, (2, 2)), x.ravel()
y = torch.einsum("ijk->kji", x), x.float() @ x.float().transpose(1, 2), x.permute(*range(2, -1, -1)).reshape(4, -1)
y = torch.linspace(0, 1, 5), torch.eye(3), torch.full((2, 2), 3), torch.tensor([[1, 2], [3, 4]])
