# SPDX-License-Identifier: Apache-2.0
"""What Python's own syntax and protocols do with a Tensor, held against nested lists."""

from __future__ import annotations

import copy
import itertools
import pickle
import weakref

import pytest
import tenstride as torch


@pytest.fixture
def x():
    return torch.arange(24).view(2, 3, 4)


def test_size_is_a_tuple_that_knows_its_name(x):
    assert x.shape == (2, 3, 4) and isinstance(x.shape, tuple)
    assert repr(x.shape) == str(x.size()) == "torch.Size([2, 3, 4])"
    assert isinstance(x.shape[1:], torch.Size) and x.shape[1:] == (3, 4)
    longer = x.shape + (5,)  # noqa: RUF005
    assert longer == (2, 3, 4, 5) and isinstance(longer, torch.Size)
    assert x.shape.numel() == 24 and hash(x.shape) == hash((2, 3, 4))
    assert pickle.loads(pickle.dumps(x.shape)) == x.shape
    with pytest.raises(TypeError):
        torch.Size([1.5])


def test_sizes_as_numbers_as_a_tuple_as_a_list_and_by_name(x):
    for y in (x.view(6, 4), x.view((6, 4)), x.view([6, 4]), x.view(size=(6, 4)), x.view(torch.Size([6, 4]))):
        assert y.shape == (6, 4)
    assert x.reshape(shape=(4, 6)).shape == x.reshape(4, -1).shape == (4, 6)
    assert x.permute(2, 0, 1).stride() == x.permute((2, 0, 1)).stride() == x.permute(dims=(2, 0, 1)).stride()
    assert torch.zeros(2, 3).shape == torch.zeros((2, 3)).shape == torch.zeros(size=[2, 3]).shape
    for refused in (lambda: x.transpose((0, 1)), lambda: x.unsqueeze((0,)), lambda: x.view(2.0, 12)):
        with pytest.raises(TypeError):
            refused()


def test_sizes_of_numpys_numbers():
    numpy = pytest.importorskip("numpy")
    x = torch.zeros(numpy.int64(2), numpy.int32(3))
    assert x.shape == (2, 3)
    assert x[numpy.int64(1), numpy.uint8(2)].item() == 0
    assert x[numpy.bool_(True)].shape == (1, 2, 3)
    assert (x + numpy.float64(1.5)).dtype == torch.float32


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        slice(None),
        slice(1, None),
        slice(None, None, 2),
        Ellipsis,
        (0, 1, 2),
        (slice(None), 1),
        (Ellipsis, 3),
        (Ellipsis, slice(1, 3)),
        (1, Ellipsis, slice(None, None, 3)),
        (slice(0, 0), 1),
        (slice(-2, None), slice(5, 9)),
    ],
)
def test_basic_indexing_is_that_of_lists(x, key):
    def pick(nested, key):
        if not key:
            return nested
        if isinstance(key[0], slice):
            return [pick(item, key[1:]) for item in nested[key[0]]]
        return pick(nested[key[0]], key[1:])

    full = key if isinstance(key, tuple) else (key,)
    if Ellipsis in full:
        at = full.index(Ellipsis)
        full = full[:at] + (slice(None),) * (x.dim() - len(full) + 1) + full[at + 1 :]
    y = x[key]
    assert y.tolist() == pick(x.tolist(), full)
    assert y.untyped_storage() == x.untyped_storage()


def test_none_and_negative_steps(x):
    assert x[None].shape == (1, 2, 3, 4) and x[:, None, :, None].shape == (2, 1, 3, 1, 4)
    backwards = x[..., ::-1]
    assert backwards.stride() == (12, 4, -1)
    assert backwards.tolist() == [[row[::-1] for row in plane] for plane in x.tolist()]


def test_lists_masks_and_tensors_pick(x):
    assert x[[1, 0]].tolist() == [x.tolist()[1], x.tolist()[0]]
    assert x[torch.tensor([1, 1])].shape == (2, 3, 4)
    assert x[x % 5 == 0].tolist() == [0, 5, 10, 15, 20]
    assert x[:, [0, 2], [1, 3]].tolist() == [[1, 11], [13, 23]]
    assert x[torch.tensor(1)].tolist() == x.tolist()[1]
    assert x[True].shape == (1, 2, 3, 4)
    picked = x[[0]]
    assert picked.untyped_storage() != x.untyped_storage()


