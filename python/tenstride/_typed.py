# SPDX-License-Identifier: Apache-2.0
"""PyTorch's constructors by type: `torch.FloatTensor(2, 3)`, `torch.IntTensor([1, 2])`.

They make tensors of class Tensor on the cpu, and `isinstance(x, torch.FloatTensor)` asks for dtype and device.
"""

from __future__ import annotations

import reprlib
from typing import Any

from . import _tenstride
from ._tenstride import Tensor


class tensortype(type):
    """The class of `torch.FloatTensor` and its kin.

    >>> type(torch.FloatTensor).__name__
    'tensortype'
    """

    dtype: _tenstride.dtype
    layout = _tenstride.strided
    is_cuda = False
    is_sparse = False

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.dtype and instance.device.type == "cpu"

    def __call__(cls, *args: Any, size: Any = None, device: Any = None) -> Tensor:
        """A tensor of the sizes (not initialised), of the numbers in a list or an array, or an alias of a tensor."""
        name = cls.__name__
        if device is not None and _tenstride.device(device).type != "cpu":
            raise RuntimeError(f"{name}: device must be 'cpu' ({device}); use torch.tensor(data, device=device)")
        if size is not None:
            args = (*args, _tenstride.Size(size))
        if all(type(arg) is int for arg in args):
            return _tenstride.empty(args or (0,), dtype=cls.dtype, device="cpu")
        if len(args) != 1:
            raise TypeError(f"{name}: sizes must be ints, or one list of numbers be given {reprlib.repr(args)}")
        return cls._of(args[0])

    def _of(cls, given: Any) -> Tensor:
        name = cls.__name__
        if isinstance(given, _tenstride.Size):
            return _tenstride.empty(given, dtype=cls.dtype, device="cpu")
        if isinstance(given, Tensor):
            if not isinstance(given, cls):
                raise TypeError(f"{name}: a tensor must be of {cls.dtype} on cpu ({given.dtype} on {given.device})")
            return given.alias()
        if isinstance(given, (_tenstride.TypedStorage, _tenstride.UntypedStorage)):
            return _tenstride.empty(0, dtype=cls.dtype, device="cpu").set_(given)
        is_list = hasattr(given, "__len__") and hasattr(given, "__getitem__") and not isinstance(given, (str, bytes))
        if not is_list:
            raise TypeError(f"{name}: sizes, or a list of numbers, must be given ({type(given).__name__})")
        return _tenstride.tensor(given, dtype=cls.dtype, device="cpu")


class BFloat16Tensor(metaclass=tensortype):
    """Makes tensors of bfloat16 on the cpu.

    >>> torch.BFloat16Tensor([1.5])
    tensor([1.5000], dtype=torch.bfloat16)
    """

    dtype = _tenstride.bfloat16


class BoolTensor(metaclass=tensortype):
    """Makes tensors of bool on the cpu.

    >>> torch.BoolTensor([1, 0])
    tensor([ True, False])
    """

    dtype = _tenstride.bool


class ByteTensor(metaclass=tensortype):
    """Makes tensors of uint8 on the cpu.

    >>> torch.ByteTensor([1, 2])
    tensor([1, 2], dtype=torch.uint8)
    """

    dtype = _tenstride.uint8


class CharTensor(metaclass=tensortype):
    """Makes tensors of int8 on the cpu.

    >>> torch.CharTensor([1, -2])
    tensor([ 1, -2], dtype=torch.int8)
    """

    dtype = _tenstride.int8


class DoubleTensor(metaclass=tensortype):
    """Makes tensors of float64 on the cpu.

    >>> torch.DoubleTensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """

    dtype = _tenstride.float64


class FloatTensor(metaclass=tensortype):
    """Makes tensors of float32 on the cpu.

    >>> torch.FloatTensor(2, 3).shape
    torch.Size([2, 3])
    >>> isinstance(torch.zeros(2), torch.FloatTensor)
    True
    """

    dtype = _tenstride.float32


class HalfTensor(metaclass=tensortype):
    """Makes tensors of float16 on the cpu.

    >>> torch.HalfTensor([1.5])
    tensor([1.5000], dtype=torch.float16)
    """

    dtype = _tenstride.float16


class IntTensor(metaclass=tensortype):
    """Makes tensors of int32 on the cpu.

    >>> torch.IntTensor([1, 2])
    tensor([1, 2], dtype=torch.int32)
    """

    dtype = _tenstride.int32


class LongTensor(metaclass=tensortype):
    """Makes tensors of int64 on the cpu.

    >>> torch.LongTensor([1, 2])
    tensor([1, 2])
    """

    dtype = _tenstride.int64


class ShortTensor(metaclass=tensortype):
    """Makes tensors of int16 on the cpu.

    >>> torch.ShortTensor([1, 2])
    tensor([1, 2], dtype=torch.int16)
    """

    dtype = _tenstride.int16
