// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "tenstride/tensor/tensor.hpp"

namespace tenstride {

/// What a factory makes besides the shape. Defaults are PyTorch's: float32 on the cpu, row-major.
struct TensorOptions {
  std::optional<DType> dtype{};
  Device device = Device::cpu;
  MemoryFormat memory_format = MemoryFormat::contiguous;
};

/// Elements not initialised. Throws ShapeError, OverflowError, StorageError.
/// Example: `empty({2, 3}).strides() == Dims{3, 1}`.
TENSTRIDE_API Tensor empty(const Dims& size, const TensorOptions& options = {},
                           Caller caller = Caller::current());
/// A tensor with the given strides (not negative); the storage is as long as they reach.
TENSTRIDE_API Tensor empty_strided(const Dims& size, const Dims& stride, const TensorOptions& options = {},
                                   Caller caller = Caller::current());
TENSTRIDE_API Tensor zeros(const Dims& size, const TensorOptions& options = {},
                           Caller caller = Caller::current());
TENSTRIDE_API Tensor ones(const Dims& size, const TensorOptions& options = {},
                          Caller caller = Caller::current());
/// The dtype is the value's unless told.
TENSTRIDE_API Tensor full(const Dims& size, const Scalar& value, const TensorOptions& options = {},
                          Caller caller = Caller::current());

/// Like another tensor: its shape and, where not told otherwise, its dtype and device; strides by the format,
/// which is `preserve` unless told.
struct LikeOptions {
  std::optional<DType> dtype{};
  std::optional<Device> device{};
  MemoryFormat memory_format = MemoryFormat::preserve;
};
TENSTRIDE_API Tensor empty_like(const Tensor& input, const LikeOptions& options = {},
                                Caller caller = Caller::current());
TENSTRIDE_API Tensor zeros_like(const Tensor& input, const LikeOptions& options = {},
                                Caller caller = Caller::current());
TENSTRIDE_API Tensor ones_like(const Tensor& input, const LikeOptions& options = {},
                               Caller caller = Caller::current());
TENSTRIDE_API Tensor full_like(const Tensor& input, const Scalar& value, const LikeOptions& options = {},
                               Caller caller = Caller::current());

/// start, start+step, … below end: ceil((end-start)/step) elements. int64 where all are integers, else
/// float32. Example: `arange(6)` is 0..5; `arange(1, 2, 0.25)` has 4 elements.
TENSTRIDE_API Tensor arange(const Scalar& end, const TensorOptions& options = {},
                            Caller caller = Caller::current());
TENSTRIDE_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
                            const TensorOptions& options = {}, Caller caller = Caller::current());
/// `steps` elements from start to end, both included.
TENSTRIDE_API Tensor linspace(const Scalar& start, const Scalar& end, Index steps,
                              const TensorOptions& options = {}, Caller caller = Caller::current());
/// Ones on the diagonal of an n x m matrix (m = n unless told).
TENSTRIDE_API Tensor eye(Index n, std::optional<Index> m = {}, const TensorOptions& options = {},
                         Caller caller = Caller::current());

/// From nested braces: `tensor({{1, 2}, {3, 4}})`. The dtype is the widest of the entries'. Throws ValueError
/// where the lists of one level differ in length.
TENSTRIDE_API Tensor tensor(const Nested& values, const TensorOptions& options = {},
                            Caller caller = Caller::current());
/// A view of the caller's memory; `deleter(data)` runs once when the last view goes. Without strides:
/// row-major.
TENSTRIDE_API Tensor from_blob(void* data, const Dims& size, DType dtype,
                               std::function<void(void*)> deleter = {});
TENSTRIDE_API Tensor from_blob(void* data, const Dims& size, const Dims& stride, DType dtype,
                               std::function<void(void*)> deleter = {});
/// The first `size` elements of a raw file, memory-mapped. Example: `from_file("x.bin", MapMode::read_only,
/// 100)`.
TENSTRIDE_API Tensor from_file(const std::string& path, MapMode mode, Index size,
                               DType dtype = DType::float32);

}  // namespace tenstride
