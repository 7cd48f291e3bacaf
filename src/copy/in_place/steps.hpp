// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tenstride/copy_plan.hpp"
#include "tenstride/in_place_plan.hpp"
#include "tenstride/parallel.hpp"

/// Carries out the steps of an in-place permutation.
namespace tenstride::copy {

/// Moves the bytes of one step. Pre: `data` has the bytes of all blocks, `scratch` has `step.scratch_bytes`.
void run_step(const InPlaceStep& step, std::byte* data, std::byte* scratch);

// One for each method.
void run_by_scratch(const InPlaceStep& step, std::byte* data, std::byte* scratch);
void run_by_tiles(const InPlaceStep& step, std::byte* data, std::byte* scratch);
void run_by_cycles(const InPlaceStep& step, std::byte* data, std::byte* scratch);
void run_by_decomposition(const InPlaceStep& step, std::byte* data, std::byte* scratch);

/// The plan of a copy between two layouts whose positions count items of `item` bytes. With 0 threads it may
/// use them all.
CopyPlan plan_items(const Layout& dst, const Layout& src, Index item, int threads);

/// Calls `work(slot, task)` for all tasks; tasks of one slot run one after the other, so that each slot may
/// have scratch of its own.
template <class Work>
void run_in_slots(Index slots, Index tasks, const Work& work) {
  parallel_for(
      0, slots, 1,
      [&](Index first, Index last) {
        for (Index slot = first; slot < last; ++slot) {
          for (Index task = slot; task < tasks; task += slots) work(slot, task);
        }
      },
      static_cast<int>(slots));
}

/// Items of equal length one behind the other, of which the bytes [offset, offset + length) are permuted.
struct ItemParts {
  std::byte* data;
  Index item_bytes;
  Index offset;
  Index length;

  [[nodiscard]] std::byte* operator[](Index i) const { return data + i * item_bytes + offset; }
};

/// How many items are prefetched, and of each how many bytes: the processor prefetches more by itself.
inline constexpr std::size_t items_ahead = 4;
inline constexpr Index prefetched_bytes = 512;

/// Item i becomes what item source(i) was, for all i of [0, count): each cycle once, with one item in `held`
/// and a bit for each item in `bitmap`. Pre: `source` is a permutation.
template <class Source>
void follow_cycles(const ItemParts& items, Index count, std::uint64_t* bitmap, std::byte* held,
                   const Source& source) {
  const auto length = static_cast<std::size_t>(items.length);
  std::fill_n(bitmap, (count + 63) / 64, 0);
  for (Index start = 0; start < count; ++start) {
    if ((bitmap[start / 64] >> (start % 64) & 1) != 0) continue;
    Index from = source(start);
    if (from == start) continue;
    std::memcpy(held, items[start], length);
    // The items that come next are on their way while this one is copied.
    std::array<Index, items_ahead> prefetch{};
    Index last = from;
    for (Index& next : prefetch) next = last = source(last);
    Index to = start;
    for (std::size_t transpose = 0; from != start; transpose = (transpose + 1) % items_ahead) {
      bitmap[from / 64] |= std::uint64_t{1} << (from % 64);
      std::memcpy(items[to], items[from], length);
      to = from;
      from = std::exchange(prefetch[transpose], source(last));
      last = prefetch[transpose];
      for (Index line = 0; line < std::min(items.length, prefetched_bytes); line += 64) {
        __builtin_prefetch(items[last] + line, 1);
      }
    }
    std::memcpy(items[to], held, length);
  }
}

}  // namespace tenstride::copy
