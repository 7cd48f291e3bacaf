// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "elementwise/arithmetic_parts.hpp"
#include "elementwise/dense_runs.hpp"
#include "ledger/watch.hpp"
#include "reduce/named.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

/// Reductions in PyTorch's call forms, which `reduce_axes` carries out, and the positions of extremes.
namespace tenstride {
namespace {

using detail::message;
using detail::OperationScope;
using elementwise::Extreme;

/// Returns `dim`, or all axes where it is empty.
Dims axes_or_all(const Tensor& x, const Dims& dim) {
  if (!dim.empty()) return dim;
  Dims all;
  for (Index d = 0; d < x.dim(); ++d) all.push_back(d);
  return all;
}

/// Returns the result with the reduced axes as axes of size 1 where `keepdim` says so.
Tensor with_kept_axes(std::string_view operation, const Tensor& x, const Dims& axes, const Tensor& result,
                      KeepDim keepdim) {
  if (keepdim == KeepDim::no || x.dim() == 0) return result;
  Dims shape = x.shape();
  for (const Index axis : axes) shape[wrap_axis(operation, axis, x.shape())] = 1;
  return result.view(shape);
}

/// Reduces `dim`, or all axes, after a conversion to `dtype` where there is one.
Tensor reduced(std::string_view operation, const Tensor& x, const Dims& dim, KeepDim keepdim,
               std::optional<DType> dtype, Reduction reduction) {
  const Dims axes = axes_or_all(x, dim);
  const detail::ReadingScope reading;
  const Tensor converted = dtype && *dtype != x.dtype() ? x.to({.dtype = *dtype}) : x;
  Tensor result = with_kept_axes(operation, x, axes,
                                 detail::reduce_axes(operation, converted, axes, reduction, {}), keepdim);
  // PyTorch sums in the requested type, also where that is bool or a small integer.
  return dtype && result.dtype() != *dtype ? result.to({.dtype = *dtype}) : result;
}

Tensor reduced_extreme(std::string_view operation, const Tensor& x, const Dims& dim, KeepDim keepdim,
                       Reduction reduction) {
  if (x.numel() == 0 && dim.empty()) {
    throw RuntimeError(
        message(operation, ": a tensor must have elements, or a dim must be given (shape ", x.shape(), ")"));
  }
  return reduced(operation, x, dim, keepdim, {}, reduction);
}

/// Reduces an axis to truth values. Elements of the types that are for storage only become bools first.
Tensor reduced_truth(std::string_view operation, const Tensor& x, Index dim, KeepDim keepdim,
                     Reduction reduction) {
  const bool is_float8 = is_floating_point(x.dtype()) && x.itemsize() == 1;
  const bool is_stored_only = is_float8 || x.dtype() == DType::complex32;
  return reduced(operation, is_stored_only ? ne(x, 0) : x, {dim}, keepdim, {}, reduction);
}

/// Returns the axis `dim`. Throws where it has no element, or where elements have no order.
std::size_t extreme_axis(std::string_view operation, const Tensor& x, Index dim) {
  const std::size_t axis = wrap_axis(operation, dim, x.shape());
  detail::require_taken(operation, x.dtype(), detail::Takes::real);
  if (x.dim() > 0 && x.shape()[axis] == 0) {
    throw IndexError(message(operation, ": axis ", axis, " must have an element (shape ", x.shape(), ")"), 0,
                     1, INT64_MAX);
  }
  return axis;
}

/// Finds the position of the extreme of each run along the last axis of x, and its value where `values` is
/// not null.
void find_extremes(const Tensor& x, Extreme which, Tensor& indices, Tensor* values) {
  const DType type = detail::worked_in(x.dtype());
  const elementwise::ExtremeRow row = elementwise::extreme_row(which, type);
  const Index length = x.size(-1), step = x.stride(-1);
  const Layout runs = x.select(-1, 0).layout();
  const std::size_t item = x.itemsize();
  const bool is_direct = step == 1 && type == x.dtype();
  const Index longest = is_direct ? length : detail::BlockReader::longest;
  std::byte* const found = indices.mutable_storage_data();
  std::byte* const best = values != nullptr ? values->mutable_storage_data() : nullptr;
  const detail::JointLoops<2> loops({row_major(runs.shape), runs});
  const Index grain = std::max<Index>((Index{1} << 16) / length, 1);
  parallel_for(0, loops.count(), grain, [&](Index from, Index to) {
    detail::BlockReader read(x, x.dtype(), type);
    loops(from, to, INT64_MAX, [&](const auto& at, const auto& strides, Index count) {
      for (Index i = 0; i < count; ++i) {
        const Index start = at[1] + i * strides[1];
        alignas(8) std::array<std::byte, 8> value{};
        std::memcpy(value.data(), read(start, 1, 1), item_size(type));
        Index index = 0;
        for (Index first = 0; first < length; first += longest) {
          const Index n = std::min(longest, length - first);
          const Index better = row(value.data(), read(start + first * step, step, n), n);
          if (better >= 0) index = first + better;
        }
        const Index to_index = at[0] + i * strides[0];
        store_element<Index>(found + to_index * static_cast<Index>(sizeof(Index)), index);
        if (best == nullptr) continue;
        const auto bytes = static_cast<Index>(item);
        std::memcpy(best + to_index * bytes, x.storage_data() + (start + index * step) * bytes, item);
      }
      return true;
    });
  });
}

ValuesAndIndices extremes(std::string_view operation, const Tensor& x, Index dim, KeepDim keepdim,
                          Extreme which, bool with_values) {
  const std::size_t axis = extreme_axis(operation, x, dim);
  const Tensor moved = x.dim() == 0 ? x.unsqueeze(0) : x.movedim(static_cast<Index>(axis), -1);
  const Dims shape = moved.select(-1, 0).shape();
  ValuesAndIndices result{with_values ? empty(shape, {.dtype = x.dtype(), .device = x.device()}) : Tensor(),
                          empty(shape, {.dtype = DType::int64, .device = x.device()})};
  if (x.has_memory() && result.indices.numel() > 0) {
    // Reading a large tensor with a stride costs more than transposing it first.
    constexpr Index small = Index{1} << 16;
    const bool is_strided = moved.stride(-1) != 1 && x.numel() >= small;
    const detail::ReasonScope reason([] { return "brought into the order in which it is looked through"; });
    const detail::ReadingScope reading;
    find_extremes(is_strided ? moved.contiguous() : moved.resolve_neg(), which, result.indices,
                  with_values ? &result.values : nullptr);
  }
  const Dims axes{dim};
  result.indices = with_kept_axes(operation, x, axes, result.indices, keepdim);
  if (with_values) result.values = with_kept_axes(operation, x, axes, result.values, keepdim);
  return result;
}

/// Returns the position of the extreme along an axis, or of the flattened tensor.
Tensor extreme_position(std::string_view operation, const Tensor& x, std::optional<Index> dim,
                        KeepDim keepdim, Extreme which) {
  if (dim) extreme_axis(operation, x, *dim);
  if (!dim && x.numel() == 0) {
    throw IndexError(message(operation, ": a tensor must have elements (shape ", x.shape(), ")"), 0, 1,
                     INT64_MAX);
  }
  detail::require_taken(operation, x.dtype(), detail::Takes::real_not_bool);
  if (dim) return extremes(operation, x, *dim, keepdim, which, false).indices;
  const detail::ReadingScope reading;
  const Tensor result = extremes(operation, x.flatten(), 0, KeepDim::no, which, false).indices;
  return with_kept_axes(operation, x, axes_or_all(x, {}), result, keepdim);
}

}  // namespace

Tensor sum(const Tensor& x, const Dims& dim, KeepDim keepdim, std::optional<DType> dtype, Caller caller) {
  return reduced(OperationScope("sum", caller), x, dim, keepdim, dtype, Reduction::sum);
}
Tensor prod(const Tensor& x, std::optional<Index> dim, KeepDim keepdim, std::optional<DType> dtype,
            Caller caller) {
  return reduced(OperationScope("prod", caller), x, dim ? Dims{*dim} : Dims{}, keepdim, dtype,
                 Reduction::prod);
}
Tensor mean(const Tensor& x, const Dims& dim, KeepDim keepdim, std::optional<DType> dtype, Caller caller) {
  const OperationScope scope("mean", caller);
  const DType type = dtype.value_or(x.dtype());
  if (!is_complex(type)) return reduced("mean", x, dim, keepdim, dtype, Reduction::mean);
  const Tensor total = reduced("mean", x, dim, keepdim, dtype, Reduction::sum);
  Index each = 1;
  for (const Index axis : axes_or_all(x, dim)) {
    if (x.dim() > 0) each *= x.shape()[wrap_axis("mean", axis, x.shape())];
  }
  return div(total, each);
}
Tensor count_nonzero(const Tensor& x, const Dims& dim, Caller caller) {
  return reduced(OperationScope("count_nonzero", caller), ne(x, 0), dim, KeepDim::no, {}, Reduction::sum);
}
Tensor sum_to_size(const Tensor& x, const Dims& size, Caller caller) {
  const OperationScope scope("sum_to_size", caller);
  const std::size_t rank = x.layout().rank();
  bool expands = size.size() <= rank;
  Dims axes;
  for (std::size_t d = 0; expands && d < rank; ++d) {
    const std::size_t added = rank - size.size();
    const Index wanted = d < added ? 1 : size[d - added];
    expands = wanted == 1 || wanted == x.shape()[d];
    if (d < added || (wanted == 1 && x.shape()[d] != 1)) axes.push_back(static_cast<Index>(d));
  }
  if (!expands) {
    throw ShapeError(message("sum_to_size: size ", size, " must expand to the tensor's shape, ", x.shape()),
                     x.shape(), size);
  }
  if (size.empty()) return reduced("sum_to_size", x, {}, KeepDim::no, {}, Reduction::sum);
  if (axes.empty()) return x;
  return reduced("sum_to_size", x, axes, KeepDim::yes, {}, Reduction::sum).view(size);
}
Tensor amax(const Tensor& x, const Dims& dim, KeepDim keepdim, Caller caller) {
  return reduced_extreme(OperationScope("amax", caller), x, dim, keepdim, Reduction::max);
}
Tensor amin(const Tensor& x, const Dims& dim, KeepDim keepdim, Caller caller) {
  return reduced_extreme(OperationScope("amin", caller), x, dim, keepdim, Reduction::min);
}
Tensor max(const Tensor& x, Caller caller) {
  return reduced_extreme(OperationScope("max", caller), x, {}, KeepDim::no, Reduction::max);
}
Tensor min(const Tensor& x, Caller caller) {
  return reduced_extreme(OperationScope("min", caller), x, {}, KeepDim::no, Reduction::min);
}
ValuesAndIndices max(const Tensor& x, Index dim, KeepDim keepdim, Caller caller) {
  return extremes(OperationScope("max", caller), x, dim, keepdim, Extreme::greatest, true);
}
ValuesAndIndices min(const Tensor& x, Index dim, KeepDim keepdim, Caller caller) {
  return extremes(OperationScope("min", caller), x, dim, keepdim, Extreme::least, true);
}
Tensor all(const Tensor& x, Index dim, KeepDim keepdim, Caller caller) {
  return reduced_truth(OperationScope("all", caller), x, dim, keepdim, Reduction::all);
}
Tensor any(const Tensor& x, Index dim, KeepDim keepdim, Caller caller) {
  return reduced_truth(OperationScope("any", caller), x, dim, keepdim, Reduction::any);
}
Tensor argmax(const Tensor& x, std::optional<Index> dim, KeepDim keepdim, Caller caller) {
  return extreme_position(OperationScope("argmax", caller), x, dim, keepdim, Extreme::greatest);
}
Tensor argmin(const Tensor& x, std::optional<Index> dim, KeepDim keepdim, Caller caller) {
  return extreme_position(OperationScope("argmin", caller), x, dim, keepdim, Extreme::least);
}

}  // namespace tenstride
