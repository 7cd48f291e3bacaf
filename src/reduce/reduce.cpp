// SPDX-License-Identifier: Apache-2.0
#include "tenstride/reduce/reduce.hpp"

#include <array>
#include <memory>

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "reduce/named.hpp"
#include "reduce/run_reduction.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/tensor/factory.hpp"

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

LedgerEntry entry_of(const ReducePlan& plan, const Tensor& result, const Tensor& x) {
  LedgerEntry entry = detail::copy_entry(result, x, result.numel());
  entry.kind = LedgerKind::reduction;
  entry.reason.clear();
  const Index elements = saturating_multiply(numel(plan.problem.results), numel(plan.problem.reduced));
  entry.bytes_read = saturating_multiply(elements, static_cast<Index>(x.element_size()));
  entry.kernel = name(plan.way);
  entry.reduction = std::make_shared<const ReducePlan>(plan);
  return entry;
}

/// Carries a reduction out, and records it where a scope is open; without memory only the plan is recorded.
void reduce_recorded(const ReduceProblem& problem, Tensor& result, const Tensor& x) {
  const bool is_recorded = detail::is_watched();
  if (!x.has_memory() && !is_recorded) return;
  const ReducePlan plan = plan_reduction(problem, options_here());
  if (!is_recorded) return detail::run_reduction(plan, result, x);
  LedgerEntry entry = entry_of(plan, result, x);
  detail::record({&entry, 1}, result.storage(), [&]() -> std::string_view {
    if (x.has_memory()) detail::run_reduction(plan, result, x);
    return {};
  });
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
  const bool is_truth = reduction == Reduction::any || reduction == Reduction::all;
  if (x.is_neg() && x.has_memory() && !is_truth)
    return reduce_axes(operation, x.resolve_neg(), axes, reduction, caller);
  Tensor result = empty(source.shape, {.dtype = dtype, .device = x.device()});
  if (result.numel() == 0) return result;
  reduce_recorded({reduction, x.dtype(), source, reduction_axes}, result, x);
  if (!x.has_memory()) return result;
  // Sums and products of conjugates are the conjugates of sums and products.
  return x.is_conj() && is_complex(dtype) ? result.conj().resolve_conj() : result;
}

Tensor reduce_axes(const Tensor& x, const Dims& axes, Reduction reduction, Caller caller) {
  return detail::reduce_axes("reduce", x, axes, reduction, caller);
}

}  // namespace tenstride
