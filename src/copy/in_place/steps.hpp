// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tenstride/parallel/parallel.hpp"
#include "tenstride/plan/copy_plan.hpp"
#include "tenstride/plan/in_place_plan.hpp"

/// Carries out the steps of in-place permutations.
namespace tenstride::copy {

/// Carries out one step. Pre: `data` has the bytes of all blocks, `scratch` has `step.scratch_bytes`.
void run_step(const InPlaceStep& step, std::byte* data, std::byte* scratch);

// One function for each method.
void run_by_scratch(const InPlaceStep& step, std::byte* data, std::byte* scratch);
void run_by_tiles(const InPlaceStep& step, std::byte* data, std::byte* scratch);
void run_by_cycles(const InPlaceStep& step, std::byte* data, std::byte* scratch);
void run_by_decomposition(const InPlaceStep& step, std::byte* data, std::byte* scratch);

/// Plans a copy between two layouts of items of `item` bytes. `threads` is the most threads that may be used;
/// 0: all.
CopyPlan plan_items(const Layout& dst, const Layout& src, Index item, int threads);

/// Calls `work(slot, task)` for all tasks. Tasks of one slot run one after the other, so each slot can have
/// scratch memory of its own.
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

/// Successive items of equal length, of which the bytes [offset, offset + length) are permuted.
struct ItemParts {
  std::byte* data;
  Index item_bytes;
  Index offset;
  Index length;

  [[nodiscard]] std::byte* operator[](Index i) const { return data + i * item_bytes + offset; }
};

/// The number of items that are prefetched, and the bytes of each: the processor prefetches the others by
/// itself.
inline constexpr std::size_t items_prefetched = 4;
inline constexpr Index prefetched_bytes = 512;

/// Permutes items: item i becomes what item source(i) was, for all i of [0, count). Follows each cycle once,
/// with one item in `held_item` and one bit for each item in `bitmap`. Pre: `source` is a permutation.
template <class Source>
void follow_cycles(const ItemParts& items, Index count, std::uint64_t* bitmap, std::byte* held_item,
                   const Source& source) {
  const auto length = static_cast<std::size_t>(items.length);
  std::fill_n(bitmap, (count + 63) / 64, 0);
  for (Index start = 0; start < count; ++start) {
    if ((bitmap[start / 64] >> (start % 64) & 1) != 0) continue;
    Index from = source(start);
    if (from == start) continue;
    std::memcpy(held_item, items[start], length);
    // The next items are prefetched while this one is copied.
    std::array<Index, items_prefetched> upcoming{};
    Index last = from;
    for (Index& next : upcoming) next = last = source(last);
    Index to = start;
    for (std::size_t slot = 0; from != start; slot = (slot + 1) % items_prefetched) {
      bitmap[from / 64] |= std::uint64_t{1} << (from % 64);
      std::memcpy(items[to], items[from], length);
      to = from;
      from = std::exchange(upcoming[slot], source(last));
      last = upcoming[slot];
      for (Index line = 0; line < std::min(items.length, prefetched_bytes); line += 64) {
        __builtin_prefetch(items[last] + line, 1);
      }
    }
    std::memcpy(items[to], held_item, length);
  }
}

}  // namespace tenstride::copy
