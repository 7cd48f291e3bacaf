// SPDX-License-Identifier: Apache-2.0
#include "reduce/packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "reduce/cursor.hpp"

namespace tenstride::detail {
namespace {

/// The bytes of a packed tile. With the cache lines that it is packed from it stays in the L1 cache.
constexpr Index packed_bytes = 16384;
/// The least width of a tile, in elements.
constexpr Index min_width = 64;

/// From this extent on, loops with a stride that the gather kernels have no vectors for are accumulated from
/// the source: packed, every fifth float of a row took 1.1 times as long.
constexpr Index long_extent = 256;

/// A part of the innermost loop: `count` elements from `offset` on, in bytes.
struct Piece {
  std::ptrdiff_t offset;
  Index count;
};

/// The pieces that consecutive positions of a loop nest consist of, 64 at most.
class Pieces {
 public:
  /// Takes up to `count` positions from `begin` on, as many as 64 pieces hold.
  Pieces(const std::vector<ReduceLoop>& loops, Index begin, Index count) {
    for (Cursor at(loops, begin); covered_ < count && number_ < pieces_.size();) {
      const Index now = std::min(count - covered_, at.run());
      pieces_[number_++] = {at.offset(), now};
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

std::ptrdiff_t last_stride(const std::vector<ReduceLoop>& loops) {
  return loops.empty() ? 0 : loops.back().stride;
}

/// Returns how many rows are interleaved like the channels of pixels, so that they are deinterleaved
/// together; 1 where they are not.
Index channels_of(const std::vector<ReduceLoop>& inner, const std::vector<ReduceLoop>& outer, Index item) {
  if (inner.empty() || outer.empty() || outer.back().stride != item) return 1;
  const Index extent = outer.back().extent;
  return extent < short_row && inner.back().stride == extent * item ? extent : 1;
}

struct Range {
  Index begin;
  Index end;
};

/// Packs tiles. A packed row consists of elements of the inner loops: the result loops for ReduceShape::rows,
/// the reduction loops for ReduceShape::runs.
class Tiles {
 public:
  Tiles(const ReducePlan& plan, const std::byte* base)
      : inner_(plan.shape == ReduceShape::rows ? plan.result_loops : plan.reduction_loops),
        outer_(plan.shape == ReduceShape::rows ? plan.reduction_loops : plan.result_loops),
        item_(plan.item),
        stride_(inner_.empty() ? item_ : inner_.back().stride),
        channels_(channels_of(inner_, outer_, plan.item)),
        base_(base) {
    const auto log2 = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(plan.item)));
    gather_ = copy::kernels().gather[log2];
    deinterleave_ = copy::kernels().deinterleave[log2];
  }

  /// Calls accumulate(packed, inner, outer) for each tile of these ranges.
  template <class F>
  void each(Range inner, Range outer, bool is_outer_first, F&& accumulate) const {
    const Index reach = packed_bytes / std::max<Index>(std::abs(stride_), item_);
    const Index wide = tile_width(std::max(reach, min_width), inner.end - inner.begin);
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
      const Pieces pieces(inner_, inner.begin, std::min(wide, inner.end - inner.begin));
      f(pieces, inner.begin);
      inner.begin += pieces.covered();
    }
  }

  template <class F>
  void one(const Pieces& pieces, Index begin, Range rows, F&& accumulate) const {
    alignas(64) std::byte packed[packed_bytes];
    std::byte* out = packed;
    Cursor at(outer_, rows.begin);
    for (Index row = rows.begin; row < rows.end;) {
      const Index now = has_channels(row, rows.end) ? channels_ : 1;
      const std::byte* const src = base_ + at.offset();
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

  const std::vector<ReduceLoop>& inner_;
  const std::vector<ReduceLoop>& outer_;
  Index item_;
  std::ptrdiff_t stride_;
  Index channels_;
  const std::byte* base_;
  copy::Kernels::Gather gather_;
  copy::Kernels::Deinterleave deinterleave_;
};

}  // namespace

bool Packing::is_faster(const ReducePlan& plan) {
  const bool has_rows = plan.shape == ReduceShape::rows;
  if (plan.shape == ReduceShape::pixels || (!has_rows && plan.reduction_loops.empty())) return false;
  const std::vector<ReduceLoop>& inner = has_rows ? plan.result_loops : plan.reduction_loops;
  const std::vector<ReduceLoop>& outer = has_rows ? plan.reduction_loops : plan.result_loops;
  const std::ptrdiff_t stride = last_stride(inner);
  if (stride == plan.item) {
    return !has_rows && inner.size() > 1 && !plan.is_reduction_outer &&
           inner.back().extent * plan.item < short_run_bytes;
  }
  if (inner.empty() || inner.back().extent < long_extent) return true;
  const bool has_vectors = stride == -plan.item || std::abs(stride) <= 4 * plan.item;
  return has_vectors || (!outer.empty() && std::abs(last_stride(outer)) < std::abs(stride));
}

Packing::Packing(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base)
    : kernel_(kernel), plan_(plan), base_(base) {}

void Packing::accumulate(Index first, Index last, Index begin, Index end, std::byte* states) const {
  if (begin == end) return;
  const Tiles tiles(plan_, base_);
  const Index item = plan_.item;
  const auto state_of = [&](Index result) {
    return states + (result - first) * static_cast<Index>(kernel_.state_size);
  };
  if (plan_.shape == ReduceShape::rows) {
    tiles.each({first, last}, {begin, end}, plan_.is_reduction_outer,
               [&](const std::byte* packed, Range results, Range rows) {
                 const Index width = results.end - results.begin;
                 kernel_.accumulate_rows(state_of(results.begin), width, packed, item, rows.end - rows.begin,
                                         width * item);
               });
    return;
  }
  tiles.each({begin, end}, {first, last}, !plan_.is_reduction_outer,
             [&](const std::byte* packed, Range run, Range results) {
               const Index length = run.end - run.begin;
               kernel_.accumulate_runs(state_of(results.begin), results.end - results.begin, packed,
                                       length * item, length, item);
             });
}

}  // namespace tenstride::detail
