// SPDX-License-Identifier: Apache-2.0
#include "reduce_walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Results worked on together: their accumulators stay in the first-level cache.
constexpr Index tile_results = 4096;
constexpr Index most_results = 8192;
/// Elements that one accumulator folds in a row before the halves of a range are combined pairwise.
constexpr Index leaf_elements = 4096;
constexpr Index leaf_rows = 128;
/// Rows of so many results are not joined to longer ones.
constexpr Index widest_inner = 128;
/// A long axis is folded in groups of so many results, and not of fewer.
constexpr Index widest_group = 512;
constexpr Index shortest_group = 4;
/// Rows read side by side: as many as a processor prefetches.
constexpr Index rows_at_once = 8;
/// A piece of work for a thread, in elements; a range of less is not divided.
constexpr Index piece_elements = Index{1} << 17;

/// Merges neighbours that are one loop.
std::vector<ReduceLoop> merged(const std::vector<ReduceLoop>& loops) {
  std::vector<ReduceLoop> result;
  for (const ReduceLoop& loop : loops) {
    if (!result.empty() && result.back().stride == loop.stride * loop.extent) {
      result.back() = {result.back().extent * loop.extent, loop.stride};
    } else {
      result.push_back(loop);
    }
  }
  return result;
}

/// A position in loops, counted from the first element.
class Cursor {
 public:
  Cursor(const std::vector<ReduceLoop>& loops, Index position)
      : loops_(loops), index_(Dims::filled(loops.size(), 0)) {
    for (std::size_t d = loops.size(); d-- > 0;) {
      index_[d] = position % loops[d].extent;
      position /= loops[d].extent;
      offset_ += index_[d] * loops[d].stride;
    }
  }
  [[nodiscard]] std::ptrdiff_t offset() const { return offset_; }
  /// Positions up to the end of the fastest loop.
  [[nodiscard]] Index run() const { return loops_.empty() ? 1 : loops_.back().extent - index_.back(); }
  [[nodiscard]] std::ptrdiff_t stride() const { return loops_.empty() ? 0 : loops_.back().stride; }
  /// Pre: count <= run().
  void skip(Index count) {
    for (std::size_t d = loops_.size(); d-- > 0; count = 1) {
      index_[d] += count;
      offset_ += count * loops_[d].stride;
      if (index_[d] < loops_[d].extent) return;
      offset_ -= index_[d] * loops_[d].stride;
      index_[d] = 0;
    }
  }

 private:
  const std::vector<ReduceLoop>& loops_;
  Dims index_;
  std::ptrdiff_t offset_ = 0;
};

/// Accumulators, aligned as any type wants them.
class States {
 public:
  States(const ReduceKernel& kernel, Index count)
      : memory_(std::make_unique<Slot[]>(static_cast<std::size_t>(count) * kernel.state_size / sizeof(Slot) +
                                         1)) {}
  [[nodiscard]] std::byte* data() const { return memory_[0].bytes; }

 private:
  struct alignas(16) Slot {
    std::byte bytes[16];
  };
  std::unique_ptr<Slot[]> memory_;
};

class Folding {
 public:
  Folding(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base)
      : kernel_(kernel), walk_(walk), base_(base + walk.start) {}

  /// Folds elements [begin, end) of each of the results [first, last) into fresh accumulators.
  void piece(Index first, Index last, Index begin, Index end, std::byte* states) const {
    kernel_.start(states, last - first);
    Cursor at(walk_.kept, first);
    while (first < last) {
      const Index count = walk_.goes_by_rows ? std::min({last - first, at.run(), most_results}) : 1;
      halves(base_ + at.offset(), count, begin, end, states);
      states += static_cast<Index>(kernel_.state_size) * count;
      first += count;
      at.skip(count);
    }
  }

