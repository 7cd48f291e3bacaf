// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/tensor/tensor.hpp"

/// Whether two tensors share memory, and which overlaps PyTorch refuses to write through
/// (ATen/MemoryOverlap.cpp): it looks at whole ranges of bytes, of dense tensors alone; what it does not see
/// is let pass, and must be copied correctly. Addresses decide, not storages: two tensors made of one NumPy
/// array share memory as two views of one tensor do. Two mappings of one file have different addresses: that
/// they share memory is not seen.
namespace tenstride::detail {

/// What the elements of both have in common: `identical` where element n of one has the address of element n
/// of the other, and both are of one size. Elements of different sizes are compared by the range of their
/// bytes. Without memory only tensors of one storage overlap.
TENSTRIDE_API Overlap overlap_in_memory(const Tensor& a, const Tensor& b);
/// Whether both are the same view, of one tensor or of two that were made of the same memory.
bool are_one_view(const Tensor& a, const Tensor& b);
/// Whether any byte of an element may be one of another's: what is written must not be read then.
inline bool may_overlap(const Tensor& a, const Tensor& b) {
  return overlap_in_memory(a, b) != Overlap::none;
}
/// The source itself where writing to the destination cannot change its elements; else a copy.
/// Example: x[:-1] is copied for x[1:], and not for x[-1:].
TENSTRIDE_API Tensor apart_from(const Tensor& dst, const Tensor& src);

/// What PyTorch sees of the memory that two tensors share.
enum class SeenOverlap : unsigned char {
  none,
  partial,  ///< dense tensors whose bytes overlap, or that have the same bytes in another order
  full,     ///< the very same view, or the same bytes in the same order
  unknown,  ///< their ranges of bytes meet, and one is not dense: PyTorch does not look
};
/// Example: of x[1:] and x[:-1] partial, of x[:, 1:] and x[:, :-1] unknown.
SeenOverlap seen_overlap(const Tensor& a, const Tensor& b);

/// Throws RuntimeError where several elements of what is written to are one by a stride of 0.
TENSTRIDE_API void require_distinct_elements(std::string_view operation, const Tensor& dst);
/// Throws RuntimeError where the source shares a part of the destination's memory.
TENSTRIDE_API void require_no_partial_overlap(std::string_view operation, const Tensor& dst,
                                              const Tensor& src);
/// Throws RuntimeError where the source shares memory with the destination, also all of it.
TENSTRIDE_API void require_no_overlap(std::string_view operation, const Tensor& dst, const Tensor& src);

}  // namespace tenstride::detail
