// SPDX-License-Identifier: Apache-2.0
// Reductions to a truth value: all and any.
#include <atomic>

#include "elementwise/compare_parts.hpp"
#include "elementwise/dense_runs.hpp"
#include "memory/watch.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {
namespace {

/// Combines the elements, as 0 or 1, into `result`, whose layout is repeated over x's shape: by bitwise `and`
/// for all, by `or` for any.
void combine_truths(std::byte* out, const Layout& repeated, const Tensor& x, bool is_all) {
  const detail::JointLoops<2> loops({x.layout(), repeated});
  const bool is_plain = loops.inner_stride(0) == 1 && loops.inner_stride(1) == 0 && !x.is_complex();
  const DType type = is_plain ? x.dtype() : DType::uint8;
  const copy::TruthRow test = is_all ? copy::all_row(type) : copy::any_row(type);
  const auto item = static_cast<Index>(x.element_size());
  const std::byte decided{is_all ? std::uint8_t{0} : std::uint8_t{1}};
  detail::BlockReader read(x, DType::bool_, DType::uint8);
  loops(0, loops.count(), detail::BlockReader::longest, [&](const auto& at, const auto& steps, Index count) {
    if (steps[1] == 0) {
      if (out[at[1]] == decided) return true;
      const std::byte* const run = is_plain ? x.storage_data() + at[0] * item : read(at[0], steps[0], count);
      if (test(run, count) != is_all) out[at[1]] = decided;
      return true;
    }
    const std::byte* const row = read(at[0], steps[0], count);
    for (Index i = 0; i < count; ++i) {
      std::byte& one = out[at[1] + i * steps[1]];
      one = is_all ? one & row[i] : one | row[i];
    }
    return true;
  });
}

/// Divides a result axis between threads, so that no two threads write the same result.
void accumulate_in_parts(Tensor& result, const Layout& repeated, const Tensor& x, std::size_t reduced,
                         bool is_all) {
  std::byte* const out = result.mutable_storage_data();
  std::size_t longest = reduced;
  for (std::size_t d = 0; d < x.layout().rank(); ++d) {
    if (d != reduced && (longest == reduced || x.shape()[d] > x.shape()[longest])) longest = d;
  }
  if (longest == reduced || x.numel() == 0) {
    combine_truths(out, repeated, x, is_all);
    return;
  }
  const auto axis = static_cast<Index>(longest);
  // The longest result axis: a thread's runs are no longer than its part.
  const Index length = x.shape()[longest];
  const bool is_large = x.numel() >= 2 * detail::compare_grain;
  parallel_for(0, length, is_large ? ceil_divide(length, num_threads()) : length, [&](Index from, Index to) {
    combine_truths(out, narrow(repeated, axis, from, to - from), x.narrow(axis, from, to - from), is_all);
  });
}

DType truth_type(const Tensor& x) {
  return x.dtype() == DType::uint8 ? DType::uint8 : DType::bool_;
}

/// Returns whether all, or any, elements are non-zero. Stops at the first element that decides.
bool truth_of(const Tensor& x, bool is_all) {
  const detail::JointLoops<1> loops({x.layout()});
  // Dense runs are tested in memory; others, and complex ones, are read as blocks of truth values.
  const bool is_plain = loops.inner_stride(0) == 1 && !x.is_complex();
  const DType type = is_plain ? x.dtype() : DType::uint8;
  const copy::TruthRow row = is_all ? copy::all_row(type) : copy::any_row(type);
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

Tensor reduce_axis(const Tensor& x, Index dim, KeepDim keepdim, bool is_all) {
  const std::size_t d = wrap_axis(is_all ? "all" : "any", dim, x.shape());
  if (x.dim() == 0) return reduce_whole(x, is_all);
  Dims result_shape = x.shape();
  result_shape[d] = 1;
  Tensor result = full(result_shape, is_all, {.dtype = truth_type(x), .device = x.device()});
  Layout repeated{x.shape(), result.strides(), 0};
  repeated.strides[d] = 0;
  if (x.has_memory()) accumulate_in_parts(result, repeated, x, d, is_all);
  return keepdim == KeepDim::yes ? result : result.select(dim, 0);
}

}  // namespace

Tensor all(const Tensor& x, Index dim, KeepDim keepdim, Caller caller) {
  const detail::OperationScope scope("all", caller);
  return reduce_axis(x, dim, keepdim, true);
}
Tensor any(const Tensor& x, Index dim, KeepDim keepdim, Caller caller) {
  const detail::OperationScope scope("any", caller);
  return reduce_axis(x, dim, keepdim, false);
}
Tensor Tensor::all(Caller caller) const {
  const detail::OperationScope scope("all", caller);
  return reduce_whole(*this, true);
}
Tensor Tensor::any(Caller caller) const {
  const detail::OperationScope scope("any", caller);
  return reduce_whole(*this, false);
}

}  // namespace tenstride
