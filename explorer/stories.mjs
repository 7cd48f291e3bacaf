// SPDX-License-Identifier: Apache-2.0
// Examples by story. Each is run in the tests, natively and in the browser, with the same result.

export const stories = [
  {
    title: "Why it is refused",
    examples: [
      ["view after a transpose", "x = torch.arange(6).view(2, 3)\nx.t().view(-1)"],
      ["view after permute", "x = torch.randn(2, 3, 2)\nx.permute(0, 2, 1).view(-1)"],
      ["every second column", "x = torch.arange(24).view(4, 6)\nx[:, ::2].view(12)"],
      ["after expand", "x = torch.arange(3).view(3, 1).expand(3, 4)\nx.view(12)"],
      ["the wrong number of elements", "torch.arange(6).view(4, 2)"],
    ],
  },
  {
    title: "View or copy",
    examples: [
      ["reshape after permute copies", "x = torch.arange(24).view(2, 3, 4)\ny = x.permute(2, 0, 1)\nz = y.reshape(8, 3)"],
      ["two names, one storage", "x = torch.arange(6).view(2, 3)\ny = x.T\ny[2].fill_(9)\nx"],
      ["a slice: an offset and gaps", "x = torch.arange(15).view(3, 5)\nx[1:, ::2]"],
      ["expand repeats without memory", "x = torch.arange(3)\nx.expand(4, 3)"],
      ["the same bytes, another type", "torch.tensor([1.0, 2.0, 3.0]).view(torch.int16)"],
      ["when contiguous does nothing", "x = torch.arange(6).view(2, 3)\nx.contiguous()\nx.t().contiguous()"],
    ],
  },
  {
    title: "Attention heads",
    examples: [
      ["split into heads", "batch = 2\ntime = 3\nheads = 2\ndim = 4\nx = torch.arange(batch * time * heads * dim).view(batch, time, heads * dim)\nq = x.view(batch, time, heads, dim).transpose(1, 2)"],
      ["join them again", "batch = 2\ntime = 3\nheads = 2\ndim = 4\ny = torch.zeros(batch, heads, time, dim)\ny.transpose(1, 2).reshape(batch, time, heads * dim)"],
      ["joined by view: refused", "y = torch.zeros(2, 2, 3, 4)\ny.transpose(1, 2).view(2, 3, 8)"],
      ["joined the wrong way", "y = torch.arange(48).view(2, 2, 3, 4)\ny.reshape(2, 3, 8)"],
    ],
  },
  {
    title: "Images",
    examples: [
      ["HWC to CHW", "image = torch.arange(24).view(2, 4, 3)\nimage.permute(2, 0, 1).contiguous()"],
      ["channels last", "x = torch.zeros(1, 3, 4, 4).contiguous(memory_format=torch.channels_last)"],
      ["pixel shuffle", "r = 2\nx = torch.arange(16).view(1, r * r, 2, 2)\ny = x.view(1, r, r, 2, 2).permute(0, 3, 1, 4, 2)\ny.reshape(1, 1, 2 * r, 2 * r)"],
      ["patches", "image = torch.arange(16).view(4, 4)\nimage.unfold(0, 2, 2).unfold(1, 2, 2)"],
      ["sliding windows", "torch.arange(8).unfold(0, 3, 1)"],
    ],
  },
  {
    title: "Reshape against transpose",
    examples: [
      ["side by side", "x = torch.arange(6).view(2, 3)\nx.reshape(3, 2)", "x = torch.arange(6).view(2, 3)\nx.transpose(0, 1)"],
      ["a scramble in a batch", "x = torch.arange(12).view(2, 2, 3)\nx.reshape(2, 3, 2)", "x = torch.arange(12).view(2, 2, 3)\nx.transpose(1, 2)"],
    ],
  },
  {
    title: "einops",
    examples: [
      ["join heads", "x = torch.zeros(2, 3, 4, 5)\nrearrange(x, 'b h t d -> b t (h d)')"],
      ["patches of an image", "x = torch.arange(48).view(3, 4, 4)\nrearrange(x, 'c (h p) (w q) -> (h w) (p q c)', p=2, q=2)"],
      ["mean over patches", "x = torch.arange(16.).view(4, 4)\nreduce(x, '(h p) (w q) -> h w', 'mean', p=2, q=2)"],
      ["repeat", "x = torch.arange(4).view(2, 2)\nrepeat(x, 'h w -> (h 2) w')"],
    ],
  },
  {
    title: "As the tutorials have it",
    examples: [
      ["one storage, three shapes", "X = torch.arange(6).reshape(2, 3)\nX.view(3, 2)\nX.reshape(3, 2)\nX.T.reshape(-1)"],
      ["the same shape, other elements", "X = torch.arange(120).reshape(2, 3, 4, 5)\nX.transpose(0, 2)", "X = torch.arange(120).reshape(2, 3, 4, 5)\nX.reshape(4, 3, 2, 5)"],
      ["equal shapes are not equal tensors", "a = torch.randn(1, 2, 3, 4)\nb = a.transpose(1, 2)\nc = a.view(1, 3, 2, 4)\ntorch.equal(b, c)"],
      ["stride by stride", "x = torch.randn(2, 3, 2)\nx.stride()\nx_permuted = x.permute(0, 2, 1)\nx_permuted.stride()\nx_permuted.is_contiguous()\nx_permuted.contiguous().view(-1)"],
      ["a list of numbers, reshaped", "data = [1, 2, 3, 4, 5, 6, 7, 8]\ntens_A = torch.tensor(data).reshape(shape=(2, 4))\ntens_B = torch.tensor(data).reshape(shape=(2, 2, 2))"],
      ["a transposed view of a matrix", "x = torch.tensor([[1, 2, 3], [4, 5, 6]])\nx.t()\nx.t().storage()"],
    ],
  },
  {
    title: "Large and on devices",
    examples: [
      ["a terabyte, on meta", "x = torch.zeros(10**6, 10**6)\nx.t().contiguous()"],
      ["to another device", "x = torch.zeros(1024, 1024).t()\nx.to('cuda')"],
    ],
  },
];
