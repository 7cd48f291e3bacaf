# SPDX-License-Identifier: Apache-2.0
"""How the arrays of other libraries become tensors, and tensors such arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _tenstride
from ._items import Items, are_items, as_numpy
from ._tenstride import Tensor


class Kind:
    """The arrays of one library. `share` takes one to be written to, where `take` may copy it. `pattern` and `dim` say
    an argument for the tensor that `take` makes.
    """

    def __init__(
        self,
        name: str,
        take: Callable[[Any], Tensor],
        give: Callable[[Tensor], Any],
        share: Callable[[Any], Tensor] | None = None,
    ) -> None:
        self.name = name
        self.take = take
        self.give = give
        self.share = share or take

    def pattern(self, given: str) -> str:
        return given

    def dim(self, given: int) -> int:
        return given


_OWN = Kind("tenstride", lambda tensor: tensor, lambda tensor: tensor)


def call(operation: str, work: Callable[[Any, Any], Any], given: Any, *, moves: bool = False) -> Any:
    """What `work(tensor, kind)` makes of the tensor, as the kind that was given; the given object where it makes
    that. `moves` says that elements are moved as they are, so that any will do.
    """
    if is_own(given):
        return work(given, _OWN)
    if isinstance(given, (list, tuple)):
        kind, tensors = take_all(operation, given, moves=moves)
        return _give(kind, work(tensors, kind))
    if _is_torch(given) and given.requires_grad:
        return _with_grad(operation, lambda tensor: work(tensor, _OWN), given)
    kind, tensor = take(operation, given, moves=moves)
    result = work(tensor, kind)
    return given if result is tensor else _give(kind, result)


def take(operation: str, given: Any, *, moves: bool = False) -> tuple[Any, Tensor]:
    """One array as a tensor, and its kind."""
    array = as_array(given)
    kind = kind_of([array], operation, moves=moves)
    return kind, kind.take(array)


def take_all(operation: str, given: Sequence[Any], *, moves: bool = False) -> tuple[Any, Sequence[Tensor]]:
    """A list of arrays of one kind."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{operation}: a list of arrays must be given ({type(given).__name__})")
    if all(type(entry) is Tensor for entry in given):
        return _OWN, given
    arrays = [as_array(entry) for entry in tuple(given)]
    kind = kind_of(arrays, operation, moves=moves)
    return kind, [kind.take(array) for array in arrays]


def kind_of(given: Sequence[Any], operation: str, *, moves: bool = False) -> Any:
    """The one kind of some arrays."""
    kinds = [_kind_of(entry, operation) for entry in given]
    for kind in kinds[1:]:
        if kind.name != kinds[0].name:
            raise TypeError(f"{operation}: arrays must be of one kind ({kinds[0].name}, {kind.name})")
    if moves and kinds[0].name == "NumPy":
        arrays = [as_numpy(entry) for entry in given]
        if any(are_items(array) for array in arrays):
            return Items(arrays, operation)
    return kinds[0]


def _give(kind: Any, result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(kind.give(part) for part in result)
    return kind.give(result)


def _kind_of(given: Any, operation: str) -> Kind:
    if is_own(given):
        return _OWN
    if is_numpy(given):
        return _numpy_kind(operation)
    if _is_torch(given):
        return Kind("PyTorch", lambda tensor: _from_torch(tensor, operation), _to_torch)
    if hasattr(given, "__dlpack__"):
        root = type(given).__module__.partition(".")[0]
        return Kind(root, _tenstride._lent, lambda tensor: _from_dlpack_of(given)(tensor), _tenstride.from_dlpack)
    if _is_buffer(given):
        return Kind("memoryview", lambda array: _tenstride._asarray(array, operation), memoryview, _sharing(operation))
    if _becomes_numpys(given):
        return _numpy_kind(operation)
    raise TypeError(
        f"{operation}: a tensor, or an array that speaks DLPack, has the buffer protocol or becomes one of NumPy's, "
        f"must be given ({type(given).__name__})"
    )


def _numpy_kind(operation: str) -> Kind:
    """Of NumPy's arrays, and of what becomes one by `__array__` or `__array_interface__`."""
    return Kind(
        "NumPy", lambda array: _tenstride._asarray(array, operation), lambda tensor: tensor.numpy(), _sharing(operation)
    )


def _sharing(operation: str) -> Callable[[Any], Tensor]:
    return lambda array: _tenstride._asarray(array, operation, copy=False)


def is_own(given: Any) -> bool:
    """Whether it is a Tensor, whatever class it says it has."""
    return issubclass(type(given), Tensor)


def is_numpy(given: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(type(given), (numpy.ndarray, numpy.generic))


def as_array(given: Any) -> Any:
    """What only becomes an array of NumPy's as that array, which is made once: a file may be read for it."""
    if is_own(given) or is_numpy(given) or hasattr(given, "__dlpack__") or _is_buffer(given):
        return given
    return as_numpy(given) if _becomes_numpys(given) else given


def _becomes_numpys(given: Any) -> bool:
    return not isinstance(given, type) and (hasattr(given, "__array__") or hasattr(given, "__array_interface__"))


def _is_buffer(given: Any) -> bool:
    try:
        memoryview(given)
    except (TypeError, ValueError, BufferError):
        return False
    return True


def _from_dlpack_of(array: Any) -> Callable[[Tensor], Any]:
    """The function of the array's own library; without one the tensor stays a tensor."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__().from_dlpack
    library = sys.modules.get(type(array).__module__.partition(".")[0])
    return getattr(library, "from_dlpack", lambda tensor: tensor)


def _is_torch(given: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "Tensor") and isinstance(given, torch.Tensor)


def _with_grad(operation: str, work: Callable[[Tensor], Any], given: Any) -> Any:
    """Views of a tensor that requires grad are views for autograd, too; copies would leave it."""
    tensor = _from_torch(given.detach(), operation)
    result = work(tensor)
    if result is tensor:
        return given
    start = tensor.untyped_storage().data_ptr()
    if not isinstance(result, Tensor) or result.untyped_storage().data_ptr() != start:
        raise RuntimeError(
            f"{operation}: a copy of a tensor that requires grad would be lost to autograd; use .detach() first, or "
            "PyTorch's own permute(…).reshape(…)"
        )
    first = given.storage_offset() + (result.data_ptr() - tensor.data_ptr()) // tensor.element_size()
    return given.as_strided(tuple(result.shape), tuple(result.stride()), first)


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


def looked_at(given: Any, operation: str) -> Tensor:
    """A tensor that lies as the array does, to be looked at: with its offset in the memory it is a view of,
    where that can be told. What cannot be handed over (on another device) gives one without memory, on meta.
    """
    if is_own(given):
        return given
    if _is_torch(given):
        return _torch_looked_at(given, operation)
    if is_numpy(given):
        return _numpy_looked_at(given)
    return _kind_of(given, operation).take(given)


def _torch_looked_at(given: Any, operation: str) -> Tensor:
    torch = sys.modules["torch"]
    given = given.detach()
    if given.layout is not torch.strided or given.device.type != "cpu" or given.is_conj() or given.is_neg():
        name = str(given.dtype).rpartition(".")[2]
        layout = tuple(given.shape), tuple(given.stride()), given.storage_offset()
        return _tenstride._stand_in(layout, getattr(_tenstride, name))
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
        return _tenstride.asarray(given, device="cpu")
    offset = (given.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // item
    strides = tuple(step // item for step in given.strides)
    return _tenstride.from_numpy(root.reshape(-1)).as_strided(given.shape, strides, offset)
