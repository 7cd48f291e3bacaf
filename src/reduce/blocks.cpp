// SPDX-License-Identifier: Apache-2.0
#include "reduce/blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "tenstride/copy_plan.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride/run_plan.hpp"

namespace tenstride::detail {
namespace {

/// From this many bytes on results are transposed in blocks of `block_bytes`, which stay in the L2 cache.
constexpr Index min_blocked_bytes = Index{1} << 20;
constexpr Index block_bytes = Index{1} << 18;
/// The least extent of a block along the innermost axis of the results, so that lines of the destination are
/// whole.
constexpr Index min_row_extent = 64;

/// A source and its results, with axes flipped where the source's stride is negative, so that it is read
/// forwards.
struct Forward {
  ReduceSource source;
  Layout results;
  bool has_flipped = false;
};

Forward flipped_forward(const ReduceSource& source, const Tensor& result) {
  Forward forward{source, result.layout()};
  for (std::size_t d = 0; d < source.result_axes.rank(); ++d) {
    Index& stride = forward.source.result_axes.strides[d];
    if (stride >= 0) continue;
    const Index last = source.result_axes.shape[d] - 1;
    forward.source.base += last * stride * source.item;
    stride = -stride;
    forward.results.offset += last * forward.results.strides[d];
    forward.results.strides[d] = -forward.results.strides[d];
    forward.has_flipped = true;
  }
  return forward;
}

/// Returns the extents of a block of at most `max_count` results where that is possible: one index of each of
/// the outermost axes of memory, and as many of the next axis as fit.
Dims block_extents(const Dims& shape, const Dims& working, Index max_count) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < shape.size(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return working[a] > working[b]; });
  std::size_t row = 0;  // the innermost axis of the results
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1) row = d;
  }
  Dims block = shape;
  Index count = count_elements(shape);
  const auto cut = [&](std::size_t d, Index min_extent) {
    if (count <= max_count) return;
    const Index others = count / block[d];
    const Index extent = std::clamp<Index>(max_count / others, std::min(min_extent, shape[d]), shape[d]);
    block[d] = ceil_divide(shape[d], ceil_divide(shape[d], extent));
    count = others * block[d];
  };
  order.pop_back();  // the innermost axis of memory stays whole: long rows are read
  for (const std::size_t d : order) {
    if (d != row) cut(d, 1);
  }
  if (std::find(order.begin(), order.end(), row) != order.end()) cut(row, min_row_extent);
  return block;
}

/// Returns whether the outermost axis of memory is a result axis. Where it is a reduction axis, every block
/// would read memory from beginning to end: sums over the images of a batch took 1.2 times as long in blocks.
bool has_outer_results(const ReduceSource& source) {
  const auto slowest = [](const Layout& layout) {
    Index stride = 0;
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      if (layout.shape[d] > 1) stride = std::max(stride, std::abs(layout.strides[d]));
    }
    return stride;
  };
  return slowest(source.result_axes) > slowest(source.reduction_axes);
}

/// Returns the options for copying a block: by streaming stores where the whole result is large enough for
/// them. By ordinary stores pooling took 1.4 times as long.
PlanOptions options_of_part(Index whole_bytes) {
  PlanOptions options = options_here();
  if (whole_bytes >= options.streaming_above) options.streaming_above = 0;
  return options;
}

/// Computes results block by block, in the order of memory, and transposes each block into the destination.
class Blocks {
 public:
  Blocks(const ReduceKernel& kernel, const Forward& forward, Tensor& result)
      : kernel_(kernel),
        source_(forward.source),
        results_(forward.results),
        dtype_(result.dtype()),
        item_(static_cast<Index>(result.itemsize())),
        dst_(result.mutable_storage_data()) {
    const Dims& shape = source_.result_axes.shape;
    const Index bytes = count_elements(shape) * item_;
    options_ = options_of_part(bytes);
    extents_ = bytes < min_blocked_bytes || !has_outer_results(source_)
                   ? shape
                   : block_extents(shape, working_strides(source_.result_axes, source_.reduction_axes),
                                   block_bytes / item_);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      grid_.push_back(ceil_divide(shape[d], extents_[d]));
      count_ *= grid_[d];
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
  [[nodiscard]] Tensor scratch() const { return empty({count_elements(extents_)}, {.dtype = dtype_}); }

  void one(Index n, Tensor buffer) const {
    Layout part{source_.result_axes.shape, source_.result_axes.strides, 0};
    Layout to = results_;
    for (std::size_t d = part.rank(); d-- > 0;) {
      const Index first = n % grid_[d] * extents_[d];
      n /= grid_[d];
      part.shape[d] = to.shape[d] = std::min(extents_[d], source_.result_axes.shape[d] - first);
      part.offset += first * part.strides[d];
      to.offset += first * to.strides[d];
    }
    const std::byte* const base = source_.base + part.offset * source_.item;
    const Dims strides = working_strides(part, source_.reduction_axes);
    const ReducePlan plan(part, strides, source_.reduction_axes, source_.item);
    std::byte* const memory = buffer.mutable_storage_data();
    run_reduction(kernel_, plan, memory, static_cast<std::size_t>(item_), base);
    tenstride::run(tenstride::plan(to, dtype_, Layout{part.shape, strides, 0}, dtype_, options_), dst_,
                   memory);
  }

  const ReduceKernel& kernel_;
  const ReduceSource& source_;
  Layout results_;
  DType dtype_;
  Index item_;  ///< bytes of a result
  std::byte* dst_;
  PlanOptions options_;
  Dims extents_;
  Dims grid_;
  Index count_ = 1;
};

bool is_dense(const Layout& layout, const Dims& strides) {
  return is_contiguous(Layout{layout.shape, strides, 0});
}

}  // namespace

void reduce_into(Tensor& result, const ReduceKernel& kernel, const ReduceSource& source) {
  const auto in_order = [&](const Dims& strides) {
    return ReducePlan(source.result_axes, strides, source.reduction_axes, source.item);
  };
  const Forward forward = flipped_forward(source, result);
  const Dims strides = working_strides(forward.source.result_axes, source.reduction_axes);
  const ReducePlan plan(forward.source.result_axes, strides, source.reduction_axes, source.item);
  const bool keeps_order = !forward.has_flipped || !is_pool(plan);
  if (plan.shape == ReduceShape::runs || (keeps_order && is_dense(source.result_axes, strides))) {
    run_reduction(kernel, in_order(result.strides()), result.mutable_storage_data(), result.itemsize(),
                  source.base);
    return;
  }
  Blocks(kernel, forward, result).run();
}

}  // namespace tenstride::detail
