// SPDX-License-Identifier: Apache-2.0
// Whether all elements, or any, are true. Along an axis they are reductions like others (src/reduce).
#include <atomic>

#include "elementwise/compare_parts.hpp"
#include "elementwise/dense_runs.hpp"
#include "memory/watch.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

DType truth_type(const Tensor& x) {
  return x.dtype() == DType::uint8 ? DType::uint8 : DType::bool_;
}

/// Returns whether all, or any, elements are non-zero. Stops at the first element that decides.
bool truth_of(const Tensor& x, bool is_all) {
  const detail::JointLoops<1> loops({x.layout()});
  // Dense runs are tested in memory; others, and complex ones, are read as blocks of truth values.
  const bool is_plain = loops.inner_stride(0) == 1 && !x.is_complex();
  const DType type = is_plain ? x.dtype() : DType::uint8;
  const elementwise::TruthRow row = is_all ? elementwise::all_row(type) : elementwise::any_row(type);
  const auto item = static_cast<Index>(x.element_size());
  std::atomic<bool> answer = is_all;
  parallel_for(0, loops.count(), detail::compare_grain, [&](Index from, Index to) {
    detail::BlockReader read(x, DType::bool_, DType::uint8);
    const Index longest = is_plain ? detail::longest_in_place : detail::BlockReader::longest;
    loops(from, to, longest, [&](const auto& at, const auto& steps, Index count) {
      const std::byte* const run = is_plain ? x.storage_data() + at[0] * item : read(at[0], steps[0], count);
      if (row(run, count) == is_all) return answer.load(std::memory_order_relaxed) == is_all;
      answer.store(!is_all, std::memory_order_relaxed);
      return false;
    });
  });
  return answer;
}

Tensor reduce_whole(const Tensor& x, bool is_all) {
  const bool truth = x.has_memory() ? truth_of(x, is_all) : is_all;
  return full({}, truth, {.dtype = truth_type(x), .device = x.device()});
}

}  // namespace

Tensor Tensor::all(Caller caller) const {
  const detail::OperationScope scope("all", caller);
  return reduce_whole(*this, true);
}
Tensor Tensor::any(Caller caller) const {
  const detail::OperationScope scope("any", caller);
  return reduce_whole(*this, false);
}

}  // namespace tenstride
