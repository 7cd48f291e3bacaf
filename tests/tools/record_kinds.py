#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real PyTorch answers to single calls, for tests/python/test_pytorch_calls.py.

Run by hand where PyTorch 2.6 is installed:  tests/tools/record_kinds.py > tests/data/kinds.jsonl

One JSON object a line: {"call"} and either {"gives"}, the repr of what the expression gives, or {"raises"}, the
builtin class of its error. Names in the expressions: torch, numpy, and those of `NAMES`, made anew for each.
"""

import json

import numpy
import torch

NAMES = {
    "a": "torch.arange(10)",
    "b": "torch.ones(2, 3)",
    "c": "torch.zeros(4, dtype=torch.complex64)",
    "d": "torch.zeros(4, dtype=torch.float64)",
    "h": "torch.zeros(4, dtype=torch.float16)",
    "g": "torch.zeros(4, dtype=torch.bfloat16)",
    "i": "torch.zeros(4, dtype=torch.int64)",
    "m": "torch.empty(2, 3, device='meta')",
    "n": "torch.ones(1, 3)",
    "o": "torch.ones(1, 1, 2)",
    "s": "torch.tensor(1.5)",
    "t": "torch.zeros(4, dtype=torch.bool)",
    "u": "torch.zeros(4, dtype=torch.uint8)",
    "x": "torch.zeros(4)",
    "y": "torch.ones(2, 3)",
    "z": "torch.zeros(5, 8)",
}
SAME = "[one is other for one, other in zip({}, {})]"

CALLS = f"""
torch.broadcast_shapes(1, 4)
torch.broadcast_shapes(4)
torch.broadcast_shapes((2, 1), 4)
torch.broadcast_shapes((2, 1), [4])
torch.broadcast_shapes([1, 2], [3, 1])
torch.broadcast_shapes((1,), (3, 1), torch.Size([2, 1, 1]))
torch.broadcast_shapes()
torch.broadcast_shapes(())
torch.broadcast_shapes((), 3)
torch.broadcast_shapes((2, 3))
torch.broadcast_shapes(0, 1)
torch.broadcast_shapes(0, 2)
torch.broadcast_shapes(2, 3)
torch.broadcast_shapes(-1)
torch.broadcast_shapes((-1, 3))
torch.broadcast_shapes(((1, 2), (3, 1)))
torch.broadcast_shapes((2, "a"))
torch.broadcast_shapes("a")
torch.broadcast_shapes(1.5)
torch.broadcast_shapes(s)
f"{{s}}"
f"{{s:.2f}}"
f"{{s!s}}"
f"{{s!r:>20}}"
"{{:>10}}".format(s)
"%s %.1f" % (s, s)
f"{{torch.tensor([1.5])}}"
f"{{torch.tensor([1.5]):.2f}}"
f"{{torch.tensor([1.5, 2.5]):.2f}}"
f"{{torch.tensor([1.5, 2.5])}}"
f"{{torch.tensor(3):5d}}"
f"{{torch.tensor(3):5.1f}}"
f"{{torch.tensor(3):x}}"
f"{{torch.tensor([3]):x}}"
f"{{torch.tensor(True)}}"
f"{{torch.tensor(True):d}}"
f"{{torch.tensor(1 + 2j)}}"
f"{{torch.tensor(1 + 2j):.1f}}"
f"{{torch.tensor(0.1)}}"
f"{{torch.tensor(0.1):.3}}"
f"{{torch.tensor(0.1, dtype=torch.float16)}}"
f"{{torch.empty((), device='meta')}}"
f"{{torch.empty((), device='meta'):.2f}}"
f"{{s:q}}"
a.tensor_split(torch.tensor([2, 5]))
a.tensor_split(torch.tensor(3))
a.tensor_split(torch.tensor([3]))
a.tensor_split(torch.tensor([-3]))
a.tensor_split(torch.tensor([], dtype=torch.int64))
a.tensor_split(torch.tensor([[3]]))
a.tensor_split(torch.tensor([2, 5], dtype=torch.int32))
a.tensor_split(torch.tensor(2, dtype=torch.int32))
a.tensor_split(torch.tensor(2.0))
a.tensor_split(torch.tensor(True))
a.tensor_split(torch.empty((), dtype=torch.int64, device="meta"))
a.tensor_split(torch.tensor(0))
a.tensor_split(torch.tensor(-1))
a.tensor_split((torch.tensor(2), 5))
a.view(2, 5).tensor_split(torch.tensor([2, 5]), dim=1)
a.view(2, 5).tensor_split(tensor_indices_or_sections=torch.tensor([2, 5]), dim=1)
a.view(2, 5).tensor_split(indices=[2, 5], dim=1)
a.view(2, 5).tensor_split(sections=2, dim=1)
torch.tensor_split(a, torch.tensor([2, 5]))
torch.hsplit(a, torch.tensor(2))
torch.hsplit(a, torch.tensor([2]))
torch.split(a, torch.tensor(3))
torch.split(a, torch.tensor([2, 8]))
torch.chunk(a, torch.tensor(3))
b.all((0, 1))
b.all([0])
b.all((-1,))
b.all(())
b.all([])
b.all((0, 1), True)
b.all((0, 1), keepdim=True)
b.all((), keepdim=True)
b.all(dim=None)
b.all(dim=None, keepdim=True)
b.all(keepdim=True)
b.all((0, 0))
b.all((0, -2))
b.all((0, 2))
b.all(2)
b.all(0, 1)
b.any((0.5,))
s.all((0,))
s.all((0, 0))
s.all(1)
s.all((1,))
s.all(())
torch.any(b, dim=(0,))
torch.any(torch.ones(2, 0), dim=(1,))
torch.all(torch.ones(2, 0), dim=(0, 1))
torch.any(b, axis=(0,), keepdims=True)
torch.any(torch.tensor([[0, 3], [0, 0]], dtype=torch.uint8), dim=(0,))
torch.any(torch.tensor([[0, 3], [0, 0]], dtype=torch.uint8), dim=())
torch.any(torch.tensor([[0, 3], [0, 0]], dtype=torch.uint8), dim=(0, 1))
torch.any(torch.tensor([[0, 3j], [0, 0]]), dim=(1,))
torch.any(torch.tensor([[0, float("nan")], [0, 0]]), dim=(1, 0))
m.all((0, 1)).shape
m.all((0,), True).shape
o.squeeze(0, 1).shape
o.squeeze(0, 0).shape
o.squeeze((0, 1)).shape
o.squeeze([0, 1]).shape
o.squeeze(()).shape
o.squeeze(dim=(0, 1)).shape
o.squeeze(0, 3).shape
o.squeeze(0, -3).shape
o.squeeze_(0, 1).shape
o.squeeze_((0, 1)).shape
torch.squeeze(o, (0, 1)).shape
torch.squeeze(o, 0).shape
torch.squeeze(o, 0, 1).shape
torch.cat([torch.empty(0)] * 2, 3)
torch.cat([torch.empty(0)] * 2, -3)
torch.cat([torch.empty(0)], 1)
torch.concat([torch.empty(0)] * 2, 3)
torch.cat([torch.empty(0), b], 1).shape
torch.cat([torch.empty(0), b], 2).shape
torch.cat([torch.empty(0, 1)] * 2, 3)
torch.cat([], 3)
b.unflatten(1, 3)
b.unflatten(1, torch.tensor(3))
b.unflatten(1, sizes=3)
torch.unflatten(b, 1, 3)
b.unflatten(1, [3])
b.unflatten(1, (torch.tensor(3),))
b.unflatten(1, (3.0,))
b.unflatten(1, ())
b.unflatten(1, (-1, 1)).shape
b.unflatten(5, (-1, 1)).shape
torch.as_strided(x, 3, 1)
x.as_strided(3, 1)
x.as_strided_(3, 1)
torch.as_strided(x, (3,), 1)
x.split_with_sizes(4)
x.new_full(3, 1.0)
torch.full(3, 1.0)
torch.empty_strided(3, 1)
torch.permute(x, 0)
torch.permute(b, 1, 0)
torch.broadcast_to(x, 4)
x.broadcast_to(4)
torch.tile(x, 2)
x.tile(2)
torch.flip(x, 0)
x.flip(0)
torch.roll(a, 1, 0)
torch.roll(a, 1, (0,))
torch.rot90(b, 1, 0)
torch.reshape(x, 4)
torch.randint(0, 10, 3)
torch.randint(10, 3)
torch.permute_copy(x, 0)
torch.expand_copy(x, 4)
torch.sum(x, 0)
torch.amax(x, 0)
torch.Size(3)
x.movedim(0, (0,))
torch.zeros(size=3)
torch.ones(size=(3,))
x.view(size=4)
x.permute(dims=0)
x.expand(size=4)
x.repeat(repeats=2)
x.flip(dims=0)
x.view(torch.tensor(4))
x.view((torch.tensor(4),))
x.new_zeros(torch.tensor(3))
x.narrow_copy(-5, 0, -1)
x.narrow_copy(0, 0, -1)
x.narrow_copy(1, 0, -1)
x.narrow_copy(0, 5, 1)
x.narrow_copy(0, 4, 0)
x.narrow_copy(0, 4, 1)
x.narrow_copy(0, -1, 1)
x.narrow_copy(0, -5, 1)
x.narrow_copy(0, 0, 5)
x.narrow_copy(0, 5, 0)
x.narrow_copy(0, -5, 0)
x.narrow_copy(0, -1, 2)
x.narrow_copy(0, 4, -1)
x.narrow_copy(0, 7, -1)
x.narrow_copy(0, torch.tensor(1), 2)
b.narrow_copy(-3, 0, 9)
b.narrow_copy(1, 0, 9)
s.narrow_copy(0, 0, 1)
s.narrow_copy(1, 0, -1)
x.narrow(-5, 0, -1)
x.narrow(1, 0, -1)
x.narrow(0, 5, 1)
x.narrow(0, 7, -1)
x.narrow(0, torch.tensor(1), 2)
x.narrow(0, torch.tensor(1, dtype=torch.int32), 2)
x.narrow(0, torch.tensor([1]), 2)
x.narrow(0, torch.tensor(1.0), 2)
x.narrow(0, torch.tensor(True), 2)
s.narrow(0, 0, 1)
{SAME.format("torch.broadcast_tensors(b, y)", "(b, y)")}
{SAME.format("torch.broadcast_tensors(b, b)", "(b, b)")}
{SAME.format("torch.broadcast_tensors(b, n)", "(b, n)")}
{SAME.format("torch.broadcast_tensors(n, b, y)", "(n, b, y)")}
{SAME.format("torch.broadcast_tensors(b)", "(b,)")}
{SAME.format("torch.broadcast_tensors(s, s)", "(s, s)")}
{SAME.format("torch.broadcast_tensors(s, b)", "(s, b)")}
(lambda v: {SAME.format("torch.broadcast_tensors(b, v)", "(b, v)")})(b.view(2, 3))
(lambda v: {SAME.format("torch.atleast_1d(b, v)", "(b, v)")})(b.view(2, 3))
torch.broadcast_tensors()
torch.broadcast_tensors(b, 3)
b.expand_as(y) is b
b.expand_as(b) is b
b.expand(-1, -1) is b
torch.broadcast_to(b, (2, 3)) is b
s.expand(()) is s
torch.zeros(0).set_(x.storage(), 0, (6,)).shape
torch.zeros(0).set_(x.untyped_storage(), 0, (6,)).shape
torch.zeros(0).set_(x.untyped_storage(), 1, (4,), (2,)).shape
torch.zeros(0).set_(x, 1, (4,), (2,)).shape
torch.zeros(0).set_(x, 1, (4,)).untyped_storage().nbytes()
(torch.zeros(0).set_(x, 1, (4,)), x.untyped_storage().nbytes())[1]
torch.zeros(0).set_(torch.arange(4.0), 1, (5,))[:3]
torch.zeros(0).set_(x, 5, (0,)).untyped_storage().nbytes()
torch.zeros(0).set_(x, 5, (2,)).untyped_storage().nbytes()
torch.zeros(0).set_(x, 5, (2, 3), (0, 0)).untyped_storage().nbytes()
torch.zeros(0).set_(x, 5, (2, 3), (1, 7)).untyped_storage().nbytes()
torch.zeros(0).set_(x, -1, (4,))
torch.zeros(0).set_(x, 0, (-4,))
torch.zeros(0).set_(x, 0, (4,), (-1,))
torch.zeros(0).set_(x, 0, (4,), (1, 1))
torch.zeros(0).set_(x, 0, (4,), ()).shape
torch.zeros(0).set_(x, 0, 4)
torch.zeros(0).set_(x, 0, (2,), 1)
torch.zeros(0).set_(i)
torch.zeros(0).set_(i.storage())
torch.zeros(0).set_(i, 0, (4,)).shape
torch.zeros(0).set_(u.untyped_storage()).shape
torch.zeros(0).set_(torch.zeros(7, dtype=torch.uint8).untyped_storage()).shape
torch.zeros(0).set_(m)
torch.zeros(0).set_(m, 0, (4,))
torch.zeros(0, device="meta").set_(m, 0, (9,)).untyped_storage().nbytes()
torch.zeros(0).set_(torch.from_numpy(numpy.zeros(2, dtype="f")), 0, (4,))
torch.zeros(0).set_(source=x).shape
type(x.__dlpack__()).__name__
type(x.__dlpack__(None)).__name__
type(x.__dlpack__(1)).__name__
type(x.__dlpack__(stream=None)).__name__
type(x.__dlpack__(stream=-1)).__name__
type(x.__dlpack__(stream=0)).__name__
type(x.__dlpack__(stream=1)).__name__
type(x.__dlpack__(stream=2)).__name__
type(x.__dlpack__(stream=-5)).__name__
x.__dlpack__(stream=True)
x.__dlpack__(stream=1.0)
x.__dlpack__(stream="a")
x.__dlpack__(stream=object())
torch.from_dlpack(torch.to_dlpack(a))
torch.from_dlpack(a[::3][:1].__dlpack__()).stride()
torch.from_dlpack(torch.zeros(3, 4)[:1, :1].__dlpack__()).stride()
torch.from_dlpack(torch.zeros(3, 4)[:0].__dlpack__()).stride()
torch.from_dlpack(torch.zeros(3, 1, 4).transpose(0, 2)[::2].__dlpack__()).stride()
c.conj().__dlpack__()
torch.finfo()
torch.finfo(torch.int32)
torch.finfo("float32")
torch.finfo(float)
torch.finfo(torch.float32) == torch.finfo(torch.complex64)
torch.finfo(torch.float32) == torch.finfo(torch.float64)
torch.finfo(torch.float32) == 3
torch.finfo(torch.float32) != 3
torch.finfo(type=torch.float16)
torch.finfo(torch.float32) < torch.finfo(torch.float64)
hash(torch.finfo(torch.float32))
torch.finfo(torch.float32).nope
torch.iinfo()
torch.iinfo("int32")
torch.iinfo(torch.bool)
torch.iinfo(torch.float32)
torch.iinfo(torch.int8) == torch.iinfo(torch.int8)
torch.iinfo(torch.int8).eps
torch.strided
x.layout
x.layout is torch.strided
torch.sparse_coo
isinstance(torch.strided, torch.layout)
torch.zeros(2, layout=torch.strided)
x.new_zeros(2, layout=torch.strided, requires_grad=False)
torch.zeros_like(x, layout=torch.strided)
[x.is_cpu, x.is_cuda, x.is_ipu, x.is_leaf, x.is_maia, x.is_meta, x.is_mkldnn, x.is_mps, x.is_mtia, x.is_nested]
[x.is_quantized, x.is_sparse, x.is_sparse_csr, x.is_vulkan, x.is_xla, x.is_xpu, x.requires_grad, x.retains_grad]
[m.is_cpu, m.is_meta, m.is_leaf]
[x.grad, x.grad_fn, x.name, x.output_nr]
[x.is_inference(), x.is_neg(), x.is_shared(), x.is_signed(), u.is_signed(), t.is_signed(), c.is_signed()]
[torch.is_inference(x), torch.is_neg(x), torch.is_signed(x), torch.is_same_size(x, c), torch.is_same_size(x, b)]
x.is_nonzero()
torch.is_nonzero(s)
torch.zeros(0).is_nonzero()
torch.zeros(1, 1).is_nonzero()
x.requires_grad_(False) is x
torch.FloatTensor.dtype
torch.FloatTensor.layout
torch.FloatTensor.is_cuda
torch.FloatTensor.__name__
torch.IntTensor([1, 2])
torch.IntTensor((1, 2))
torch.IntTensor([1.5, 2])
torch.IntTensor([[1, 2], [3, 4]])
torch.IntTensor(2, 3).shape
torch.IntTensor(3).shape
torch.IntTensor()
torch.IntTensor([])
torch.IntTensor(torch.Size([2, 3])).shape
torch.IntTensor(size=(2, 3)).shape
torch.IntTensor(torch.tensor([1, 2], dtype=torch.int32))
torch.IntTensor(torch.tensor([1, 2]))
torch.FloatTensor(torch.tensor([1, 2]))
torch.IntTensor(torch.tensor(3, dtype=torch.int32))
torch.IntTensor(torch.tensor(3))
torch.IntTensor(numpy.array([1, 2]))
torch.FloatTensor(numpy.array([1, 2]))
torch.IntTensor(range(3))
torch.IntTensor(1.5)
torch.IntTensor(2, 1.5)
torch.IntTensor("a")
torch.IntTensor(None)
torch.IntTensor(True)
torch.IntTensor(-1)
torch.IntTensor(torch.zeros(2, dtype=torch.int32).storage())
torch.IntTensor(torch.zeros(2, dtype=torch.int32).untyped_storage())
torch.IntTensor([1, 2], device="cpu")
torch.IntTensor([1, 2], device="meta")
torch.CharTensor([1, -1])
torch.BoolTensor([1, 0, 2])
torch.HalfTensor([1.5])
torch.BFloat16Tensor([1.5])
torch.DoubleTensor([1, 2])
torch.LongTensor([1, 2])
torch.ShortTensor([1])
torch.FloatTensor([1j])
isinstance(x, torch.FloatTensor)
isinstance(i, torch.FloatTensor)
isinstance(m, torch.FloatTensor)
isinstance(3, torch.FloatTensor)
isinstance(torch.FloatTensor, type)
issubclass(torch.FloatTensor, torch.Tensor)
type(torch.FloatTensor([1])).__name__
x.type(torch.IntTensor)
x.type("torch.IntTensor")
x.type("torch.FloatTensor") is x
x.type("IntTensor")
x.type("torch.nonsense")
x.type("torch.complex64")
x.type("torch.ComplexFloatTensor")
x.type(3)
x.type()
m.type()
torch.zeros(2, dtype=torch.uint16).type()
torch.zeros(2, dtype=torch.float8_e5m2).type()
x.requires_grad_("a")
x.requires_grad_(1)
x.requires_grad_(None)
torch.Tensor([1, 2]).dtype
torch.Tensor(torch.tensor([1, 2])).dtype
torch.Tensor(1.5)
x.uniform_()
x.uniform_(2, 5)
x.uniform_(0.1, 0.7)
x.uniform_(-3, 1e3)
x.uniform_(1, 1)
x.uniform_(to=3)
x.uniform_(**{{"from": 2, "to": 3}})
x.uniform_(**{{"from": 2}})
x.uniform_(5, 2)
x.uniform_(0, float("inf"))
x.uniform_(float("nan"), 1)
x.uniform_(-3e38, 3e38)
torch.zeros(0).uniform_(3, 2)
d.uniform_(0.1, 3)
h.uniform_(0.1, 3)
h.uniform_(0, 1e6)
g.uniform_(0.1, 3)
c.uniform_(-1, 2)
i.uniform_()
t.uniform_()
x.expand(3, 4).uniform_()
torch.tensor(0.0).uniform_()
m.uniform_().shape
x.normal_()
x.normal_(1, 2)
x.normal_(mean=0.1, std=0.7)
x.normal_(1, 0)
x.normal_(1, -2)
torch.zeros(0).normal_(3, -2)
d.normal_(0.1, 3)
h.normal_(0.1, 3)
g.normal_(0.1, 3)
c.normal_(0.1, 3)
c.normal_(1 + 1j, 2)
i.normal_()
t.normal_()
x.expand(3, 4).normal_()
m.normal_().shape
x.random_()
d.random_()
h.random_()
g.random_()
i.random_()
u.random_()
t.random_()
torch.zeros(4, dtype=torch.int8).random_()
torch.zeros(4, dtype=torch.int16).random_()
torch.zeros(4, dtype=torch.int32).random_()
torch.zeros(4, dtype=torch.uint16).random_()
c.random_()
x.random_(7)
x.random_(2, 7)
x.random_(to=7)
x.random_(**{{"from": 2, "to": 7}})
x.random_(torch.tensor(7))
x.random_(2**30)
x.random_(2**24 + 5)
x.random_(-(2**26), 2**26)
x.random_(2.5)
x.random_(5, 2)
x.random_(5, None)
d.random_(-5, None)
i.random_(0)
i.random_(-3)
i.random_(2, None)
i.random_(-3, None)
i.random_(-(2**63), None)
x.random_(-(2**63), None)
u.random_(-(2**63), None)
u.random_(7, None)
t.random_(0, None)
i.random_(0, 2**40)
i.random_(2**40)
u.random_(300)
u.random_(256)
u.random_(-1, 5)
t.random_(2)
t.random_(3)
h.random_(3000)
h.random_(70000)
x.expand(3, 4).random_()
torch.zeros(0).random_(3, 2)
m.random_().shape
"""
# Limits of every type.
for name in ["float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]:
    CALLS += f"torch.finfo(torch.{name})\n"
    for field in ["bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"]:
        CALLS += f"torch.finfo(torch.{name}).{field}\n"
for name in ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]:
    CALLS += f"torch.iinfo(torch.{name})\n"
    for field in ["bits", "max", "min", "dtype"]:
        CALLS += f"torch.iinfo(torch.{name}).{field}\n"
# Draws into all kinds of layouts, as bytes; 16 and more contiguous normal numbers are drawn otherwise than fewer.
DRAWS = ["uniform_()", "uniform_(0.1, 0.7)", "normal_()", "normal_(0.1, 0.7)", "random_(1000)"]
LAYOUTS = ["z", "z.T", "z[1:, ::2]", "z[::2, 3:7].T", "z.view(5, 2, 4).permute(2, 0, 1)", "z.view(5, 2, 4)[:, 1:]"]
for type_name in ("float16", "bfloat16", "float32", "float64"):
    for draw in DRAWS:
        for layout in LAYOUTS if type_name == "float32" else ("z", "z.T"):
            typed = layout.replace("z", f"torch.zeros(5, 8, dtype=torch.{type_name})")
            CALLS += f"{typed}.{draw}.contiguous().view(torch.uint8).flatten().tolist()\n"
for draw in DRAWS[:4]:
    CALLS += f"torch.zeros(11, dtype=torch.complex64).{draw}.view(torch.uint8).tolist()\n"


def kind_of(error):
    """The first builtin class of an error: the package's own classes are derived from one."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


if __name__ == "__main__":
    for call in CALLS.strip().split("\n"):
        names = {name: eval(source, {"torch": torch}) for name, source in NAMES.items()}
        torch.manual_seed(1)
        try:
            print(json.dumps({"call": call, "gives": repr(eval(call, {"torch": torch, "numpy": numpy, **names}))}))
        except Exception as error:
            print(json.dumps({"call": call, "raises": kind_of(error)}))
