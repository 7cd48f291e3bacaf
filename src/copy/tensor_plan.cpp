// SPDX-License-Identifier: Apache-2.0
#include "copy/tensor_plan.hpp"

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy/measure.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace copy {
namespace {

Negation negation_between(const Tensor& dst, const Tensor& src) {
  if (src.is_neg()) return dst.is_neg() ? Negation::both : Negation::source;
  return dst.is_neg() ? Negation::destination : Negation::none;
}

}  // namespace

PlanOptions plan_options(const Tensor& dst, const Tensor& src, const ScaleShift& arithmetic) {
  PlanOptions options = options_here();
  options.placement = placement_of(dst.storage_data(), dst.layout(), dst.dtype());
  options.conjugation = src.is_conj() != dst.is_conj() ? Conjugation::conjugate : Conjugation::keep;
  options.negation = negation_between(dst, src);
  options.scale = arithmetic.scale;
  options.shift = arithmetic.shift;
  if (arithmetic.scale.size() > 1 || arithmetic.shift.size() > 1) {
    options.axis = wrap_axis("convert", arithmetic.axis, dst.shape());
    const auto size = static_cast<std::size_t>(dst.shape()[options.axis]);
    for (const std::size_t given : {arithmetic.scale.size(), arithmetic.shift.size()}) {
      if (given <= 1 || given == size) continue;
      throw ShapeError(detail::message("convert: ", given, " numbers for scale or shift must be 1 or ", size,
                                       ", the size of axis ", options.axis, " (shape ", dst.shape(), ")"),
                       dst.shape(), dst.shape());
    }
  }
  if (!is_provably_unique(dst.layout()))
    options.max_threads = 1;  // elements may share memory: writes keep a fixed order
  return options;
}

Tensor source_of_plan(std::string_view operation, const Tensor& dst, const Tensor& src) {
  detail::require_memory(dst, operation, "written");
  detail::require_memory(src, operation, "copied");
  if (dst.is_neg() || src.is_neg())
    throw RuntimeError(detail::message(operation,
                                       ": a negated view has no plan of its own; resolve_neg() gives "
                                       "a tensor that has"));
  detail::require_distinct_elements(operation, dst);
  const Tensor source = src.shape() == dst.shape() ? src : src.broadcast_to(dst.shape());
  if (detail::may_overlap(dst, source))
    throw RuntimeError(detail::message(operation, ": the source and the destination share memory (shapes ",
                                       source.shape(), " and ", dst.shape(), "); clone() one of them"));
  return source;
}

}  // namespace copy

CopyPlan plan_copy(Tensor& dst, const Tensor& src, Effort effort, Caller caller) {
  const detail::OperationScope scope("plan_copy", caller);
  if (effort == Effort::measured) return measure(dst, src).fastest.plan;
  const Tensor source = copy::source_of_plan("plan_copy", dst, src);
  return plan_copy(dst.layout(), dst.dtype(), source.layout(), source.dtype(),
                   copy::plan_options(dst, source, {}));
}

void run_plan(const CopyPlan& plan, Tensor& dst, const Tensor& src, Caller caller) {
  const detail::OperationScope scope("run_plan", caller);
  const Tensor source = copy::source_of_plan("run_plan", dst, src);
  const Conversion& conversion = plan.conversion;
  const bool conjugates =
      is_complex(dst.dtype()) && is_complex(src.dtype()) && src.is_conj() != dst.is_conj();
  if (conversion.dst_type != dst.dtype() || conversion.src_type != src.dtype() ||
      conjugates != (conversion.conjugation == Conjugation::conjugate) ||
      conversion.kind == CopyConversion::scale || !plan.is_of(dst.layout(), source.layout()))
    throw RuntimeError(detail::message(
        "run_plan: the plan is one of other tensors than ", to_string(dst.layout()), " ", name(dst.dtype()),
        " and ", to_string(source.layout()), " ", name(src.dtype()), "; plan_copy(dst, src) makes theirs"));
  if (is_empty(dst.layout())) return;
  const auto run = [&] { run_plan(plan, dst.mutable_storage_data(), source.storage_data()); };
  if (!detail::is_watched()) return run();
  LedgerEntry entry = detail::copy_entry(dst, source, dst.numel());
  entry.plan = std::make_shared<const CopyPlan>(plan);
  detail::record({&entry, 1}, dst.storage(), [&] {
    run();
    return plan.method();
  });
}

}  // namespace tenstride
