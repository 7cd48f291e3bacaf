// SPDX-License-Identifier: Apache-2.0
#include "reduce/walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reduce/cursor.hpp"
#include "reduce/gaps.hpp"
#include "reduce/packing.hpp"
#include "reduce/pixels.hpp"
#include "reduce/states.hpp"
#include "reduce/streamed.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Bytes of accumulators worked on together: they stay in the first-level cache. Rows are to be so long where
/// that leaves accumulators of twice as many bytes; shorter where these are wider than what is read.
constexpr Index tile_bytes = 8192;
constexpr Index tile_row_bytes = 16384;
constexpr Index widened_row_bytes = 4096;
constexpr Index max_results = 4096;
/// A run has so many accumulators and more, each of which folds as many elements as one of a row.
constexpr Index run_accumulators = 32;
/// Groups of so many results are not joined to longer rows.
constexpr Index widest_inner = 128;
/// Rows read side by side; more where they lie near each other.
constexpr Index rows_at_once = 8;
/// Where there are fewer tiles of results, what is folded is cut, too.
constexpr Index max_pieces = 64;
/// Bytes to be read one after the other before it goes on elsewhere.
constexpr Index near_bytes_of_runs = Index{1} << 20;

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

/// Every `step`-th of `count` times `step` words.
template <class Word>
void pick_words(std::byte* to, const std::byte* from, Index count, Index step) {
  constexpr auto size = static_cast<Index>(sizeof(Word));
  for (Index k = 0; k < count; ++k) {
    Word word;
    std::memcpy(&word, from + k * step * size, sizeof word);
    std::memcpy(to + k * size, &word, sizeof word);
  }
}

/// The same of accumulators of `size` bytes. (Folded one by one into fresh ones, they took a sixth of all.)
void pick_states(std::byte* to, const std::byte* from, Index count, Index step, std::size_t size) {
  switch (size) {
    case 1:
      return pick_words<std::uint8_t>(to, from, count, step);
    case 2:
      return pick_words<std::uint16_t>(to, from, count, step);
    case 4:
      return pick_words<std::uint32_t>(to, from, count, step);
    case 8:
      return pick_words<std::uint64_t>(to, from, count, step);
    default:
      return pick_words<std::array<std::uint64_t, 2>>(to, from, count, step);
  }
}

class Folding {
 public:
  Folding(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base)
      : kernel_(kernel),
        walk_(walk),
        base_(base + walk.start),
        along_(walk.kept.empty() ? 0 : walk.kept.back().stride),
        step_(Gaps::step_of_rows(kernel, walk)),
        has_gaps_(Gaps::are_wanted(kernel, walk)),
        is_packed_(Packing::is_wanted(walk)),
        has_three_rows_(are_three_rows(kernel, walk)),
        gaps_(kernel, walk, base_),
        packing_(kernel, walk, base_) {}

  /// Folds elements [begin, end) of each of the results [first, last) into fresh accumulators. Pairwise: a
  /// long range is folded by halves, the second into accumulators of its own (Higham, "The accuracy of
  /// floating point summation", 1993).
  void piece(Index first, Index last, Index begin, Index end, std::byte* states) const {
    const Index direct_length = kernel_.patience * (walk_.shape == ReduceShape::rows ? 1 : run_accumulators);
    if (end - begin <= direct_length) {
      if (step_ > 1) {
        accumulate_spread(first, last, begin, end, states);
        return;
      }
      kernel_.start(states, last - first);
      if (has_gaps_) {
        gaps_.fold(first, last, begin, end, states);
      } else if (has_three_rows_) {
        accumulate_three_rows(kernel_, walk_, base_, first, last, begin, end, states);
      } else if (is_packed_) {
        packing_.fold(first, last, begin, end, states);
      } else {
        accumulate_directly(first, last, begin, end, states);
      }
      return;
    }
    const Index middle = begin + (end - begin + direct_length) / (2 * direct_length) * direct_length;
    piece(first, last, begin, middle, states);
    const auto halve = [&](std::byte* other) {
      piece(first, last, middle, end, other);
      kernel_.combine(states, other, last - first);
    };
    alignas(64) std::byte few[1024];
    if ((last - first) * static_cast<Index>(kernel_.state_size) <= static_cast<Index>(sizeof few)) {
      halve(few);
    } else {
      halve(States(kernel_, last - first).data());
    }
  }