 private:
  /// Pairwise: a long range is folded by halves, the second into accumulators of its own (Higham, "The
  /// accuracy of floating point summation", 1993).
  void halves(const std::byte* src, Index count, Index begin, Index end, std::byte* states) const {
    const Index leaf = walk_.goes_by_rows ? leaf_rows : leaf_elements;
    if (end - begin <= leaf) {
      this->leaf(src, count, begin, end, states);
      return;
    }
    const Index middle = begin + (end - begin + leaf) / (2 * leaf) * leaf;
    halves(src, count, begin, middle, states);
    const States other(kernel_, count);
    kernel_.start(other.data(), count);
    halves(src, count, middle, end, other.data());
    kernel_.combine(states, other.data(), count);
  }

  void leaf(const std::byte* src, Index count, Index begin, Index end, std::byte* states) const {
    const std::ptrdiff_t along = walk_.kept.empty() ? 0 : walk_.kept.back().stride;
    Cursor at(walk_.folded, begin);
    while (begin < end) {
      Index run = std::min(end - begin, at.run());
      if (walk_.goes_by_rows) {
        run = std::min(run, rows_at_once);
        kernel_.fold_rows(states, src + at.offset(), count, along, run, at.stride());
      } else {
        kernel_.fold(states, src + at.offset(), run, at.stride());
      }
      begin += run;
      at.skip(run);
    }
  }

  const ReduceKernel& kernel_;
  const ReduceWalk& walk_;
  const std::byte* base_;
};

}  // namespace

Dims working_strides(const Layout& kept, const Layout& folded) {
  const Dims as_source = inferred_dense_strides(kept);
  const ReduceWalk walk(kept, as_source, folded, 1);
  if (walk.group > 1) return as_source;
  const auto is_short = [](const std::vector<ReduceLoop>& loops) {
    return loops.empty() || loops.back().extent < short_row;
  };
  if (!is_short(walk.kept) || !is_short(walk.folded)) return as_source;
  std::size_t row = kept.rank();
  for (std::size_t d = 0; d < kept.rank(); ++d) {
    if (kept.shape[d] < short_row) continue;
    if (row == kept.rank() || std::abs(kept.strides[d]) < std::abs(kept.strides[row])) row = d;
  }
  if (row == kept.rank()) return as_source;
  Dims strides = as_source;
  for (std::size_t d = 0; d < kept.rank(); ++d) {
    if (as_source[d] < as_source[row]) strides[d] *= kept.shape[row];
  }
  strides[row] = 1;
  return strides;
}

ReduceWalk::ReduceWalk(const Layout& kept_layout, const Dims& dst_strides, const Layout& folded_layout,
                       Index item) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < kept_layout.rank(); ++d) {
    if (kept_layout.shape[d] != 1) order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return dst_strides[a] > dst_strides[b]; });
  for (const std::size_t d : order) {
    kept.push_back({kept_layout.shape[d], kept_layout.strides[d] * item});
    results *= kept_layout.shape[d];
  }
  for (std::size_t d = 0; d < folded_layout.rank(); ++d) {
    const Index extent = folded_layout.shape[d];
    const Index stride = folded_layout.strides[d] * item;
    each *= extent;
    if (extent <= 1) continue;
    if (stride < 0) start += (extent - 1) * stride;  // the order of folding is ours
    folded.push_back({extent, std::abs(stride)});
  }
  std::stable_sort(folded.begin(), folded.end(),
                   [](const ReduceLoop& a, const ReduceLoop& b) { return a.stride > b.stride; });
  kept = merged(kept);
  folded = merged(folded);
  if (kept.empty()) return;
  if (folded.empty()) {
    goes_by_rows = true;
    return;
  }
  widen(item);
  if (group > 1) {
    goes_by_rows = true;
    return;
  }
  const bool has_long_rows = kept.back().extent >= short_row;
  const bool has_long_runs = folded.back().extent >= short_row;
  if (has_long_rows != has_long_runs) {
    goes_by_rows = has_long_rows;
  } else if (has_long_rows) {
    goes_by_rows = std::abs(kept.back().stride) < folded.back().stride;
  } else {
    goes_by_rows = kept.back().extent >= folded.back().extent;
  }
}