def test_assignment_writes_through_views(x):
    x[0, 0] = 7
    assert x[0, 0].tolist() == [7, 7, 7, 7]
    x[:, 1] = torch.tensor([1, 2, 3, 4])
    assert x[1, 1].tolist() == [1, 2, 3, 4]
    x[1, 2] = torch.tensor([9, 8, 7, 6])
    assert x[1, 2].tolist() == [9, 8, 7, 6]
    x[x > 6] = 0
    assert max(itertools.chain.from_iterable(x.flatten(0, 1).tolist())) <= 6
    x.T[0] = 5
    assert (x[..., 0] == 5).all()
    with pytest.raises(TypeError):
        del x[0]
    with pytest.raises(RuntimeError):
        x[0] = torch.zeros(5)


def test_len_and_iteration(x):
    assert len(x) == 2
    assert [part.tolist() for part in x] == x.tolist()
    _, second = x
    assert second.storage_offset() == 12
    scalar = torch.tensor(3)
    for refused in (lambda: len(scalar), lambda: iter(scalar), lambda: scalar[0]):
        with pytest.raises((TypeError, IndexError)):
            refused()


def test_numbers():
    assert int(torch.tensor(3.9)) == 3 and float(torch.tensor(2)) == 2.0
    assert complex(torch.tensor(1 + 2j)) == 1 + 2j
    assert bool(torch.tensor([[1]])) and not bool(torch.tensor(0.0))
    assert [10, 20, 30][torch.tensor(1)] == 20
    assert f"{torch.tensor(2.5):.2f}" == "2.50"
    for refused in (lambda: bool(torch.zeros(2)), lambda: bool(torch.zeros(0))):
        with pytest.raises(RuntimeError):
            refused()
    with pytest.raises(TypeError):
        [10, 20][torch.tensor(1.0)]


def test_equality_is_element_by_element_and_hash_is_identity(x):
    assert (x == x).all() and (x != x + 1).all()
    assert (x == 5).sum().item() == 1 and 5 in x and 99 not in x
    assert (x == None) is False and (x != "text") is True  # noqa: E711
    assert {x: 1}[x] == 1 and hash(x) != hash(x.view(24))


def test_the_same_object_comes_back_where_pytorch_gives_itself(x):
    assert x.contiguous() is x and x.to(torch.int64) is x and x.flatten(0, 0) is x and x.cpu() is x
    assert x.view(2, 3, 4) is not x and x.reshape(2, 3, 4) is not x and x.detach() is not x
    y = torch.zeros(2, 3)
    assert y.fill_(1) is y and y.t_() is y and y.shape == (3, 2) and y.add_(1) is y
    z = y
    z += 1
    assert z is y and y.tolist() == [[3.0, 3.0]] * 3
    assert torch.atleast_1d(x) is x


def test_copies(x):
    y = x.permute(2, 0, 1)
    assert copy.copy(y).data_ptr() == y.data_ptr()
    deep = copy.deepcopy(y)
    assert deep.data_ptr() != y.data_ptr() and deep.stride() == y.stride() and torch.equal(deep, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.permute(2, 0, 1),
        lambda x: x[1, :, ::2],
        lambda x: x[..., ::-1],
        lambda x: x[:, :0],
        lambda x: x[0, 0, 0],
        lambda x: torch.tensor(2.5).expand(3, 4),
        lambda x: x.to(torch.bfloat16),
        lambda x: (x.float() * 1j).mT.conj(),
        lambda x: torch.empty(2, 3, device="meta").T,
    ],
)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_layout_and_type(x, make, protocol):
    y = make(x)
    z = pickle.loads(pickle.dumps(y, protocol))
    assert z.shape == y.shape and z.dtype == y.dtype and z.stride() == y.stride() and z.device == y.device
    assert y.is_meta or torch.equal(z, y.resolve_conj())
    assert z.untyped_storage().nbytes() <= max(y.untyped_storage().nbytes(), 8)


def test_pickle_keeps_constants():
    for constant in (torch.float32, torch.bool, torch.channels_last, torch.preserve_format):
        assert pickle.loads(pickle.dumps(constant)) is constant
        assert copy.deepcopy(constant) is constant
    assert pickle.loads(pickle.dumps(torch.device("meta"))) == torch.device("meta")


def test_storages(x):
    storage = x[1].storage()
    assert len(storage) == storage.size() == 24 and storage.tolist() == list(range(24)) == list(storage)
    assert storage[-1] == 23 and storage.nbytes() == 192 and storage.dtype is torch.int64
    storage[12] = 99
    assert x[1, 0, 0].item() == 99
    assert x.untyped_storage().nbytes() == 192 and x.untyped_storage().data_ptr() == x.data_ptr()
    assert x.untyped_storage()[0] == 0
    assert str(torch.tensor([1, 2]).storage()) == (
        " 1\n 2\n[torch.storage.TypedStorage(dtype=torch.int64, device=cpu) of size 2]"
    )
    with pytest.raises(IndexError):
        storage[24]


