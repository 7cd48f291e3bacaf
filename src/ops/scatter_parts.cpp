// SPDX-License-Identifier: Apache-2.0
#include "ops/scatter_parts.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "base/message.hpp"
#include "elementwise/combine_elements.hpp"
#include "ledger/watch.hpp"
#include "ops/gather.hpp"
#include "tensor/stored_elements.hpp"
#include "tenstride/layout/coalesce.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::detail {
namespace {

/// The least number of indices for a thread.
constexpr Index grain = Index{1} << 15;

[[noreturn]] void throw_kind(ErrorKind kind, const std::string& text, Index given, Index size) {
  if (kind == ErrorKind::index) throw IndexError(text, given, -size, size - 1);
  throw RuntimeError(text);
}

/// Throws for the first of the numbers outside [lowest, size).
void require_range(std::string_view operation, std::span<const Index> numbers, Index lowest, Index size,
                   std::string_view where, ErrorKind kind) {
  std::atomic<bool> fits = true;
  parallel_for(0, static_cast<Index>(numbers.size()), grain, [&](Index from, Index to) {
    bool all_fit = true;
    for (Index k = from; k < to; ++k) {
      const Index number = numbers[static_cast<std::size_t>(k)];
      all_fit &= number >= lowest && number < size;
    }
    if (!all_fit) fits.store(false, std::memory_order_relaxed);
  });
  if (fits) return;
  const auto misfit = std::find_if(numbers.begin(), numbers.end(),
                                   [&](Index number) { return number < lowest || number >= size; });
  throw_kind(kind,
             message(operation, ": index ", *misfit, " must lie in [", lowest, ",", size - 1, "] ", where),
             *misfit, size);
}

Tensor as_numbers(const Tensor& index) {
  const MutedScope muted;
  return index.to(DType::int64).contiguous();
}
/// Returns scratch memory for as many numbers.
Tensor numbers_like(const Tensor& index) {
  const MutedScope muted;
  return empty({index.numel()}, {.dtype = DType::int64});
}
std::span<const Index> numbers_of(const Tensor& dense) {
  return {dense.data<Index>(), static_cast<std::size_t>(dense.numel())};
}
std::string on_axis(std::size_t axis, const Dims& shape) {
  return message("on axis ", axis, " (shape ", shape, ")");
}

/// Combines elements of T at the given positions. Returns false where they cannot be combined; PyTorch does
/// not combine complex32.
template <elementwise::BinaryOp op, class T>
bool combine(std::byte* out, std::span<const Index> positions, const std::byte* in) {
  if constexpr (elementwise::can_combine<op, T>() && !std::is_same_v<T, complex32>) {
    for (std::size_t k = 0; k < positions.size(); ++k) {
      std::byte* const at = out + positions[k] * static_cast<Index>(sizeof(T));
      store_element<T>(at,
                       elementwise::combined<op>(load_element<T>(at), load_element<T>(in + k * sizeof(T))));
    }
    return true;
  } else {
    return false;
  }
}

template <elementwise::BinaryOp op>
bool combine(DType type, std::byte* out, std::span<const Index> positions, const std::byte* in) {
  return visit(type, [&]<class T>(std::type_identity<T>) { return combine<op, T>(out, positions, in); });
}

using Combine = bool (*)(DType type, std::byte* out, std::span<const Index> positions, const std::byte* in);

Combine combine_of(elementwise::BinaryOp op) {
  switch (op) {
    case elementwise::BinaryOp::mul:
      return combine<elementwise::BinaryOp::mul>;
    case elementwise::BinaryOp::maximum:
      return combine<elementwise::BinaryOp::maximum>;
    case elementwise::BinaryOp::minimum:
      return combine<elementwise::BinaryOp::minimum>;
    default:
      return combine<elementwise::BinaryOp::add>;
  }
}

}  // namespace

Tensor positions_along(std::string_view operation, const Layout& layout, const Tensor& index,
                       std::size_t axis) {
  const Tensor dense = as_numbers(index);
  const std::span<const Index> numbers = numbers_of(dense);
  require_range(operation, numbers, 0, layout.shape[axis], on_axis(axis, layout.shape), ErrorKind::runtime);
  Tensor positions = numbers_like(index);
  Index* const out = positions.mutable_data<Index>();
  const std::size_t last = layout.rank() - 1;
  Dims rows = index.shape();
  const Index columns = rows.back();
  rows.pop_back();
  const Index step = last == axis ? 0 : layout.strides[last];
  const Index row_grain = std::max<Index>(grain / std::max<Index>(columns, 1), 1);
  parallel_for(0, count_elements(rows), row_grain, [&](Index from, Index to) {
    for (Index row = from; row < to; ++row) {
      const Dims at = unravel(row, rows);
      Index first = layout.offset;
      for (std::size_t d = 0; d < last; ++d) first += d == axis ? 0 : at[d] * layout.strides[d];
      for (Index column = 0; column < columns; ++column) {
        const Index k = row * columns + column;
        out[k] = first + column * step + numbers[static_cast<std::size_t>(k)] * layout.strides[axis];
      }
    }
  });
  return positions;
}

