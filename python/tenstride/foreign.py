# SPDX-License-Identifier: Apache-2.0
"""Operations that move elements, for the arrays of other libraries.

Each takes tensors, NumPy arrays, PyTorch tensors and whatever speaks DLPack or has the buffer protocol, and
gives the same kind back: on the same memory where a view will do, by one copy where it will not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _tenstride
from ._tenstride import Tensor

__all__ = [
    "astype",
    "cat",
    "concat",
    "concatenate",
    "contiguous",
    "pack",
    "parse_shape",
    "permute_copy",
    "rearrange",
    "reduce",
    "repeat",
    "stack",
    "unpack",
]


def rearrange(tensor: Any, pattern: str, *, copy: bool | None = None, **axes_lengths: int) -> Any:
    """The elements in another order of axes, by einops' notation; axes may be split, merged and moved.

    Gives an array of the kind it was given: a view of it where one exists, else a copy; `copy=True` always
    copies, `copy=False` raises ValueError where a view will not do. A list of arrays counts as one array with
    the list as its first axis. RuntimeError where the pattern does not fit the shape.

    >>> import numpy
    >>> a = numpy.arange(6).reshape(2, 3)
    >>> b = tenstride.rearrange(a, "h w -> w h")
    >>> b.shape, numpy.shares_memory(a, b)
    ((3, 2), True)
    """
    return _call("rearrange", lambda given: _tenstride._rearrange(given, pattern, axes_lengths, copy), tensor)


def reduce(tensor: Any, pattern: str, reduction: str, **axes_lengths: int) -> Any:
    """Rearranges, and reduces the axes that the right side leaves out, by "sum", "mean", "min", "max",
    "prod", "any" or "all".

    >>> import numpy
    >>> tenstride.reduce(numpy.arange(6.0).reshape(2, 3), "h w -> h", "max")
    array([2., 5.])
    """
    return _call("reduce", lambda given: _tenstride._reduce(given, pattern, reduction, axes_lengths), tensor)


def repeat(tensor: Any, pattern: str, *, copy: bool | None = None, **axes_lengths: int) -> Any:
    """Rearranges, and repeats the elements along the axes that only the right side has; a view (stride 0)
    where one exists, as `rearrange`.

    >>> import numpy
    >>> tenstride.repeat(numpy.arange(2), "w -> h w", h=2)
    array([[0, 1],
           [0, 1]])
    """
    return _call("repeat", lambda given: _tenstride._repeat(given, pattern, axes_lengths, copy), tensor)


def pack(tensors: Sequence[Any], pattern: str) -> tuple[Any, Any]:
    """Joins arrays along the axes that `*` stands for; gives the whole and their shapes there, for `unpack`.

    >>> import numpy
    >>> whole, shapes = tenstride.pack([numpy.zeros((2, 3)), numpy.zeros((2, 4, 5))], "b *")
    >>> whole.shape
    (2, 23)
    """
    kind, given = _take_all("pack", tensors)
    whole, shapes = _tenstride._pack(given, pattern)
    return kind.give(whole), shapes


def unpack(tensor: Any, packed_shapes: Any, pattern: str) -> Any:
    """The parts that `pack` joined, as views of the whole.

    >>> import numpy
    >>> [part.shape for part in tenstride.unpack(numpy.zeros((2, 23)), [(3,), (4, 5)], "b *")]
    [(2, 3), (2, 4, 5)]
    """
    return _call("unpack", lambda given: _tenstride._unpack(given, packed_shapes, pattern), tensor)


def parse_shape(x: Any, pattern: str) -> dict[str, int]:
    """The sizes of the axes by the names that the pattern gives them; `_` skips one.

    >>> import numpy
    >>> tenstride.parse_shape(numpy.zeros((2, 3, 4)), "h _ w")
    {'h': 2, 'w': 4}
    """
    return _tenstride._parse_shape(looked_at(x, "parse_shape"), pattern)


def contiguous(tensor: Any, *, memory_format: Any = None) -> Any:
    """The very same array where its elements lie in row-major order (or `memory_format`), else a copy.

    >>> import numpy
    >>> a = numpy.zeros((2, 3))
    >>> tenstride.contiguous(a) is a, tenstride.contiguous(a.T).strides
    (True, (16, 8))
    """
    order = _tenstride.contiguous_format if memory_format is None else _format(memory_format)
    return _call("contiguous", lambda given: given.contiguous(memory_format=order), tensor)


def permute_copy(input: Any, dims: Sequence[int], *, out: Tensor | None = None) -> Any:
    """The axes in another order, always as a copy in row-major order; a tensor given as `out` takes it.

    >>> import numpy
    >>> tenstride.permute_copy(numpy.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    if out is not None:
        return _tenstride.permute_copy(looked_at(input, "permute_copy"), tuple(dims), out=out)
    return _call("permute_copy", lambda given: _tenstride.permute_copy(given, tuple(dims)), input)


def astype(x: Any, dtype: Any, *, copy: bool = True) -> Any:
    """The elements converted to another type, in the same order of axes; `copy=False` gives the array itself
    where it has the type already. `dtype` is tenstride's, NumPy's or PyTorch's, or its name.

    >>> import numpy
    >>> tenstride.astype(numpy.array([1.5, 2.5]), tenstride.int32)
    array([1, 2], dtype=int32)
    """
    wanted = _dtype(dtype)
    return _call("astype", lambda given: given.to(dtype=wanted, copy=copy), x)


def stack(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Any:
    """Joins arrays of one shape along a new axis; NumPy's name of the argument, `axis`, is taken, too. A tensor
    given as `out` takes the result: one of another shape is resized, one of a lower kind of type refused.

    >>> import numpy
    >>> tenstride.stack([numpy.zeros(3), numpy.ones(3)], dim=1).shape
    (3, 2)
    """
    kind, given = _take_all("stack", tensors)
    if out is not None:
        return _tenstride.stack(given, dim if axis is None else axis, out=out)
    return kind.give(_tenstride.stack(given, dim if axis is None else axis))


def cat(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Any:
    """Joins arrays along an axis that they have; NumPy's name of the argument, `axis`, is taken, too. A tensor
    given as `out` takes the result: one of another shape is resized, one of a lower kind of type refused.

    >>> import numpy
    >>> tenstride.cat([numpy.zeros((2, 3)), numpy.ones((1, 3))]).shape
    (3, 3)
    """
    kind, given = _take_all("cat", tensors)
    if out is not None:
        return _tenstride.cat(given, dim if axis is None else axis, out=out)
    return kind.give(_tenstride.cat(given, dim if axis is None else axis))


concat = cat
concatenate = cat


class _Kind:
    """How the arrays of one library become tensors and back."""

    def __init__(self, name: str, take: Callable[[Any], Tensor], give: Callable[[Tensor], Any]) -> None:
        self.name = name
        self.take = take
        self.give = give


_OWN = _Kind("tenstride", lambda tensor: tensor, lambda tensor: tensor)
_NUMPY = _Kind("NumPy", _tenstride.asarray, lambda tensor: tensor.numpy())
_BUFFER = _Kind("memoryview", _tenstride.asarray, memoryview)


def _call(operation: str, work: Callable[[Any], Any], given: Any) -> Any:
    """What `work` makes of the tensor, as the kind that was given; the given object where it makes that."""
    if isinstance(given, Tensor):
        return work(given)
    if isinstance(given, (list, tuple)):
        kind, tensors = _take_all(operation, given)
        return _give(kind, work(tensors))
    kind = _kind_of(given, operation)
    tensor = kind.take(given)
    result = work(tensor)
    return given if result is tensor else _give(kind, result)


def _give(kind: _Kind, result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(kind.give(part) for part in result)
    return kind.give(result)


def _take_all(operation: str, given: Sequence[Any]) -> tuple[_Kind, Sequence[Tensor]]:
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{operation}: a list of arrays must be given ({type(given).__name__})")
    if all(type(entry) is Tensor for entry in given):
        return _OWN, given
    kinds = [_kind_of(entry, operation) for entry in given]
    kind = kinds[0] if kinds else _OWN
    for other in kinds:
        if other.name != kind.name:
            raise TypeError(f"{operation}: arrays must be of one kind ({kind.name}, {other.name})")
    return kind, [kind.take(entry) for entry in given]


def _kind_of(given: Any, operation: str) -> _Kind:
    if isinstance(given, Tensor):
        return _OWN
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(given, (numpy.ndarray, numpy.generic)):
        return _NUMPY
    if _is_torch(given):
        return _Kind("PyTorch", lambda tensor: _from_torch(tensor, operation), _to_torch)
    if hasattr(given, "__dlpack__"):
        root = type(given).__module__.partition(".")[0]
        return _Kind(root, _tenstride.from_dlpack, lambda tensor: _from_dlpack_of(given)(tensor))
    try:
        memoryview(given)
    except TypeError:
        raise TypeError(
            f"{operation}: a tensor, or an array that speaks DLPack or has the buffer protocol, must be "
            f"given ({type(given).__name__})"
        ) from None
    return _BUFFER


def _from_dlpack_of(array: Any) -> Callable[[Tensor], Any]:
    """The function of the array's own library; without one the tensor stays a tensor."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__().from_dlpack
    library = sys.modules.get(type(array).__module__.partition(".")[0])
    return getattr(library, "from_dlpack", lambda tensor: tensor)


def _is_torch(given: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "Tensor") and isinstance(given, torch.Tensor)


def _goes_as_bytes(name: str) -> bool:
    """PyTorch before 2.0 has no bool in DLPack, and its float8 types are not there: bytes are handed over."""
    return name == "bool" or name.startswith("float8")


def _from_torch(tensor: Any, operation: str) -> Tensor:
    torch = sys.modules["torch"]
    if tensor.requires_grad:
        raise RuntimeError(f"{operation}: a tensor that requires grad must be detached; use .detach() first")
    if tensor.layout is not torch.strided:
        raise RuntimeError(f"{operation}: a tensor of {tensor.layout} must be dense; use .to_dense() first")
    if tensor.is_conj() or tensor.is_neg():
        raise RuntimeError(
            f"{operation}: a conjugate or negative view must be resolved; use .resolve_conj().resolve_neg() first"
        )
    if tensor.device.type != "cpu":
        raise RuntimeError(f"{operation}: a tensor on {tensor.device} must be on the cpu; use .cpu() first")
    name = str(tensor.dtype).rpartition(".")[2]
    if _goes_as_bytes(name):
        return _tenstride.from_dlpack(tensor.view(torch.uint8)).view(getattr(_tenstride, name))
    return _tenstride.from_dlpack(tensor)


def _to_torch(tensor: Tensor) -> Any:
    torch = sys.modules["torch"]
    name = str(tensor.dtype).rpartition(".")[2]
    if _goes_as_bytes(name):
        return torch.from_dlpack(tensor.view(_tenstride.uint8)).view(getattr(torch, name))
    return torch.from_dlpack(tensor)


def _format(memory_format: Any) -> Any:
    """tenstride's memory format of PyTorch's."""
    if isinstance(memory_format, _tenstride.memory_format):
        return memory_format
    return getattr(_tenstride, str(memory_format).rpartition(".")[2])


def _dtype(dtype: Any) -> Any:
    """tenstride's dtype of a dtype of another library, or of a name."""
    if isinstance(dtype, _tenstride.dtype) or dtype in (bool, int, float, complex):
        return dtype
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if name is None and isinstance(dtype, type):
        name = dtype.__name__.rstrip("_")  # numpy.float32, numpy.bool_
    if name is None:
        name = str(dtype)  # torch.float32
    found = getattr(_tenstride, name.rpartition(".")[2], None)
    if isinstance(found, _tenstride.dtype):
        return found
    raise TypeError(f"astype: dtype must be one of tenstride's types ({dtype!r})")


def looked_at(given: Any, operation: str) -> Tensor:
    """A tensor that lies as the array does, to be looked at: with its offset in the memory it is a view of,
    where that can be told. What cannot be handed over (on another device) gives one without memory, on meta.
    """
    if isinstance(given, Tensor):
        return given
    if _is_torch(given):
        return _torch_looked_at(given, operation)
    kind = _kind_of(given, operation)
    if kind is _NUMPY:
        return _numpy_looked_at(given)
    return kind.take(given)


def _torch_looked_at(given: Any, operation: str) -> Tensor:
    torch = sys.modules["torch"]
    given = given.detach()
    if given.layout is not torch.strided or given.device.type != "cpu" or given.is_conj() or given.is_neg():
        name = str(given.dtype).rpartition(".")[2]
        reach = sum((size - 1) * step for size, step in zip(given.shape, given.stride()) if size > 0)
        whole = _tenstride.empty(
            given.storage_offset() + reach + 1,
            dtype=getattr(_tenstride, name),
            device=_tenstride.device("meta"),
        )
    else:
        storage = given.untyped_storage() if hasattr(given, "untyped_storage") else given.storage()
        elements = storage.nbytes() // given.element_size()
        flat = torch.empty(0, dtype=given.dtype).set_(storage, 0, (elements,), (1,))
        whole = _from_torch(flat, operation)
    return whole.as_strided(tuple(given.shape), tuple(given.stride()), given.storage_offset())


def _numpy_looked_at(given: Any) -> Tensor:
    numpy = sys.modules["numpy"]
    root = given
    while isinstance(getattr(root, "base", None), numpy.ndarray):
        root = root.base
    item = given.dtype.itemsize
    plain = isinstance(given, numpy.ndarray) and root.dtype == given.dtype and root.flags.c_contiguous
    if not plain or any(step < 0 or step % item for step in given.strides):
        return _tenstride.asarray(given)
    offset = (given.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // item
    strides = tuple(step // item for step in given.strides)
    return _tenstride.from_numpy(root.reshape(-1)).as_strided(given.shape, strides, offset)
