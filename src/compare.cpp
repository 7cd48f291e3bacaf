// SPDX-License-Identifier: Apache-2.0
#include "tenstride/compare.hpp"

#include <atomic>
#include <cmath>
#include <complex>

#include "compare_blocks.hpp"
#include "message.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {
namespace {

enum class Comparison : unsigned char { eq, ne, lt, le, gt, ge };

constexpr std::string_view name_of(Comparison comparison) {
  constexpr std::array<std::string_view, 6> names{"eq", "ne", "lt", "le", "gt", "ge"};
  return names[static_cast<std::size_t>(comparison)];
}

/// Elements that one thread takes at a time; below that a comparison is serial.
constexpr Index grain = Index{1} << 17;

template <Comparison comparison, class T>
constexpr bool holds(const T& a, const T& b) {
  if constexpr (comparison == Comparison::eq) return a == b;
  if constexpr (comparison == Comparison::ne) return a != b;
  if constexpr (!is_complex_element<T>) {
    if constexpr (comparison == Comparison::lt) return a < b;
    if constexpr (comparison == Comparison::le) return a <= b;
    if constexpr (comparison == Comparison::gt) return a > b;
    if constexpr (comparison == Comparison::ge) return a >= b;
  }
  return false;
}

/// Dense to dense, one byte (0 or 1) for each pair.
using CompareRow = void (*)(std::byte* out, const std::byte* a, const std::byte* b, Index count);

template <Comparison comparison, class T>
void compare_row(std::byte* __restrict out, const std::byte* a, const std::byte* b, Index count) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  for (Index i = 0; i < count; ++i) {
    const bool answer = holds<comparison>(load_element<T>(a + i * item), load_element<T>(b + i * item));
    out[i] = static_cast<std::byte>(answer);
  }
}

/// The type of the inner loop: bool and the small floats are compared as types the processor knows.
constexpr DType loop_type(DType type) {
  if (type == DType::bool_) return DType::uint8;
  return is_floating_point(type) && item_size(type) < 4 ? DType::float32 : type;
}

template <Comparison comparison>
CompareRow row_function(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> CompareRow {
    if constexpr (is_small_float<T> || std::is_same_v<T, bool>) {
      return nullptr;  // never a loop type
    } else {
      return &compare_row<comparison, T>;
    }
  });
}

CompareRow row_function(Comparison comparison, DType type) {
  switch (comparison) {
    case Comparison::eq:
      return row_function<Comparison::eq>(type);
    case Comparison::ne:
      return row_function<Comparison::ne>(type);
    case Comparison::lt:
      return row_function<Comparison::lt>(type);
    case Comparison::le:
      return row_function<Comparison::le>(type);
    case Comparison::gt:
      return row_function<Comparison::gt>(type);
    case Comparison::ge:
      return row_function<Comparison::ge>(type);
  }
  __builtin_unreachable();  // a Comparison holds one of its enumerators
}

void require_one_device(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.device() == b.device()) return;
  throw RuntimeError(detail::message(operation, ": both tensors must be on one device, not ",
                                     name(a.device()), " and ", name(b.device())));
}

void require_memory(std::string_view operation, const Tensor& x) {
  if (!x.is_meta()) return;
  throw RuntimeError(
      detail::message(operation, ": a meta tensor has no elements to be read (shape ", x.shape(), ")"));
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
  return materialize(x, layout, x.dtype());
}

Tensor compare(Comparison comparison, const Tensor& a, const Tensor& b, const TypedOperand& type_b) {
  const std::string_view operation = name_of(comparison);
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
  if (result.is_meta() || result.numel() == 0) return result;
  const Tensor left = in_order_of(layout, a);
  const Tensor right = in_order_of(layout, b);
  const detail::JointWalk<3> walk(
      {layout, expand(left.layout(), layout.shape), expand(right.layout(), layout.shape)});
  std::byte* const out = result.mutable_storage_data();
  const DType type = loop_type(*meeting);
  const CompareRow row = row_function(comparison, type);
  parallel_for(0, walk.count(), grain, [&](Index from, Index to) {
    detail::BlockReader read_a(left, *meeting, type);
    detail::BlockReader read_b(right, *meeting, type);
    walk(from, to, detail::BlockReader::longest, [&](const auto& at, const auto& steps, Index count) {
      row(out + at[0], read_a(at[1], steps[1], count), read_b(at[2], steps[2], count), count);
      return true;
    });
  });
  return result;
}

Tensor compare(Comparison comparison, const Tensor& a, const Tensor& b) {
  require_one_device(name_of(comparison), a, b);
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

/// |a-b| <= atol + rtol*|b|, or equal (infinities are close to themselves alone).
template <class T>
bool all_close(const std::byte* a, const std::byte* b, Index count, double rtol, double atol) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  for (Index i = 0; i < count; ++i) {
    const T x = load_element<T>(a + i * item);
    const T y = load_element<T>(b + i * item);
    if (x == y) continue;
    const double apart = std::abs(x - y);
    if (!std::isfinite(apart) || !(apart <= atol + std::abs(rtol * y))) return false;
  }
  return true;
}

