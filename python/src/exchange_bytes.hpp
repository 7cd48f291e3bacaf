// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "tenstride/tensor/tensor.hpp"

/// Tensors on memory of which shape and byte strides are known.
namespace tenstride::python {

/// Shape and byte strides (those of the layout), and where the bytes lie.
struct Bytes {
  Layout layout;
  std::byte* first = nullptr;
  std::size_t nbytes = 0;
  Access access = Access::read_write;
};

/// Says of bytes with a shape and strides where they lie, whose first element begins at `start`.
void place(Bytes& bytes, void* start, Index item, std::string_view operation);

/// A tensor on the bytes, which the keeper keeps. A copy where the rule has it so, or where elements lie at
/// addresses or steps that are no multiple of their size; ValueError where the rule forbids that.
Tensor tensor_of_bytes(Bytes bytes, DType dtype, const std::shared_ptr<void>& keeper, CopyRule rule,
                       std::string_view operation);

}  // namespace tenstride::python
