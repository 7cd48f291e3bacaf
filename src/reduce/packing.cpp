// SPDX-License-Identifier: Apache-2.0
// Elements with gaps between them as if they were dense: packed into a buffer in the L1 cache, from which the
// kernels load whole vectors. Examples: every second element, a reversed axis, the short rows of a crop.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "reduce/reduce_nest.hpp"

namespace tenstride::detail {
namespace {

/// The bytes of a packed tile. With the cache lines that it is packed from it stays in the L1 cache.
constexpr Index packed_bytes = 16384;
/// The least width of a tile, in elements.
constexpr Index min_width = 64;

/// A part of the innermost loop: `count` elements from `offset` on, in bytes.
struct Piece {
  Index offset;
  Index count;
};

/// Positions [begin, end) of loops.
struct Range {
  Index begin;
  Index end;
  [[nodiscard]] Index size() const { return end - begin; }
};

/// The pieces that consecutive positions of loops consist of, 64 at most.
class Pieces {
 public:
  /// Takes positions from the beginning of the range on, as many as 64 pieces hold.
  Pieces(const ReduceNest& nest, std::span<const Loop> loops, Range range) {
    for (copy::Cursor at = nest.at(loops, range.begin);
         covered_ < range.size() && number_ < pieces_.size();) {
      const Index now = std::min(range.size() - covered_, at.run_left());
      pieces_[number_++] = {at.src() - nest.base, now};
      covered_ += now;
      at.skip(now);
    }
  }
  [[nodiscard]] Index covered() const { return covered_; }
  [[nodiscard]] const Piece* begin() const { return pieces_.data(); }
  [[nodiscard]] const Piece* end() const { return pieces_.data() + number_; }

 private:
  std::array<Piece, 64> pieces_;
  std::size_t number_ = 0;
  Index covered_ = 0;
};

/// How many rows are interleaved like the channels of pixels, so that they are deinterleaved together; 1
/// where they are not.
Index channels_of(std::span<const Loop> inner, std::span<const Loop> outer, Index item) {
  if (inner.empty() || outer.empty() || outer.back().src_stride != item) return 1;
  const Index extent = outer.back().extent;
  return extent < short_row && inner.back().src_stride == extent * item ? extent : 1;
}

/// Packs tiles. A packed row consists of elements of the inner loops: the result loops for ReduceShape::rows,
/// the reduction loops for ReduceShape::runs.
class PackedTiles {
 public:
  explicit PackedTiles(const ReduceNest& nest)
      : nest_(nest),
        inner_(nest.shape == ReduceShape::rows ? nest.results : nest.reduced),
        outer_(nest.shape == ReduceShape::rows ? nest.reduced : nest.results),
        item_(nest.item),
        stride_(inner_.empty() ? item_ : inner_.back().src_stride),
        channels_(channels_of(inner_, outer_, item_)) {
    const auto log2 = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(item_)));
    gather_ = copy::kernels().gather[log2];
    deinterleave_ = copy::kernels().deinterleave[log2];
  }

  /// Calls accumulate(packed, inner, outer) for each tile of these ranges.
  template <class F>
  void each(Range inner, Range outer, bool is_outer_first, F&& accumulate) const {
    const Index reach = packed_bytes / std::max<Index>(std::abs(stride_), item_);
    const Index wide = tile_width(std::max(reach, min_width), inner.size());
    const Index high = std::max<Index>(packed_bytes / item_ / wide / channels_, 1) * channels_;
    if (is_outer_first) {
      for (; outer.begin < outer.end; outer.begin += high) {
        const Range rows{outer.begin, std::min(outer.begin + high, outer.end)};
        each_width(inner, wide,
                   [&](const Pieces& pieces, Index begin) { one(pieces, begin, rows, accumulate); });
      }
    } else {
      each_width(inner, wide, [&](const Pieces& pieces, Index begin) {
        for (Index row = outer.begin; row < outer.end; row += high) {
          one(pieces, begin, {row, std::min(row + high, outer.end)}, accumulate);
        }
      });
    }
  }

 private:
  /// Returns a width that divides `count` about evenly, a multiple of whole pieces where these are shorter.
  Index tile_width(Index max_width, Index count) const {
    const Index even = ceil_divide(count, ceil_divide(count, max_width));
    const Index piece = inner_.empty() ? 1 : inner_.back().extent;
    const Index whole = ceil_divide(even, piece) * piece;
    return whole <= max_width ? whole : even;
  }

  template <class F>
  void each_width(Range inner, Index wide, F&& f) const {
    while (inner.begin < inner.end) {
      const Pieces pieces(nest_, inner_, {inner.begin, inner.begin + std::min(wide, inner.size())});
      f(pieces, inner.begin);
      inner.begin += pieces.covered();
    }
  }

  template <class F>
  void one(const Pieces& pieces, Index begin, Range rows, F&& accumulate) const {
    alignas(64) std::byte packed[packed_bytes];
    std::byte* out = packed;
    copy::Cursor at = nest_.at(outer_, rows.begin);
    for (Index row = rows.begin; row < rows.end;) {
      const Index now = has_channels(row, rows.end) ? channels_ : 1;
      const std::byte* const src = at.src();
      for (const Piece& piece : pieces) {
        if (now > 1) {
          deinterleave_(out, static_cast<std::size_t>(pieces.covered() * item_), src + piece.offset,
                        static_cast<std::size_t>(now), static_cast<std::size_t>(piece.count), nullptr);
        } else {
          pack(out, src + piece.offset, piece.count);
        }
        out += piece.count * item_;
      }
      out += (now - 1) * pieces.covered() * item_;
      row += now;
      at.skip(now);
    }
    accumulate(packed, Range{begin, begin + pieces.covered()}, rows);
  }

  /// Returns whether the rows [row, end) contain all channels of the pixels.
  bool has_channels(Index row, Index end) const {
    return channels_ > 1 && row % channels_ == 0 && end - row >= channels_;
  }

  void pack(std::byte* out, const std::byte* src, Index count) const {
    if (stride_ == item_) {
      std::memcpy(out, src, static_cast<std::size_t>(count * item_));
    } else {
      gather_(out, src, stride_, static_cast<std::size_t>(count));
    }
  }

  const ReduceNest& nest_;
  std::span<const Loop> inner_;
  std::span<const Loop> outer_;
  Index item_;
  Index stride_;
  Index channels_;
  copy::Kernels::Gather gather_;
  copy::Kernels::Deinterleave deinterleave_;
};

}  // namespace

/// The tiles depend on the plan and the part alone, so the results do not depend on the number of threads.
void accumulate_packed(const ReduceNest& nest, const ReducePart& part, std::byte* states) {
  if (part.elements() == 0) return;
  const PackedTiles tiles(nest);
  const Index item = nest.item;
  const auto state_of = [&](Index result) { return states + (result - part.first) * nest.state; };
  const Range results{part.first, part.last};
  const Range elements{part.begin, part.end};
  if (nest.shape == ReduceShape::rows) {
    tiles.each(results, elements, nest.plan.is_reduction_outer,
               [&](const std::byte* packed, Range columns, Range rows) {
                 nest.kernel.accumulate_rows(state_of(columns.begin), columns.size(), packed, item,
                                             rows.size(), columns.size() * item);
               });
    return;
  }
  tiles.each(elements, results, !nest.plan.is_reduction_outer,
             [&](const std::byte* packed, Range run, Range rows) {
               nest.kernel.accumulate_runs(state_of(rows.begin), rows.size(), packed, run.size() * item,
                                           run.size(), item);
             });
}

}  // namespace tenstride::detail
