// SPDX-License-Identifier: Apache-2.0
// Rows of short items backwards, past the cache: from the registers to whole lines, whatever rows these
// belong to.
#include "copy/reversed_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "copy/sink.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// Pieces of so many bytes at least for the threads.
constexpr Index chunk_bytes = Index{128} << 10;

/// How many of the innermost loops are a row: one of items, or one of items that are short runs.
std::size_t row_loops(const Walk& walk) {
  return walk.plan.kernel == CopyKernel::gather ? 1 : 2;
}

ReversedRows rows_of(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  const std::size_t row = plan.loops.size() - row_loops(walk);
  ReversedRows rows;
  rows.item = walk.dst_item;
  if (row_loops(walk) == 2) rows.item *= static_cast<std::size_t>(plan.loops[row + 1].extent);
  rows.items = static_cast<std::size_t>(plan.loops[row].extent);
  return rows;
}

class Reverser {
 public:
  explicit Reverser(const Walk& walk) : kernels_(walk.kernels), sink_(walk.plan, walk.kernels) {}

  /// The rows, side by side from `dst` on.
  void operator()(std::byte* dst, const ReversedRows& rows) {
    const std::size_t bytes = rows.count * rows.items * rows.item;
    const std::size_t misfit = reinterpret_cast<std::uintptr_t>(dst) % line_bytes;
    const std::size_t head = std::min((line_bytes - misfit) % line_bytes, bytes);
    plainly(dst, rows, 0, head);
    const std::size_t lines = kernels_.short_items->reverse_lines(dst + head, rows, head);
    plainly(dst, rows, head + lines, bytes);
  }

 private:
  void plainly(std::byte* dst, const ReversedRows& rows, std::size_t from, std::size_t to) {
    for (; from < to; from += std::min(to - from, piece_.size())) {
      const std::size_t part = std::min(to - from, piece_.size());
      reverse_plainly(piece_.data(), rows, from, part);
      sink_.write(dst + from, piece_.data(), part);
    }
  }

  const Kernels& kernels_;
  Sink sink_;
  alignas(line_bytes) std::array<std::byte, 4096> piece_;
};

}  // namespace

bool takes_reversed_rows(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  const bool is_kind = plan.kernel == CopyKernel::rows || plan.kernel == CopyKernel::gather;
  if (!is_kind || plan.conversion != CopyConversion::none || !plan.streaming || plan.loops.size() < 2)
    return false;
  const ReversedRows rows = rows_of(walk);
  const auto item = static_cast<Index>(rows.item);
  const ByteLoop items = walk.loop(plan.loops.size() - row_loops(walk));
  return rows.are_lines() && items.dst_stride == item && items.src_stride == -item;
}

void run_reversed_rows(const Walk& walk) {
  const std::size_t outer = walk.plan.loops.size() - row_loops(walk);
  const ReversedRows rows = rows_of(walk);
  const auto row_bytes = static_cast<Index>(rows.items * rows.item);
  const Odometer start(walk, 0, outer, max_rank);
  // Threads meet at multiples of so many rows that their common border is, for a dense destination, a line's.
  const auto line = static_cast<Index>(line_bytes);
  const Index whole_lines = line / std::gcd(line, Index{row_bytes});
  const Index unit = ceil_divide(std::max<Index>(chunk_bytes / row_bytes, 1), whole_lines) * whole_lines;
  parallel_for(
      0, ceil_divide(start.count(), unit), 1,
      [&](Index from, Index to) {
        Reverser reverse(walk);
        ReversedRows here = rows;
        Odometer at(walk, 0, outer, max_rank);
        at.seek(from * unit);
        const Index end = std::min(to * unit, start.count());
        for (Index row = from * unit; row < end;) {
          // A row that comes again and again (pitch 0) goes alone: .05 of a plain copy together, by no leaf.
          const bool are_together =
              at.run().dst_stride == row_bytes && std::abs(at.run().src_stride) >= ReversedRows::least_pitch;
          const Index count = are_together ? std::min(at.run_left(), end - row) : 1;
          here.first = at.src();
          here.pitch = at.run().src_stride;
          here.count = static_cast<std::size_t>(count);
          reverse(at.dst(), here);
          at.skip(count);
          row += count;
        }
      },
      walk.plan.threads);
}

}  // namespace tenstride::copy
