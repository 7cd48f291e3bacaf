// SPDX-License-Identifier: Apache-2.0
#include "tenstride/reduce.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "reduce/blocks.hpp"
#include "reduce/named.hpp"
#include "tenstride/arithmetic.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/parallel.hpp"

/// Reductions: the element type and the layout of their results, and what they refuse.
namespace tenstride {
namespace {

using detail::message;

constexpr std::array<std::string_view, 7> reduction_names{"sum", "mean", "prod", "min", "max", "any", "all"};

/// Returns the result axes: all but `axes`. Throws PyTorch's errors for axes that are out of range or named
/// twice.
Dims result_axes_of(std::string_view operation, const Tensor& x, const Dims& axes) {
  std::uint64_t named = 0;
  for (const Index axis : axes) {
    const std::size_t d = wrap_axis(operation, axis, x.shape());
    if ((named >> d & 1U) != 0) detail::throw_repeated_axis(operation, axes, axis, x.shape());
    named |= std::uint64_t{1} << d;
  }
  Dims result_axes;
  for (std::size_t d = 0; d < x.layout().rank(); ++d) {
    if ((named >> d & 1U) == 0) result_axes.push_back(static_cast<Index>(d));
  }
  return result_axes;
}

/// Returns whether repeated elements do not change the result.
bool ignores_repetition(Reduction reduction) {
  return reduction == Reduction::min || reduction == Reduction::max || reduction == Reduction::any ||
         reduction == Reduction::all;
}

/// Returns the layout with one index of each expanded axis.
Layout without_repetition(Layout layout) {
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.strides[d] == 0 && layout.shape[d] > 1) layout.shape[d] = 1;
  }
  return layout;
}

/// Returns whether one of `count` numbers is NaN. The compiler makes vectors of it.
template <typename T>
bool has_nan(const T* numbers, Index count) {
  unsigned nans = 0;
  for (Index i = 0; i < count; ++i) nans |= numbers[i] != numbers[i] ? 1U : 0U;
  return nans != 0;
}

/// Recomputes the products that are NaN, one element after another in row-major order, as NumPy does: of two
/// partial products one may have overflowed and the other vanished, and inf * 0 is NaN. Example: the product
/// of 1/n, 2/n, ..., 2n/n vanishes, though that of its upper half overflows.
template <typename T>
void recompute_products(Tensor& result, const std::byte* base, const Layout& source,
                        const Layout& reduction_axes) {
  using Wide = std::conditional_t<is_complex_element<T>, std::complex<double>, double>;
  const auto at = [base](Index position) {
    return convert_element<Wide>(load_element<T>(base + position * static_cast<Index>(sizeof(T))));
  };
  auto* const products = reinterpret_cast<T*>(result.mutable_storage_data());
  const Index count = numel(reduction_axes);
  const auto recomputed = [&](Index r) {
    const Index first = position(source, unravel(r, source.shape));
    Wide product = 1;
    for (Index k = 0; k < count && product == product; ++k) {
      product *= at(first + position(reduction_axes, unravel(k, reduction_axes.shape)));
    }
    return convert_element<T>(product);
  };
  constexpr Index block = 256;
  constexpr Index grain = (Index{1} << 17) / block;
  const Index results = result.numel();
  parallel_for(0, ceil_divide(results, block), grain, [&](Index from, Index to) {
    for (Index first = from * block; first < std::min(to * block, results); first += block) {
      const Index last = std::min(first + block, results);
      if (!has_nan(products + first, last - first)) continue;
      for (Index r = first; r < last; ++r) {
        if (products[r] != products[r]) products[r] = recomputed(r);
      }
    }
  });
}

/// Sums and means of nothing but repeats of one element, which are its multiples: of floats narrower than the
/// doubles in which they are summed, so that no sum is rounded before the end. Returns whether it wrote the
/// result. Reading each element again and again took 6 times as long.
bool try_multiples(Tensor& result, const Tensor& x, const Layout& source, const Layout& reduction_axes,
                   Reduction reduction) {
  constexpr Index max_repeats = Index{1} << 24;  // whole floats
  const Index repeats = numel(reduction_axes);
  const bool is_narrow = is_floating_point(x.dtype()) && x.itemsize() < sizeof(double);
  if (!is_narrow || (reduction != Reduction::sum && reduction != Reduction::mean)) return false;
  if (repeats <= 1 || repeats > max_repeats || numel(without_repetition(reduction_axes)) != 1) return false;
  const std::array times{reduction == Reduction::sum ? static_cast<double>(repeats) : 1.};
  copy_elements(result, x.with_layout(source), {.scale = times});
  return true;
}

