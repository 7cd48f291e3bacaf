// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan/copy_plan.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "plan/choose.hpp"
#include "plan/nest.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

/// The number of threads for a copy of so many bytes.
int threads_for(Index bytes, const PlanOptions& options) {
  const Index threads = bytes / std::max<Index>(options.thread_bytes, 1);
  if (threads < 8) return 1;
  return static_cast<int>(
      std::min<Index>(threads, options.max_threads == 0 ? num_threads() : options.max_threads));
}

/// Returns an equal negation with as few steps as possible. Between elements of one type two negations
/// cancel, and the negation of the source equals that of the destination.
Negation simplified_negation(Negation negation, const Conversion& conversion) {
  if (conversion.kind == CopyConversion::scale || conversion.dst_type != conversion.src_type) return negation;
  if (negation == Negation::both) return Negation::none;
  return negation == Negation::source ? Negation::destination : negation;
}

Conversion conversion_of(DType dst_type, DType src_type, const PlanOptions& options) {
  Conversion result{dst_type, src_type};
  if (is_complex(src_type) && is_complex(dst_type)) result.conjugation = options.conjugation;
  const bool has_arithmetic = !options.scale.empty() || !options.shift.empty();
  if (has_arithmetic) {
    result.kind = CopyConversion::scale;
    result.scale.assign(options.scale.begin(), options.scale.end());
    result.shift.assign(options.shift.begin(), options.shift.end());
  }
  result.negation = simplified_negation(options.negation, result);
  const bool changes_sign = result.conjugation == Conjugation::conjugate || result.negation != Negation::none;
  if (!has_arithmetic && (dst_type != src_type || changes_sign)) result.kind = CopyConversion::convert;
  return result;
}

/// Sets the nest of a plan that has all else, and puts the numbers of scale and shift in its order. Returns
/// false where no memory can hold the layouts.
bool set_nest(CopyPlan& plan, const Layout& dst, const Layout& src, std::size_t axis) {
  Conversion& conversion = plan.conversion;
  if (!detail::is_countable(dst, conversion.dst_type) || !detail::is_countable(src, conversion.src_type))
    return false;
  detail::ScaledAxis scaled{conversion.has_number_per_index() ? axis : no_loop};
  detail::normalise(dst, conversion.dst_type, src, conversion.src_type, plan.nest, &scaled);
  if (scaled.is_reversed) {
    std::reverse(conversion.scale.begin(), conversion.scale.end());
    std::reverse(conversion.shift.begin(), conversion.shift.end());
  }
  if (conversion.is_none()) detail::widen(plan.nest);
  return true;
}

}  // namespace

CopyPlan plan_copy(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
                   const PlanOptions& options) {
  CopyPlan result;
  result.conversion = conversion_of(dst_type, src_type, options);
  result.count = numel(dst);
  if (result.count == 0) return result;
  if (!set_nest(result, dst, src, options.axis)) {
    result.way = Strided{};
    return result;
  }
  const auto widest = static_cast<Index>(std::max(item_size(dst_type), item_size(src_type)));
  result.threads = threads_for(result.count * widest, options);
  detail::choose_way(result, options);
  return result;
}

bool CopyPlan::is_of(const Layout& dst, const Layout& src) const {
  if (dst.shape != src.shape || numel(dst) != count || conversion.has_number_per_index()) return false;
  if (count == 0) return true;
  CopyPlan other;
  other.conversion = conversion;
  if (!set_nest(other, dst, src, 0)) return false;
  return other.nest.loops == nest.loops && other.nest.dst_offset == nest.dst_offset &&
         other.nest.src_offset == nest.src_offset && other.nest.elements == nest.elements;
}

std::vector<CopyPlan> other_ways(const CopyPlan& plan, const PlanOptions& options) {
  std::vector<CopyPlan> plans;
  PlanOptions only = options;
  const auto add = [&](const std::string& name) {
    only.way = name;
    CopyPlan other{plan.conversion, plan.nest, plan.count, plan.threads, {}, {}};
    detail::choose_way(other, only);
    if (other.name() == name) plans.push_back(std::move(other));
  };
  if (plan.count == 0 || plan.nest.size() == 0) return plans;
  for (const std::string_view name : way_names) {
    if (name == "small") continue;
    if (name != "blocks") {
      add(std::string(name));
      continue;
    }
    for (const std::string_view packing : packing_names) add(detail::message(name, ", ", packing));
  }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const CopyPlan& a, const CopyPlan& b) { return a.cost() < b.cost(); });
  return plans;
}

}  // namespace tenstride
