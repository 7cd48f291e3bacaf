// SPDX-License-Identifier: Apache-2.0
// What lies on one side of a diagonal: copied, cleared in place, and its positions.
#include <algorithm>
#include <cstring>

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "memory/watch.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/ops/diagonals.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

enum class Triangle : unsigned char { lower, upper };

/// The column where a row changes over: after the diagonal's element for the lower triangle, before it for
/// the upper one. Any diagonal will do.
Index split_of_row(Index row, Index diagonal, Index columns, Triangle which) {
  if (diagonal >= columns - row) return columns;
  return std::clamp<Index>(row + diagonal + (which == Triangle::lower ? 1 : 0), 0, columns);
}

void copy_triangle(Tensor& result, const Tensor& x, Triangle which, Index diagonal) {
  if (!x.has_memory() || x.numel() == 0) return;
  const Index columns = x.size(-1);
  const Index rows = x.size(-2);
  const auto item = static_cast<Index>(x.element_size());
  // Rows that lie as the result's are copied as far as they are kept; any other layout is copied whole first.
  const bool is_dense = x.is_contiguous() && x.is_resolved();
  if (!is_dense) copy_elements(result, x);
  std::byte* const out = result.mutable_storage_data();
  const std::byte* const in = x.storage_data() + x.storage_offset() * item;
  const auto clear = [&](std::byte* row, Index from, Index to) {
    std::memset(row + from * item, 0, static_cast<std::size_t>((to - from) * item));
  };
  const auto keep = [&](Index at, Index from, Index to) {
    if (!is_dense) return;
    std::memcpy(out + at + from * item, in + at + from * item, static_cast<std::size_t>((to - from) * item));
  };
  const Index grain = std::max<Index>((Index{1} << 18) / (columns * item), 1);
  parallel_for(0, x.numel() / columns, grain, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index split = split_of_row(row % rows, diagonal, columns, which);
      const Index at = row * columns * item;
      if (which == Triangle::lower) {
        keep(at, 0, split);
        clear(out + at, split, columns);
      } else {
        clear(out + at, 0, split);
        keep(at, split, columns);
      }
    }
  });
}

Tensor triangle(std::string_view operation, const Tensor& x, Triangle which, Index diagonal) {
  if (x.dim() < 2) detail::throw_rank(operation, x.shape(), "must have at least 2 axes");
  Tensor result = empty(x.shape(), {.dtype = x.dtype(), .device = x.device()});
  const auto copy = [&] { copy_triangle(result, x, which, diagonal); };
  detail::copy_by("triangle", result, x, x.numel(), copy);
  return result;
}

/// Row after row: the columns of the other side of the split.
Tensor& clear_other_triangle(std::string_view operation, Tensor& self, Triangle which, Index diagonal) {
  if (self.dim() < 2) detail::throw_rank(operation, self.shape(), "must have at least 2 axes");
  const Index rows = self.size(-2), columns = self.size(-1);
  static_cast<void>(self.mutable_storage_data());  // refuses a read-only tensor
  for (Index row = 0; row < rows; ++row) {
    const Index split = split_of_row(row, diagonal, columns, which);
    if (which == Triangle::lower) {
      if (split == columns) break;  // nothing to clear in the rows below either
      self.select(-2, row).narrow(-1, split, columns - split).zero_();
    } else if (split == columns) {
      self.narrow(-2, row, rows - row).zero_();
      break;
    } else if (split > 0) {
      self.select(-2, row).narrow(-1, 0, split).zero_();
    }
  }
  return self;
}

/// The elements up to the diagonal: row i has i + diagonal + 1 of them, at least 0 and at most `columns`.
/// Pre: rows * columns fits an Index, and -rows - 1 <= diagonal <= columns.
Index count_below(Index rows, Index columns, Index diagonal) {
  const Index first = diagonal <= -rows ? rows : std::max<Index>(0, -diagonal);  // that is not empty
  // That is whole.
  const Index whole = diagonal < columns - rows ? rows : std::max(first, columns - 1 - diagonal);
  std::uint64_t sum = 0;
  if (first < whole) {  // at most 2 rows * columns before it is halved
    const auto ends =
        static_cast<std::uint64_t>(first + diagonal + 1) + static_cast<std::uint64_t>(whole + diagonal);
    sum = static_cast<std::uint64_t>(whole - first) * ends / 2;
  }
  return static_cast<Index>(sum) + (rows - whole) * columns;
}

Tensor triangle_indices(std::string_view operation, Index rows, Index columns, Index offset, Triangle which,
                        const TensorOptions& options) {
  if (rows < 0 || columns < 0) {
    throw RuntimeError(
        detail::message(operation, ": row ", rows, " and col ", columns, " must not be negative"));
  }
  TensorOptions typed = options;
  typed.dtype = options.dtype.value_or(DType::int64);
  if (*typed.dtype != DType::int64 && *typed.dtype != DType::int32) {
    throw RuntimeError(detail::message(operation, ": dtype ", name(*typed.dtype), " must be int64 or int32"));
  }
  const Index all = checked_multiply(rows, columns, operation);
  // Any diagonal beyond the corners has the same effect as the one next to them.
  const Index diagonal = std::clamp(offset, -rows, columns);
  const Index above = which == Triangle::lower ? diagonal : diagonal - 1;
  const Index lower = all == 0 ? 0 : count_below(rows, columns, above);
  const Index count = which == Triangle::lower ? lower : all - lower;
  Tensor result = empty({2, count}, typed);
  if (count == 0 || !result.has_memory()) return result;
  const Tensor numbers = arange(columns, {.dtype = typed.dtype});
  Index at = 0;
  for (Index row = std::max<Index>(0, which == Triangle::lower ? -diagonal : 0); at < result.size(1); ++row) {
    const Index split = split_of_row(row, diagonal, columns, which);
    const Index first = which == Triangle::lower ? 0 : split;
    const Index length = which == Triangle::lower ? split : columns - split;
    result.select(0, 0).narrow(0, at, length).fill_(row);
    Tensor positions = result.select(0, 1).narrow(0, at, length);
    copy_elements(positions, numbers.narrow(0, first, length));
    at += length;
  }
  return result;
}

}  // namespace

Tensor Tensor::tril(Index diagonal, Caller caller) const {
  return triangle(detail::OperationScope("tril", caller), *this, Triangle::lower, diagonal);
}
Tensor Tensor::triu(Index diagonal, Caller caller) const {
  return triangle(detail::OperationScope("triu", caller), *this, Triangle::upper, diagonal);
}

Tensor& tril_(Tensor& self, Index diagonal, Caller caller) {
  return clear_other_triangle(detail::OperationScope("tril_", caller), self, Triangle::lower, diagonal);
}
Tensor& triu_(Tensor& self, Index diagonal, Caller caller) {
  return clear_other_triangle(detail::OperationScope("triu_", caller), self, Triangle::upper, diagonal);
}

Tensor tril_indices(Index row, Index col, Index offset, const TensorOptions& options, Caller caller) {
  return triangle_indices(detail::OperationScope("tril_indices", caller), row, col, offset, Triangle::lower,
                          options);
}
Tensor triu_indices(Index row, Index col, Index offset, const TensorOptions& options, Caller caller) {
  return triangle_indices(detail::OperationScope("triu_indices", caller), row, col, offset, Triangle::upper,
                          options);
}

}  // namespace tenstride