 private:
  /// Rows of every second element and the like: all are folded, which takes no longer than reading them.
  void accumulate_spread(Index first, Index last, Index begin, Index end, std::byte* states) const {
    const States all(kernel_, (last - first) * step_);
    kernel_.start(all.data(), (last - first) * step_);
    accumulate_directly(first, last, begin, end, all.data());
    pick_states(states, all.data(), last - first, step_, kernel_.state_size);
  }

  void accumulate_directly(Index first, Index last, Index begin, Index end, std::byte* states) const {
    if (walk_.folds_outside) {
      each_run(begin, end, walk_.piece, [&](std::ptrdiff_t folded, Index run) {
        each_chunk(first, last, [&](std::ptrdiff_t kept, Index count, Index place) {
          call(states + place, count, base_ + kept + folded, run);
        });
      });
    } else {
      each_chunk(first, last, [&](std::ptrdiff_t kept, Index count, Index place) {
        each_run(begin, end, walk_.each, [&](std::ptrdiff_t folded, Index run) {
          call(states + place, count, base_ + kept + folded, run);
        });
      });
    }
  }

  template <class F>
  void each_run(Index begin, Index end, Index most, F&& f) const {
    for (Cursor at(walk_.folded, begin); begin < end;) {
      const Index run = std::min({end - begin, at.run(), most});
      f(at.offset(), run);
      begin += run;
      at.skip(run);
    }
  }

  /// Calls f(offset, results, where their accumulators lie).
  template <class F>
  void each_chunk(Index first, Index last, F&& f) const {
    const bool is_single =
        walk_.shape == ReduceShape::runs && !walk_.folds_outside && walk_.folded.size() > 1;
    Index place = 0;
    for (Cursor at(walk_.kept, first); first < last;) {
      const Index count = is_single ? 1 : std::min(last - first, at.run());
      f(at.offset(), count, place);
      place += static_cast<Index>(kernel_.state_size) * count * step_;
      first += count;
      at.skip(count);
    }
  }

  void call(std::byte* states, Index count, const std::byte* src, Index run) const {
    const std::ptrdiff_t stride = walk_.folded.empty() ? 0 : walk_.folded.back().stride;
    switch (walk_.shape) {
      case ReduceShape::runs:
        kernel_.fold(states, count, src, count > 1 ? along_ : next_run(run), run, stride);
        return;
      case ReduceShape::pixels:
        accumulate_pixels(kernel_, walk_, {states, count, src, run});
        return;
      case ReduceShape::rows: {
        const Index most = std::max(rows_at_once, near_bytes / std::max<Index>(stride, 1));
        const Index all = (count - 1) * step_ + 1;
        for (Index r = 0; r < run; r += most) {
          kernel_.accumulate_rows(states, all, src + r * stride, along_ / step_, std::min(most, run - r),
                                  stride);
        }
      }
    }
  }

  /// From a run folded into one result to what is read next: its rest, another run of this result, or the
  /// next result's.
  [[nodiscard]] std::ptrdiff_t next_run(Index run) const {
    if (walk_.folded.empty()) return along_;
    const ReduceLoop& whole = walk_.folded.back();
    if (run < whole.extent) return run * whole.stride;
    return walk_.folded.size() > 1 && !walk_.folds_outside ? walk_.folded[walk_.folded.size() - 2].stride
                                                           : along_;
  }

