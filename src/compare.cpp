// SPDX-License-Identifier: Apache-2.0
#include "tenstride/compare.hpp"

#include "compare_blocks.hpp"
#include "compare_parts.hpp"
#include "copy/ledger_watch.hpp"
#include "message.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {
namespace {

using copy::Comparison;

constexpr std::string_view name_of(Comparison comparison) {
  constexpr std::array<std::string_view, 6> names{"eq", "ne", "lt", "le", "gt", "ge"};
  return names[static_cast<std::size_t>(comparison)];
}

TypedOperand typed(const Tensor& x) {
  return {x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor};
}

/// The layout an operand has once it is of the type in which they meet: `to` keeps a dense one.
Layout met_layout(const Tensor& x, DType meeting) {
  if (x.dtype() == meeting) return x.layout();
  return layout_like(x.layout(), MemoryFormat::preserve, "compare");
}

/// An operand as it is, or copied into the layout's order where walking that order would leap through a large
/// tensor: a transpose in tiles and a dense run cost less than a leap for each element.
Tensor in_order_of(const Layout& layout, const Tensor& x) {
  constexpr Index small = Index{1} << 16;  // stays in the L2 cache
  if (x.shape() != layout.shape || x.numel() < small) return x;
  const detail::JointWalk<2> walk({layout, x.layout()});
  if (const Index step = walk.inner_stride(1); step == 0 || step == 1) return x;
  const detail::ReasonScope reason([] { return "compared in the order of the other operand"; });
  return materialize(x, layout, x.dtype());
}

Tensor compare(Comparison comparison, const Tensor& a, const Tensor& b, const TypedOperand& type_b) {
  const std::string_view operation = name_of(comparison);
  const detail::OperationScope scope(operation, {});
  const detail::ReadingScope reading;
  const std::optional<DType> meeting = result_type(std::array{typed(a), type_b});
  if (!meeting) {
    throw RuntimeError(detail::message(operation, ": dtypes ", name(a.dtype()), " and ", name(type_b.dtype),
                                       " must have a common type; convert one with .to(dtype)"));
  }
  if (is_complex(*meeting) && comparison != Comparison::eq && comparison != Comparison::ne) {
    throw RuntimeError(detail::message(operation, ": complex numbers have no order, dtypes ", name(a.dtype()),
                                       " and ", name(type_b.dtype), " must be real; use eq or ne"));
  }
  const Layout layout = elementwise_layout(std::array{met_layout(a, *meeting), met_layout(b, *meeting)});
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = DType::bool_, .device = a.device()});
  if (result.numel() == 0 || (result.is_meta() && !detail::is_watched())) return result;
  const Tensor left = in_order_of(layout, a);
  const Tensor right = in_order_of(layout, b);
  if (result.is_meta()) return result;
  const detail::JointWalk<3> walk(
      {layout, expand(left.layout(), layout.shape), expand(right.layout(), layout.shape)});
  std::byte* const out = result.mutable_storage_data();
  const DType type = detail::compared_as(*meeting);
  const copy::CompareRow row = copy::compare_row(comparison, type);
  const bool is_plain = walk.inner_stride(1) == 1 && walk.inner_stride(2) == 1 &&
                        detail::is_read_in_place(left, *meeting, type) &&
                        detail::is_read_in_place(right, *meeting, type);
  const Index longest = is_plain ? detail::longest_in_place : detail::BlockReader::longest;
  parallel_for(0, walk.count(), detail::compare_grain, [&](Index from, Index to) {
    detail::BlockReader read_a(left, *meeting, type);
    detail::BlockReader read_b(right, *meeting, type);
    walk(from, to, longest, [&](const auto& at, const auto& steps, Index count) {
      row(out + at[0], read_a(at[1], steps[1], count), read_b(at[2], steps[2], count), count);
      return true;
    });
  });
  return result;
}

Tensor compare(Comparison comparison, const Tensor& a, const Tensor& b) {
  detail::require_one_device(name_of(comparison), a, b);
  return compare(comparison, a, b, typed(b));
}

/// A number keeps its full width until it meets the tensor's type, though its own type counts as PyTorch's
/// default.
Tensor compare(Comparison comparison, const Tensor& a, const Scalar& b) {
  DType type = b.dtype();
  if (b.is_floating_point()) type = DType::float64;
  if (b.is_complex()) type = DType::complex128;
  return compare(comparison, a, full({}, b, {.dtype = type}), {b.dtype(), TypeWeight::number});
}

}  // namespace

Tensor eq(const Tensor& a, const Tensor& b) {
  return compare(Comparison::eq, a, b);
}
Tensor ne(const Tensor& a, const Tensor& b) {
  return compare(Comparison::ne, a, b);
}
Tensor lt(const Tensor& a, const Tensor& b) {
  return compare(Comparison::lt, a, b);
}
Tensor le(const Tensor& a, const Tensor& b) {
  return compare(Comparison::le, a, b);
}
Tensor gt(const Tensor& a, const Tensor& b) {
  return compare(Comparison::gt, a, b);
}
Tensor ge(const Tensor& a, const Tensor& b) {
  return compare(Comparison::ge, a, b);
}
Tensor eq(const Tensor& a, const Scalar& b) {
  return compare(Comparison::eq, a, b);
}
Tensor ne(const Tensor& a, const Scalar& b) {
  return compare(Comparison::ne, a, b);
}
Tensor lt(const Tensor& a, const Scalar& b) {
  return compare(Comparison::lt, a, b);
}
Tensor le(const Tensor& a, const Scalar& b) {
  return compare(Comparison::le, a, b);
}
Tensor gt(const Tensor& a, const Scalar& b) {
  return compare(Comparison::gt, a, b);
}
Tensor ge(const Tensor& a, const Scalar& b) {
  return compare(Comparison::ge, a, b);
}

}  // namespace tenstride
