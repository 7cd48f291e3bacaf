// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/tensor.hpp"

/// Which overlaps of memory PyTorch refuses to write through (ATen/MemoryOverlap.cpp). It looks at whole
/// ranges of bytes, of dense tensors alone; what it does not see is let pass, and must be copied correctly.
namespace tenstride::detail {

/// Whether any byte of an element may be one of another's, looked at as closely as `overlap` does where both
/// are of one storage: what is written must not be read then.
bool may_overlap(const Tensor& a, const Tensor& b);

/// What PyTorch sees of the memory that two tensors share.
enum class SeenOverlap : unsigned char {
  none,
  partial,  ///< dense tensors whose bytes overlap, or that have the same bytes in another order
  full,     ///< the very same view, or the same bytes in the same order
  unknown,  ///< one of them is not dense: PyTorch does not look
};
/// Example: of x[1:] and x[:-1] partial, of x[:, 1:] and x[:, :-1] unknown.
SeenOverlap seen_overlap(const Tensor& a, const Tensor& b);

/// Throws RuntimeError where several elements of what is written to are one by a stride of 0.
void require_distinct_elements(std::string_view operation, const Tensor& dst);
/// Throws RuntimeError where the source shares a part of the destination's memory.
void require_no_partial_overlap(std::string_view operation, const Tensor& dst, const Tensor& src);
/// Throws RuntimeError where the source shares memory with the destination, also all of it.
void require_no_overlap(std::string_view operation, const Tensor& dst, const Tensor& src);

}  // namespace tenstride::detail