/// Whether `test(run of a, run of b, count)` holds for all runs. Pre: equal shapes, same dtype, not meta.
template <class Test>
bool all_runs(const Tensor& a, const Layout& layout_a, const Tensor& b, const Layout& layout_b, DType type,
              const Test& test) {
  const detail::JointWalk<2> walk({layout_a, layout_b});
  std::atomic<bool> holds_so_far = true;
  parallel_for(0, walk.count(), grain, [&](Index from, Index to) {
    detail::BlockReader read_a(a, a.dtype(), type);
    detail::BlockReader read_b(b, b.dtype(), type);
    walk(from, to, detail::BlockReader::longest, [&](const auto& at, const auto& steps, Index count) {
      if (test(read_a(at[0], steps[0], count), read_b(at[1], steps[1], count), count)) {
        return holds_so_far.load(std::memory_order_relaxed);
      }
      holds_so_far.store(false, std::memory_order_relaxed);
      return false;
    });
  });
  return holds_so_far;
}

/// Folds the elements, as 0 or 1, into `result`, whose layout is repeated over x's shape: bitwise and for
/// all, or for any.
void fold(Tensor& result, const Layout& repeated, const Tensor& x, bool is_all) {
  const detail::JointWalk<2> walk({x.layout(), repeated});
  std::byte* const out = result.mutable_storage_data();
  detail::BlockReader read(x, DType::bool_, DType::uint8);
  const std::byte decided{is_all ? std::uint8_t{0} : std::uint8_t{1}};
  const bool is_whole = result.numel() == 1;
  walk(0, walk.count(), detail::BlockReader::longest, [&](const auto& at, const auto& steps, Index count) {
    if (steps[1] == 0 && out[at[1]] == decided) return !is_whole;
    const std::byte* const row = read(at[0], steps[0], count);
    if (steps[1] == 0) {
      if (std::find(row, row + count, decided) != row + count) out[at[1]] = decided;
      return true;
    }
    for (Index i = 0; i < count; ++i) {
      std::byte& one = out[at[1] + i * steps[1]];
      one = is_all ? one & row[i] : one | row[i];
    }
    return true;
  });
}

DType truth_type(const Tensor& x) {
  return x.dtype() == DType::uint8 ? DType::uint8 : DType::bool_;
}

Tensor reduce_whole(const Tensor& x, bool is_all) {
  Tensor result = full({}, is_all, {.dtype = truth_type(x), .device = x.device()});
  if (!x.is_meta()) fold(result, {x.shape(), Dims::filled(x.layout().rank(), 0), 0}, x, is_all);
  return result;
}

Tensor reduce_axis(const Tensor& x, Index dim, KeepDim keepdim, bool is_all) {
  const std::size_t d = wrap_axis(is_all ? "all" : "any", dim, x.shape());
  if (x.dim() == 0) return reduce_whole(x, is_all);
  Dims kept = x.shape();
  kept[d] = 1;
  Tensor result = full(kept, is_all, {.dtype = truth_type(x), .device = x.device()});
  Layout repeated{x.shape(), result.strides(), 0};
  repeated.strides[d] = 0;
  if (!x.is_meta()) fold(result, repeated, x, is_all);
  return keepdim == KeepDim::yes ? result : result.select(dim, 0);
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

Tensor all(const Tensor& x, Index dim, KeepDim keepdim) {
  return reduce_axis(x, dim, keepdim, true);
}
Tensor any(const Tensor& x, Index dim, KeepDim keepdim) {
  return reduce_axis(x, dim, keepdim, false);
}
Tensor Tensor::all() const {
  return reduce_whole(*this, true);
}
Tensor Tensor::any() const {
  return reduce_whole(*this, false);
}

bool Tensor::equal(const Tensor& other) const {
  require_one_device("equal", *this, other);
  if (dtype_ != other.dtype_) {
    throw RuntimeError(detail::message("equal: both tensors must have one dtype, not ",
                                       tenstride::name(dtype_), " and ", tenstride::name(other.dtype_),
                                       "; convert one with .to(dtype), or compare with eq"));
  }
  if (shape() != other.shape()) return false;
  require_memory("equal", *this);
  const DType type = loop_type(dtype_);
  const CompareRow row = row_function(Comparison::eq, type);
  return all_runs(
      *this, layout_, other, other.layout_, type, [row](const std::byte* a, const std::byte* b, Index count) {
        std::array<std::byte, detail::BlockReader::longest> answers;
        row(answers.data(), a, b, count);
        return std::find(answers.data(), answers.data() + count, std::byte{0}) == answers.data() + count;
      });
}

bool Tensor::allclose(const Tensor& other, double rtol, double atol) const {
  require_one_device("allclose", *this, other);
  if (dtype_ != other.dtype_) {
    throw RuntimeError(detail::message("allclose: both tensors must have one dtype, not ",
                                       tenstride::name(dtype_), " and ", tenstride::name(other.dtype_),
                                       "; convert one with .to(dtype)"));
  }
  if (!(rtol >= 0) || !(atol >= 0)) {
    throw RuntimeError(detail::message("allclose: rtol (", Scalar(rtol).to_string(), ") and atol (",
                                       Scalar(atol).to_string(), ") must not be negative"));
  }
  const Dims both = broadcast_shapes(shape(), other.shape());
  require_memory("allclose", *this);
  const bool complex = is_complex();
  return all_runs(*this, tenstride::expand(layout_, both), other, tenstride::expand(other.layout_, both),
                  complex ? DType::complex128 : DType::float64,
                  [=](const std::byte* a, const std::byte* b, Index count) {
                    if (complex) return all_close<std::complex<double>>(a, b, count, rtol, atol);
                    return all_close<double>(a, b, count, rtol, atol);
                  });
}

}  // namespace tenstride