void ReduceWalk::widen(Index item) {
  const bool ends_kept = kept.back().stride == item;
  const Index channels = ends_kept ? kept.back().extent : 1;
  if (channels > widest_inner || folded.back().stride != channels * item) return;
  const Index extent = folded.back().extent;
  const std::size_t above = ends_kept ? 2 : 1;
  if (!ends_kept && folded.size() == 1 && extent > 2) return;  // no longer rows are won
  if (extent < short_row && kept.size() >= above &&
      kept[kept.size() - above].stride == extent * channels * item) {
    // The axis folded lies within rows of results: (w, f, c) is one row of w*f*c.
    const Index row = kept[kept.size() - above].extent * extent * channels;
    kept.resize(kept.size() - above);
    kept.push_back({row, item});
    folded.pop_back();
    group = extent;
  } else if (ends_kept && channels < short_row) {
    // A long axis is folded as two: (n/k, k, c) is n/k rows of k*c.
    Index part = std::min(widest_group / channels, extent);
    while (extent % part != 0) --part;
    if (part < shortest_group) return;
    kept.back() = {part * channels, item};
    folded.back() = {extent / part, part * channels * item};
    if (folded.back().extent == 1) folded.pop_back();
    group = part;
  } else {
    return;
  }
  inner = channels;
  results *= group;
  each /= group;
}

void run_reduction(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* dst, std::size_t dst_item,
                   const std::byte* base) {
  const Folding folding(kernel, walk, base);
  const auto state = static_cast<Index>(kernel.state_size);
  const auto item = static_cast<Index>(dst_item);
  // How the work is cut depends on the shape alone, never on the number of threads: so does the result.
  // Groups are never divided.
  const Index whole = walk.group * walk.inner;
  const Index tile = walk.goes_by_rows
                         ? std::min(std::max(tile_results / whole, Index{1}) * whole, walk.results)
                         : std::clamp<Index>(piece_elements / std::max<Index>(walk.each, 1), 1,
                                             std::min(tile_results, walk.results));
  const Index tiles = ceil_divide(walk.results, tile);
  const Index cuts = tiles >= 64 ? 1 : std::clamp<Index>(tile * walk.each / piece_elements, 1, 64);
  const Index per_cut = std::max<Index>(ceil_divide(walk.each, cuts), 1);
  const Index grain = std::max<Index>(piece_elements / std::max<Index>(tile * per_cut, 1), 1);
  const auto finish = [&](Index first, Index count, std::byte* states) {
    if (walk.group > 1) kernel.gather(states, count / whole, walk.group, walk.inner);
    kernel.finish(dst + first / walk.group * item, states, count / walk.group, walk.each * walk.group);
  };
  if (cuts == 1) {
    parallel_for(0, tiles, grain, [&](Index from, Index to) {
      const States states(kernel, tile);
      for (Index t = from; t < to; ++t) {
        const Index first = t * tile;
        const Index last = std::min(first + tile, walk.results);
        folding.piece(first, last, 0, walk.each, states.data());
        finish(first, last - first, states.data());
      }
    });
    return;
  }
  const States states(kernel, walk.results * cuts);  // row c: what cut c made of each result
  const auto row = [&](Index cut) { return states.data() + cut * walk.results * state; };
  parallel_for(0, tiles * cuts, grain, [&](Index from, Index to) {
    for (Index n = from; n < to; ++n) {
      const Index cut = n % cuts;
      const Index first = n / cuts * tile;
      folding.piece(first, std::min(first + tile, walk.results), std::min(cut * per_cut, walk.each),
                    std::min((cut + 1) * per_cut, walk.each), row(cut) + first * state);
    }
  });
  for (Index apart = 1; apart < cuts; apart *= 2) {
    for (Index cut = 0; cut + apart < cuts; cut += 2 * apart) {
      kernel.combine(row(cut), row(cut + apart), walk.results);
    }
  }
  finish(0, walk.results, states.data());
}

}  // namespace tenstride::detail