void accumulate_into(Tensor& result, const Tensor& x, const Layout& source, const Layout& reduction_axes,
                     Reduction reduction) {
  if (try_multiples(result, x, source, reduction_axes, reduction)) return;
  const auto item = static_cast<Index>(x.itemsize());
  const std::byte* const base = x.storage_data() + x.storage_offset() * item;
  // The sum of repeated integers is a multiple, modulo 2^64.
  const bool is_whole_sum = reduction == Reduction::sum && result.dtype() == DType::int64;
  const Layout elements =
      ignores_repetition(reduction) || is_whole_sum ? without_repetition(reduction_axes) : reduction_axes;
  const detail::ReduceKernel& kernel = detail::reduce_kernel(reduction, x.dtype(), numel(elements));
  const Layout once = without_repetition(source);
  if (once.shape == source.shape) {
    detail::reduce_into(result, kernel, {source, elements, item, base});
    if (is_whole_sum && elements.shape != reduction_axes.shape) {
      mul_(result, numel(reduction_axes) / std::max<Index>(numel(elements), 1));
    }
    if (reduction != Reduction::prod || is_integer(result.dtype())) return;
    visit(x.dtype(), [&]<class T>(std::type_identity<T>) {
      if constexpr (!std::is_integral_v<T>) recompute_products<T>(result, base, source, elements);
    });
    return;
  }
  Tensor unrepeated = empty(once.shape, {.dtype = result.dtype()});
  accumulate_into(unrepeated, x, once, reduction_axes, reduction);
  copy_elements(result, unrepeated.expand(source.shape));
}

}  // namespace

std::string_view name(Reduction reduction) {
  return reduction_names[static_cast<std::size_t>(reduction)];
}

Reduction parse_reduction(std::string_view name) {
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    if (reduction_names[i] == name) return static_cast<Reduction>(i);
  }
  throw ValueError(
      message("reduce: reduction \"", name, "\" must be one of sum, mean, prod, min, max, any, all"));
}

namespace {

DType reduced_dtype_for(std::string_view operation, Reduction reduction, DType dtype) {
  const auto refuse = [&](std::string_view rule) {
    const std::string what = operation == name(reduction) ? "dtype " : message(name(reduction), " of ");
    throw RuntimeError(message(operation, ": ", what, name(dtype), " must not be asked for: ", rule));
  };
  if (dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2)
    refuse("float8 is for storage; convert first");
  if (dtype == DType::complex32) refuse("complex32 is for storage; convert first");
  const bool is_whole = is_integer(dtype) || dtype == DType::bool_;
  switch (reduction) {
    case Reduction::sum:
    case Reduction::prod:
      return is_whole ? DType::int64 : dtype;
    case Reduction::mean:
      if (!is_floating_point(dtype)) refuse("a mean is of floating elements; convert first");
      return dtype;
    case Reduction::min:
    case Reduction::max:
      if (is_complex(dtype)) refuse("complex numbers have no order");
      return dtype;
    case Reduction::any:
    case Reduction::all:
      return dtype == DType::uint8 ? DType::uint8 : DType::bool_;
  }
  return dtype;
}

}  // namespace

DType reduced_dtype(Reduction reduction, DType dtype) {
  return reduced_dtype_for("reduce", reduction, dtype);
}

Tensor detail::reduce_axes(std::string_view operation, const Tensor& x, const Dims& axes, Reduction reduction,
                           Caller caller) {
  const DType dtype = reduced_dtype_for(operation, reduction, x.dtype());
  const Dims result_axes = result_axes_of(operation, x, axes);
  Layout source{{}, {}, x.storage_offset()};
  for (const Index d : result_axes) {
    source.shape.push_back(x.shape()[detail::at(d)]);
    source.strides.push_back(x.strides()[detail::at(d)]);
  }
  Layout reduction_axes{{}, {}, 0};
  std::uint64_t is_result_axis = 0;
  for (const Index d : result_axes) is_result_axis |= std::uint64_t{1} << detail::at(d);
  for (std::size_t d = 0; d < x.layout().rank(); ++d) {
    if ((is_result_axis >> d & 1U) != 0) continue;
    reduction_axes.shape.push_back(x.shape()[d]);
    reduction_axes.strides.push_back(x.strides()[d]);
    if (x.shape()[d] != 0 || (reduction != Reduction::min && reduction != Reduction::max)) continue;
    throw IndexError(message(operation, ": axis ", d, " must have an element, ", name(reduction),
                             " of none has no value (shape ", x.shape(), ")"),
                     0, 1, INT64_MAX);
  }
  const detail::OperationScope scope(operation, caller);
  if (x.is_neg() && x.has_memory()) return reduce_axes(operation, x.resolve_neg(), axes, reduction, caller);
  Tensor result = empty(source.shape, {.dtype = dtype, .device = x.device()});
  if (!x.has_memory() || result.numel() == 0) return result;
  const detail::MutedScope muted;
  accumulate_into(result, x, source, reduction_axes, reduction);
  // Sums and products of conjugates are the conjugates of sums and products.
  return x.is_conj() && is_complex(dtype) ? result.conj().resolve_conj() : result;
}

Tensor reduce_axes(const Tensor& x, const Dims& axes, Reduction reduction, Caller caller) {
  return detail::reduce_axes("reduce", x, axes, reduction, caller);
}

}  // namespace tenstride