def test_lifetimes():
    x = torch.zeros(1000)
    view = x[10:20]
    seen = weakref.ref(x)
    del x
    assert seen() is None
    assert view.untyped_storage().nbytes() == 4000 and view.sum().item() == 0


def test_a_subclass_is_a_tensor():
    class Named(torch.Tensor):
        pass

    x = Named([[1.0, 2.0]])
    assert isinstance(x, torch.Tensor) and torch.is_tensor(x) and x.T.shape == (2, 1) and (x + 1).tolist() == [[2, 3]]


def test_constructors_of_old():
    assert torch.Tensor(2, 3).shape == (2, 3) and torch.Tensor(torch.Size([4])).shape == (4,)
    assert torch.Tensor([1, 2]).dtype == torch.float32 and torch.Tensor().shape == (0,)
    with pytest.raises(TypeError):
        torch.Tensor(2, [3])


def test_constants_and_names():
    assert repr(torch.float32) == "torch.float32" and torch.float is torch.float32 and torch.long is torch.int64
    assert torch.float16.itemsize == 2 and torch.complex64.is_complex and not torch.uint8.is_signed
    assert repr(torch.channels_last) == "torch.channels_last"
    assert repr(torch.device("cpu")) == "device(type='cpu')" and torch.device("meta").type == "meta"
    assert torch.zeros(2, dtype=float).dtype is torch.float64 and torch.zeros(2, dtype=bool).dtype is torch.bool
    with pytest.raises(RuntimeError):
        torch.device("gpu")


def test_results_with_names():
    x = torch.tensor([[1, 5], [7, 2]])
    result = x.max(1)
    values, indices = result
    assert result.values is values and values.tolist() == [5, 7] and result.indices.tolist() == [1, 0]
    assert torch.min(x, dim=0, keepdim=True).values.tolist() == [[1, 2]] and indices is result[1]
    assert repr(result) == "torch.return_types.max(\nvalues=tensor([5, 7]),\nindices=tensor([1, 0]))"


def test_numbers_with_names():
    assert torch.tensor(torch.pi).item() == pytest.approx(3.14159265) and torch.inf > 1e308 and torch.nan != torch.nan


def test_shapes_that_broadcast():
    assert torch.broadcast_shapes((2, 3)) == (2, 3) and torch.broadcast_shapes((2, 1), (3,), [1]) == (2, 3)
    with pytest.raises(RuntimeError):
        torch.broadcast_shapes((2,), (3,))


def test_seeds_give_pytorchs_numbers():
    torch.manual_seed(0)
    assert torch.rand(3).tolist() == [0.49625658988952637, 0.7682217955589294, 0.08847743272781372]
    torch.manual_seed(0)
    assert torch.randint(10, (4,)).tolist() == [4, 9, 3, 0]
    for call in (
        lambda: torch.randint(10, size=(4,)),
        lambda: torch.randint(0, 10, (4,)),
        lambda: torch.randint(high=10, size=(4,)),
        lambda: torch.randint(low=0, high=10, size=(4,)),
    ):
        torch.manual_seed(0)
        assert call().tolist() == [4, 9, 3, 0]
    for refused in (lambda: torch.randint(size=(4,)), lambda: torch.randint(), lambda: torch.randint(10)):
        with pytest.raises(TypeError):
            refused()


def test_reflected_operators_and_what_they_leave_to_others(x):
    assert (10 - x)[0, 0].tolist() == [10, 9, 8, 7] and (2 ** torch.arange(3)).tolist() == [1, 2, 4]
    assert (7 // torch.tensor([2, -2])).tolist() == [3, -4] and (-7 % torch.tensor([3])).tolist() == [2]
    assert (1 / torch.tensor([2])).tolist() == [0.5] and (-x).T.stride() == (1, 4, 12)
    assert (+x).data_ptr() == x.data_ptr() and abs(-x).equal(x) and (~(x > 3)).sum().item() == 4

    class Other:
        def __radd__(self, left):
            return "asked"

    assert x + Other() == "asked"
    for refused in (lambda: x + "a", lambda: x + None, lambda: x - [1], lambda: pow(x, 2, 3)):
        with pytest.raises(TypeError):
            refused()
