// SPDX-License-Identifier: Apache-2.0
#include "reduce/result_blocks.hpp"

#include <algorithm>
#include <cstdlib>

#include "reduce/plan_reduction.hpp"
#include "reduce/reduce_loops.hpp"
#include "reduce/reduce_tiles.hpp"
#include "reduce/run_reduction.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::detail {
namespace {

/// From this many bytes on results are transposed in blocks of `block_bytes`, which stay in the L2 cache.
constexpr Index min_blocked_bytes = Index{1} << 20;
constexpr Index block_bytes = Index{1} << 18;
/// The least extent of a block along the innermost axis of the results, so that lines of the destination are
/// whole.
constexpr Index min_row_extent = 64;

Index slowest_stride(const Layout& layout) {
  Index stride = 0;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] > 1) stride = std::max(stride, std::abs(layout.strides[d]));
  }
  return stride;
}

/// The blocks of a plan, which are computed one by one.
class ResultBlocks {
 public:
  ResultBlocks(const ReducePlan& plan, Tensor& result, const std::byte* src)
      : plan_(plan),
        forward_(with_forward_axes(plan.problem.results)),
        results_(result.layout()),
        src_(src),
        dst_(result.mutable_storage_data()) {
    const Layout& given = plan.problem.results;
    options_ = options_here();
    // By ordinary stores pooling took 1.4 times as long.
    if (plan.streaming) options_.streaming_above = 0;
    for (std::size_t d = 0; d < given.rank(); ++d) {
      grid_.push_back(ceil_divide(given.shape[d], plan.block[d]));
      count_ *= grid_[d];
      if (given.strides[d] >= 0) continue;
      results_.offset += (given.shape[d] - 1) * results_.strides[d];
      results_.strides[d] = -results_.strides[d];
    }
  }

  void run() const {
    if (count_ == 1) {  // computed by all threads together
      const Tensor buffer = scratch();
      one(0, buffer);
      return;
    }
    parallel_for(0, count_, 1, [&](Index from, Index to) {
      const ThreadScope serial(1);
      const Tensor buffer = scratch();
      for (Index n = from; n < to; ++n) one(n, buffer);
    });
  }

 private:
  [[nodiscard]] Tensor scratch() const {
    return empty({count_elements(plan_.block)}, {.dtype = plan_.result_dtype});
  }

  void one(Index n, Tensor buffer) const {
    Layout part = forward_;
    Layout to = results_;
    for (std::size_t d = part.rank(); d-- > 0;) {
      const Index first = n % grid_[d] * plan_.block[d];
      n /= grid_[d];
      part.shape[d] = to.shape[d] = std::min(plan_.block[d], forward_.shape[d] - first);
      part.offset += first * part.strides[d];
      to.offset += first * to.strides[d];
    }
    const Dims strides = working_strides(part, plan_.problem.reduced);
    ReducePlan own;
    own.problem = plan_.problem;
    own.result_dtype = plan_.result_dtype;
    plan_in_order(own, part, strides);
    std::byte* const memory = buffer.mutable_storage_data();
    run_in_order(own, memory, src_);
    const Layout computed{part.shape, strides, 0};
    tenstride::run_plan(plan_copy(to, own.result_dtype, computed, own.result_dtype, options_), dst_, memory);
  }

  const ReducePlan& plan_;
  Layout forward_;
  Layout results_;
  const std::byte* src_;
  std::byte* dst_;
  PlanOptions options_;
  Dims grid_;
  Index count_ = 1;
};

}  // namespace

bool has_backward_axis(const Layout& layout) {
  return std::any_of(layout.strides.begin(), layout.strides.end(), [](Index stride) { return stride < 0; });
}

Layout with_forward_axes(Layout layout) {
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    Index& stride = layout.strides[d];
    if (stride >= 0) continue;
    layout.offset += (layout.shape[d] - 1) * stride;
    stride = -stride;
  }
  return layout;
}

/// The extents of a block: at most `block_bytes` where that is possible, one index of each of the outermost
/// axes of memory, and as many of the next axis as fit. A single block where the outermost axis of memory is
/// reduced: every block would read memory from beginning to end, and sums over the images of a batch took
/// 1.2 times as long.
Dims block_extents(const ReducePlan& plan, const Dims& working) {
  const Dims& shape = plan.problem.results.shape;
  Index count = count_elements(shape);
  const auto item = static_cast<Index>(item_size(plan.result_dtype));
  if (count * item < min_blocked_bytes ||
      slowest_stride(plan.problem.results) <= slowest_stride(plan.problem.reduced)) {
    return shape;
  }
  std::size_t row = 0;  // the innermost axis of the results
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1) row = d;
  }
  Dims block = shape;
  const auto cut = [&](std::size_t d, Index min_extent) {
    if (count <= block_bytes / item) return;
    const Index others = count / block[d];
    const Index extent =
        std::clamp<Index>(block_bytes / item / others, std::min(min_extent, shape[d]), shape[d]);
    block[d] = ceil_divide(shape[d], ceil_divide(shape[d], extent));
    count = others * block[d];
  };
  const Dims order = slowest_first(working);
  const std::size_t whole = at(order[order.size() - 1]);  // the innermost axis of memory: long rows are read
  // Parts of the outermost axis of memory lie together. Maxima of int32 (122902,2,10,13) over axis 2, whose
  // results are transposed: 56 → 13 ms. Blocks of sums of floats stay as they are, and so their rounding.
  if (is_exact(plan) && at(order[0]) == row && row != whole) cut(row, min_row_extent);
  for (const Index axis : order) {
    if (at(axis) != row && at(axis) != whole) cut(at(axis), 1);
  }
  if (row != whole) cut(row, min_row_extent);
  return block;
}

void run_blocks(const ReducePlan& plan, Tensor& result, const std::byte* src) {
  ResultBlocks(plan, result, src).run();
}

}  // namespace tenstride::detail