Tensor positions_of_numbers(std::string_view operation, const Layout& layout, const Tensor& index) {
  const Tensor dense = as_numbers(index);
  const std::span<const Index> numbers = numbers_of(dense);
  const Index count = numel(layout);
  require_range(operation, numbers, -count, count, message("(shape ", layout.shape, ")"), ErrorKind::index);
  Tensor positions = numbers_like(index);
  Index* const out = positions.mutable_data<Index>();
  const Layout merged = coalesce(layout);
  parallel_for(0, index.numel(), grain, [&](Index from, Index to) {
    for (Index k = from; k < to; ++k) {
      Index number = numbers[static_cast<std::size_t>(k)];
      if (number < 0) number += count;
      Index at = merged.offset;
      for (std::size_t d = merged.rank(); d-- > 0;) {
        at += number % merged.shape[d] * merged.strides[d];
        number /= merged.shape[d];
      }
      out[k] = at;
    }
  });
  return positions;
}

Tensor slice_distances(std::string_view operation, const Layout& layout, std::size_t axis,
                       const Tensor& index, Index lowest, ErrorKind kind) {
  const Tensor dense = as_numbers(index);
  const std::span<const Index> numbers = numbers_of(dense);
  const Index size = layout.shape[axis];
  require_range(operation, numbers, lowest, size, on_axis(axis, layout.shape), kind);
  Tensor distances = numbers_like(index);
  Index* const out = distances.mutable_data<Index>();
  std::transform(numbers.begin(), numbers.end(), out,
                 [&](Index number) { return (number < 0 ? number + size : number) * layout.strides[axis]; });
  return distances;
}

std::size_t axis_or_first(std::string_view operation, Index dim, const Dims& shape) {
  return shape.empty() ? tenstride::wrap_axis(operation, dim, {1})
                       : tenstride::wrap_axis(operation, dim, shape);
}

Tensor at_least_rank_1(const Tensor& x) {
  return x.dim() == 0 ? x.unsqueeze(0) : x;
}

void require_int64(std::string_view operation, const Tensor& index, ErrorKind kind) {
  if (index.dtype() == DType::int64) return;
  throw_kind(kind,
             message(operation, ": the index's dtype ", name(index.dtype()),
                     " must be int64; convert with .to(torch.int64)"),
             0, 0);
}

void require_one_dtype(std::string_view operation, const Tensor& self, const Tensor& source) {
  if (self.dtype() == source.dtype()) return;
  throw RuntimeError(message(operation, ": the source's dtype ", name(source.dtype()),
                             " must be the tensor's, ", name(self.dtype()), "; convert it with .to(dtype)"));
}

void require_readable_index(std::string_view operation, const Tensor& self, const Tensor& index) {
  if (!self.has_memory() || index.has_memory()) return;
  throw RuntimeError(
      message(operation, ": an index on meta has no elements to be read (shape ", index.shape(), ")"));
}

Tensor element_of(const Tensor& self, const Scalar& value) {
  const MutedScope muted;
  return full({}, value, {.dtype = self.dtype(), .device = self.device()});
}

void read_elements(Tensor& result, const Tensor& x, const Tensor& positions) {
  copy_by("boxes", result, x, result.numel(), [&] {
    gather_boxes(result, x,
                 {{positions.data<Index>(), static_cast<std::size_t>(positions.numel())},
                  result.layout(),
                  {{}, {}, 0},
                  {{}, {}, 0}});
  });
}

void write_elements(Tensor& self, const Tensor& src, const Tensor& positions) {
  const Tensor source = stored_as(self, src);
  copy_by("boxes", self, source, source.numel(), [&] {
    scatter_boxes(self, source,
                  {{positions.data<Index>(), static_cast<std::size_t>(positions.numel())},
                   source.layout(),
                   {{}, {}, 0},
                   {{}, {}, 0}});
  });
}

void combine_elements(std::string_view operation, elementwise::BinaryOp op, Tensor& self, const Tensor& src,
                      const Tensor& positions) {
  const Combine combine = combine_of(op);
  std::byte* const out = self.mutable_storage_data();
  if (!combine(self.dtype(), out, {}, nullptr)) {
    throw RuntimeError(message(operation, ": dtype ", name(self.dtype()), " has no such reduction"));
  }
  copy_by("boxes", self, src, src.numel(), [&] {
    const Tensor values = stored_as(self, src).contiguous();
    combine(self.dtype(), out, numbers_of(positions), static_cast<const std::byte*>(values.data_ptr()));
  });
}

}  // namespace tenstride::detail
