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

/// Results of so many bytes and more are turned in blocks of so many, which stay in the L2 cache.
constexpr Index blocks_from_bytes = Index{1} << 20;
constexpr Index block_bytes = Index{1} << 18;
/// The fastest axis of the results is not cut to less: lines of the destination are to be whole.
constexpr Index fewest_in_row = 64;

/// Source and results with each axis in the direction of memory.
struct Straight {
  ReduceSource source;
  Layout results;
  bool has_transposed = false;
};

Straight straightened(const ReduceSource& source, const Tensor& result) {
  Straight straight{source, result.layout()};
  for (std::size_t d = 0; d < source.kept.rank(); ++d) {
    Index& stride = straight.source.kept.strides[d];
    if (stride >= 0) continue;
    const Index last = source.kept.shape[d] - 1;
    straight.source.base += last * stride * source.item;
    stride = -stride;
    straight.results.offset += last * straight.results.strides[d];
    straight.results.strides[d] = -straight.results.strides[d];
    straight.has_transposed = true;
  }
  return straight;
}

/// Extents of a block: of the slowest axes of memory one index at a time, so many of the next one that a
/// block is as large as is wanted.
Dims block_extents(const Dims& shape, const Dims& working, Index wanted) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < shape.size(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return working[a] > working[b]; });
  std::size_t row = 0;  // the fastest axis of the results
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1) row = d;
  }
  Dims block = shape;
  Index count = count_elements(shape);
  const auto cut = [&](std::size_t d, Index fewest) {
    if (count <= wanted) return;
    const Index others = count / block[d];
    const Index extent = std::clamp<Index>(wanted / others, std::min(fewest, shape[d]), shape[d]);
    block[d] = ceil_divide(shape[d], ceil_divide(shape[d], extent));
    count = others * block[d];
  };
  order.pop_back();  // memory is to be read in long rows
  for (const std::size_t d : order) {
    if (d != row) cut(d, 1);
  }
  if (std::find(order.begin(), order.end(), row) != order.end()) cut(row, fewest_in_row);
  return block;
}

/// Whether memory goes on from some results to others. Where the slowest axis is folded, all results are
/// worked on again and again: in blocks, sums over the pictures of a batch took 1.2 times as long.
bool has_slow_results(const ReduceSource& source) {
  const auto slowest = [](const Layout& layout) {
    Index stride = 0;
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      if (layout.shape[d] > 1) stride = std::max(stride, std::abs(layout.strides[d]));
    }
    return stride;
  };
  return slowest(source.kept) > slowest(source.folded);
}

/// Blocks of a large copy are written as the whole would be: past the cache. (By ordinary stores pooling took
/// 1.4 times as long.)
PlanOptions options_of_part(Index whole_bytes) {
  PlanOptions options = options_here();
  if (whole_bytes >= options.streaming_above) options.streaming_above = 0;
  return options;
}

/// Blocks of results, in memory's order.
class Blocks {
 public:
  Blocks(const ReduceKernel& kernel, const Straight& straight, Tensor& result)
      : kernel_(kernel),
        source_(straight.source),
        results_(straight.results),
        dtype_(result.dtype()),
        item_(static_cast<Index>(result.itemsize())),
        dst_(result.mutable_storage_data()) {
    const Dims& shape = source_.kept.shape;
    const Index bytes = count_elements(shape) * item_;
    options_ = options_of_part(bytes);
    extents_ = bytes < blocks_from_bytes || !has_slow_results(source_)
                   ? shape
                   : block_extents(shape, working_strides(source_.kept, source_.folded), block_bytes / item_);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      grid_.push_back(ceil_divide(shape[d], extents_[d]));
      count_ *= grid_[d];
    }
  }

  void run() const {
    if (count_ == 1) {  // which many threads fold
      const Tensor transposed = scratch();
      one(0, transposed);
      return;
    }
    parallel_for(0, count_, 1, [&](Index from, Index to) {
      const ThreadScope serial(1);
      const Tensor transposed = scratch();
      for (Index n = from; n < to; ++n) one(n, transposed);
    });
  }

 private:
  [[nodiscard]] Tensor scratch() const { return empty({count_elements(extents_)}, {.dtype = dtype_}); }

  void one(Index n, Tensor transposed) const {
    Layout kept{source_.kept.shape, source_.kept.strides, 0};
    Layout to = results_;
    for (std::size_t d = kept.rank(); d-- > 0;) {
      const Index first = n % grid_[d] * extents_[d];
      n /= grid_[d];
      kept.shape[d] = to.shape[d] = std::min(extents_[d], source_.kept.shape[d] - first);
      kept.offset += first * kept.strides[d];
      to.offset += first * to.strides[d];
    }
    const std::byte* const base = source_.base + kept.offset * source_.item;
    const Dims strides = working_strides(kept, source_.folded);
    const ReduceWalk walk(kept, strides, source_.folded, source_.item);
    std::byte* const memory = transposed.mutable_storage_data();
    run_reduction(kernel_, walk, memory, static_cast<std::size_t>(item_), base);
    tenstride::run(plan(to, dtype_, Layout{kept.shape, strides, 0}, dtype_, options_), dst_, memory);
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

bool is_dense(const Layout& kept, const Dims& strides) {
  return is_contiguous(Layout{kept.shape, strides, 0});
}

}  // namespace

void reduce_into(Tensor& result, const ReduceKernel& kernel, const ReduceSource& source) {
  const auto in_order = [&](const Dims& strides) {
    return ReduceWalk(source.kept, strides, source.folded, source.item);
  };
  const Straight straight = straightened(source, result);
  const Dims strides = working_strides(straight.source.kept, source.folded);
  const ReduceWalk walk(straight.source.kept, strides, source.folded, source.item);
  const bool is_straight = !straight.has_transposed || !is_pool(walk);
  if (walk.shape == ReduceShape::runs || (is_straight && is_dense(source.kept, strides))) {
    run_reduction(kernel, in_order(result.strides()), result.mutable_storage_data(), result.itemsize(),
                  source.base);
    return;
  }
  Blocks(kernel, straight, result).run();
}

}  // namespace tenstride::detail
