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

/// What is packed at a time; with the lines it comes from it stays in the L1 cache. (Asking for what comes
/// next while it is packed, 2 to 8 KiB ahead, gained nothing.)
constexpr Index packed_bytes = 16384;
constexpr Index fewest_elements = 64;
/// Dense runs of less than so many bytes are packed where one result takes many of them: one at a time, runs
/// of 90 floats took 47 ns each, of which reading them is 26.
constexpr Index short_run_bytes = 1024;

/// Longer loops by other steps than the leaves of copies have are folded from where they lie: packed, every
/// fifth float of rows took 1.1 times as long.
constexpr Index long_extent = 256;

/// A part of the fastest loop.
struct Piece {
  std::ptrdiff_t offset;
  Index count;
};

class Pieces {
 public:
  /// As many of `count` positions as go into the pieces there are.
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

/// How many rows lie within each other as the channels of pixels do, which are taken apart all at once; 1
/// where they are none.
Index channels_of(const std::vector<ReduceLoop>& inner, const std::vector<ReduceLoop>& outer, Index item) {
  if (inner.empty() || outer.empty() || outer.back().stride != item) return 1;
  const Index extent = outer.back().extent;
  return extent < short_row && inner.back().stride == extent * item ? extent : 1;
}

struct Range {
  Index begin;
  Index end;
};

/// Rows of results, of which each element is one, or runs of what is folded into one: these are the inner
/// loops, and a packed row has elements of them.
class Tiles {
 public:
  Tiles(const ReduceWalk& walk, const std::byte* base)
      : inner_(walk.shape == ReduceShape::rows ? walk.kept : walk.folded),
        outer_(walk.shape == ReduceShape::rows ? walk.folded : walk.kept),
        item_(walk.item),
        stride_(inner_.empty() ? item_ : inner_.back().stride),
        channels_(channels_of(inner_, outer_, walk.item)),
        base_(base) {
    const auto log2 = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(walk.item)));
    gather_ = copy::kernels().gather[log2];
    deinterleave_ = copy::kernels().deinterleave[log2];
  }

  /// Calls fold(packed, inner, outer) for tiles of these ranges.
  template <class F>
  void each(Range inner, Range outer, bool is_outer_slower, F&& fold) const {
    const Index reach = packed_bytes / std::max<Index>(std::abs(stride_), item_);
    const Index wide = tile_width(std::max(reach, fewest_elements), inner.end - inner.begin);
    const Index high = std::max<Index>(packed_bytes / item_ / wide / channels_, 1) * channels_;
    if (is_outer_slower) {
      for (; outer.begin < outer.end; outer.begin += high) {
        const Range rows{outer.begin, std::min(outer.begin + high, outer.end)};
        each_width(inner, wide, [&](const Pieces& pieces, Index begin) { one(pieces, begin, rows, fold); });
      }
    } else {
      each_width(inner, wide, [&](const Pieces& pieces, Index begin) {
        for (Index row = outer.begin; row < outer.end; row += high) {
          one(pieces, begin, {row, std::min(row + high, outer.end)}, fold);
        }
      });
    }
  }

 private:
  /// Tiles of about the same width, of whole pieces where these are shorter.
  Index tile_width(Index most, Index count) const {
    const Index even = ceil_divide(count, ceil_divide(count, most));
    const Index piece = inner_.empty() ? 1 : inner_.back().extent;
    const Index whole = ceil_divide(even, piece) * piece;
    return whole <= most ? whole : even;
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
  void one(const Pieces& pieces, Index begin, Range rows, F&& fold) const {
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
    fold(packed, Range{begin, begin + pieces.covered()}, rows);
  }

  /// Whether all channels of the pixels lie in these rows.
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

bool Packing::is_wanted(const ReduceWalk& walk) {
  const bool has_rows = walk.shape == ReduceShape::rows;
  if (walk.shape == ReduceShape::pixels || (!has_rows && walk.folded.empty())) return false;
  const std::vector<ReduceLoop>& inner = has_rows ? walk.kept : walk.folded;
  const std::vector<ReduceLoop>& outer = has_rows ? walk.folded : walk.kept;
  const std::ptrdiff_t stride = last_stride(inner);
  if (stride == walk.item) {
    return !has_rows && inner.size() > 1 && !walk.folds_outside &&
           inner.back().extent * walk.item < short_run_bytes;
  }
  if (inner.empty() || inner.back().extent < long_extent) return true;
  const bool has_vectors = stride == -walk.item || std::abs(stride) <= 4 * walk.item;
  return has_vectors || (!outer.empty() && std::abs(last_stride(outer)) < std::abs(stride));
}

Packing::Packing(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base)
    : kernel_(kernel), walk_(walk), base_(base) {}

void Packing::fold(Index first, Index last, Index begin, Index end, std::byte* states) const {
  if (begin == end) return;
  const Tiles tiles(walk_, base_);
  const Index item = walk_.item;
  const auto place = [&](Index result) {
    return states + (result - first) * static_cast<Index>(kernel_.state_size);
  };
  if (walk_.shape == ReduceShape::rows) {
    tiles.each({first, last}, {begin, end}, walk_.folds_outside,
               [&](const std::byte* packed, Range results, Range rows) {
                 const Index width = results.end - results.begin;
                 kernel_.accumulate_rows(place(results.begin), width, packed, item, rows.end - rows.begin,
                                         width * item);
               });
    return;
  }
  tiles.each({begin, end}, {first, last}, !walk_.folds_outside,
             [&](const std::byte* packed, Range run, Range results) {
               const Index length = run.end - run.begin;
               kernel_.fold(place(results.begin), results.end - results.begin, packed, length * item, length,
                            item);
             });
}

}  // namespace tenstride::detail