  const ReduceKernel& kernel_;
  const ReduceWalk& walk_;
  const std::byte* base_;
  std::ptrdiff_t along_;  ///< from one result to the next
  Index step_;            ///< more than 1: rows are folded with what lies between their elements
  bool has_gaps_;
  bool is_packed_;
  bool has_three_rows_;
  Gaps gaps_;
  Packing packing_;
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

ReduceWalk::ReduceWalk(const Layout& kept_layout, const Dims& dst_strides, const Layout& reduced_layout,
                       Index item_bytes)
    : item(item_bytes) {
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
  for (std::size_t d = 0; d < reduced_layout.rank(); ++d) {
    const Index extent = reduced_layout.shape[d];
    const Index stride = reduced_layout.strides[d] * item;
    each *= extent;
    if (extent <= 1) continue;
    if (stride < 0) start += (extent - 1) * stride;  // the order of folding is ours
    folded.push_back({extent, std::abs(stride)});
  }
  std::stable_sort(folded.begin(), folded.end(), [](const ReduceLoop& a, const ReduceLoop& b) {
    return b.stride != 0 &&
           (a.stride == 0 || a.stride > b.stride);  // what is expanded is read again and again
  });
  kept = merged(kept);
  folded = merged(folded);
  choose_shape();
  choose_order();
}

void ReduceWalk::choose_shape() {
  if (kept.empty()) return;
  if (folded.empty() || join_groups()) {
    shape = ReduceShape::rows;
    return;
  }
  const ReduceLoop& row = kept.back();
  const ReduceLoop& run = folded.back();
  const bool has_long_rows = row.extent >= short_row;
  const bool has_long_runs = run.extent >= short_row;
  if (find_pixels(*this)) {
    shape = ReduceShape::pixels;
  } else if (has_long_rows != has_long_runs) {
    shape = has_long_rows ? ReduceShape::rows : ReduceShape::runs;
  } else if (run.stride == 0 ||
             (has_long_rows ? std::abs(row.stride) < run.stride : row.extent >= run.extent)) {
    shape = ReduceShape::rows;
  }
}

/// A short axis folded may lie within rows of results: (w, f, c) is one row of w*f*c.
bool ReduceWalk::join_groups() {
  const bool ends_partial = kept.back().stride == item;
  const Index channels = ends_partial ? kept.back().extent : 1;
  const Index extent = folded.back().extent;
  // Taken apart, neighbours are rows; three of types of which many go into a vector are, in registers.
  const bool are_triples = extent == 3 && item <= 4 && kept.back().extent >= short_row;
  if (channels == 1 && extent > 2 && folded.size() == 1 && !are_triples) return false;
  if (channels > widest_inner || folded.back().stride != channels * item) return false;
  const std::size_t above = ends_partial ? 2 : 1;
  if (extent >= short_row || kept.size() < above ||
      kept[kept.size() - above].stride != extent * channels * item) {
    return false;
  }
  const Index row = kept[kept.size() - above].extent * extent * channels;
  kept.resize(kept.size() - above);
  kept.push_back({row, item});
  folded.pop_back();
  group = extent;
  inner = channels;
  results *= group;
  each /= group;
  return true;
}

void ReduceWalk::choose_order() {
  piece = each;
  if (folded.empty() || kept.empty()) return;
  const auto stride_above = [](const std::vector<ReduceLoop>& loops) {
    return loops.size() < 2 ? 0 : std::abs(loops[loops.size() - 2].stride);
  };
  if (shape == ReduceShape::runs) {
    const std::ptrdiff_t along = std::abs(kept.back().stride);
    folds_outside = std::max(stride_above(folded), folded.back().stride) > along;
  } else if (kept.size() > 1 && folded.back().stride > stride_above(kept)) {
    folds_outside = true;
    if (shape == ReduceShape::rows) piece = rows_at_once;
  } else {
    folds_outside = kept.size() > 1 && stride_above(folded) > stride_above(kept);
  }
}

namespace {

/// Results whose runs lie within each other: read one at a time, memory would be read for each of them.
Index results_between(const ReduceWalk& walk) {
  if (walk.folded.empty() || walk.kept.empty()) return 1;
  const ReduceLoop& row = walk.kept.back();
  return std::abs(row.stride) < walk.folded.back().stride ? row.extent : 1;
}

/// How many results, if they lie in rows, are worked on together at most.
Index max_at_once(const ReduceKernel& kernel, const ReduceWalk& walk) {
  const auto state = static_cast<Index>(kernel.state_size);
  const Index fewest = tile_bytes / state;
  if (walk.shape != ReduceShape::rows) return fewest;
  const Index step = Gaps::step_of_rows(kernel, walk);
  const Index extent = walk.kept.back().extent;
  const Index row = (state > walk.item ? widened_row_bytes : tile_row_bytes) / walk.item;
  const Index most = ceil_divide(std::clamp(std::min(row, extent * step), fewest, 2 * fewest), step);
  const Index line = 64 / walk.item;
  return most < extent && most > line ? most / line * line : most;  // the next begins with a line
}

/// How many results are worked on together: whole groups, as many as leave enough to do and are near.
Index results_at_once(const ReduceWalk& walk, Index whole, Index most) {
  if (walk.shape == ReduceShape::runs) {
    const Index run = walk.folded.empty() ? 1 : walk.folded.back().extent;
    const Index near = near_bytes_of_runs / std::max<Index>(run * walk.item, 1);
    const Index wanted = std::max(piece_elements / std::max<Index>(walk.each, 1),
                                  walk.folds_outside ? std::max(near, results_between(walk)) : 1);
    return std::clamp<Index>(wanted, 1, std::min(most, walk.results));
  }
  Index groups = most / whole;
  if (walk.shape == ReduceShape::pixels && !walk.folds_outside) {
    groups = std::min(groups, piece_elements / std::max<Index>(walk.each, 1) / whole);
  }
  return std::min(std::max(groups, Index{1}) * whole, walk.results);
}

}  // namespace

void run_reduction(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* dst, std::size_t dst_item,
                   const std::byte* base) {
  // `pool` takes pairs of bytes by 16 and more; fewer go one by one.
  const bool are_few_bytes =
      kernel.state_size == 1 && walk.inner == 1 && !walk.kept.empty() && walk.kept.back().extent < 32;
  if (is_pool(walk) && !are_few_bytes) {
    run_pools(kernel, walk, dst, dst_item, base);
    return;
  }
  const Folding folding(kernel, walk, base);
  const auto state = static_cast<Index>(kernel.state_size);
  const auto item = static_cast<Index>(dst_item);
  // How the work is cut depends on the shape alone, never on the number of threads: so does the result.
  // Groups are never divided.
  const Index whole = walk.shape == ReduceShape::pixels ? walk.kept.back().extent : walk.group * walk.inner;
  const Index tile = results_at_once(walk, whole, std::min(max_at_once(kernel, walk), max_results));
  const Index tiles = ceil_divide(walk.results, tile);
  const Index cuts = std::clamp<Index>(tile * walk.each / piece_elements, 1, ceil_divide(max_pieces, tiles));
  const Index per_cut = std::max<Index>(ceil_divide(walk.each, cuts), 1);
  const Index grain = std::max<Index>(piece_elements / std::max<Index>(tile * per_cut, 1), 1);
  const Index folded = walk.each * walk.group;
  const auto finish = [&](Index first, Index count, std::byte* states) {
    if (walk.group == 1) {
      kernel.finish(dst + first * item, states, count, folded);
      return;
    }
    const States gathered(kernel, count / walk.group);
    kernel.gather(gathered.data(), states, count / whole, walk.group, walk.inner);
    kernel.finish(dst + first / walk.group * item, gathered.data(), count / walk.group, folded);
  };
  const bool is_streamed = walk.group == 1 && walk.results * item >= streamed_bytes;
  if (cuts == 1) {
    parallel_for(0, tiles, grain, [&](Index from, Index to) {
      const States states(kernel, tile);
      StreamedResults results(dst + from * tile / walk.group * item);
      for (Index t = from; t < to; ++t) {
        const Index first = t * tile;
        const Index last = std::min(first + tile, walk.results);
        folding.piece(first, last, 0, walk.each, states.data());
        if (!is_streamed) {
          finish(first, last - first, states.data());
          continue;
        }
        for (Index r = 0; r < last - first; r += streamed_results) {
          const Index now = std::min(streamed_results, last - first - r);
          kernel.finish(results.place(), states.data() + r * state, now, folded);
          results.take(now * item);
        }
      }
      if (is_streamed) results.end();
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
