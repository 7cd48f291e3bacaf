// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tenstride/io/element_order.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

using BlockVisitor = std::function<void(std::span<const std::byte>)>;

/// Gives the bytes of all elements in order, some megabytes at a time: those of a contiguous tensor where
/// they lie, others from a copy of a part. For files that are written from their beginning to their end.
void for_each_block(const Tensor& tensor, ElementOrder order, const BlockVisitor& visit);

}  // namespace tenstride::io
