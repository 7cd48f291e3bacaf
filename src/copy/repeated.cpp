// SPDX-License-Identifier: Apache-2.0
#include "copy/repeated.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "compare_blocks.hpp"
#include "factory_fused.hpp"
#include "tenstride/overlap.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// 32 bytes at a time by ordinary stores: where next to nothing is read, wider and streaming stores take 1.1
/// to 1.4 times as long, in the cache and outside of it.
constexpr Index step = 32;
using Vector = std::uint64_t __attribute__((vector_size(step)));

/// Below so many bytes a second thread does not pay.
constexpr Index serial_below = Index{512} << 10;
/// Bytes that one thread takes at a time.
constexpr Index grain_bytes = Index{256} << 10;
/// Runs that are long enough, and that stay in the cache while they are written again.
constexpr Index shortest_run = 128;
constexpr Index longest_row = Index{128} << 10;
/// An element is written so often at least.
constexpr Index least_repeats = 4;

/// `rows` runs of `count` items, all steps in bytes.
struct Runs {
  std::byte* dst;
  Index dst_pitch;
  Index dst_step;
  const std::byte* src;
  Index src_pitch;
  Index rows;
  Index count;
  Index item;
};

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// An item again and again.
[[gnu::always_inline]] inline std::array<std::uint64_t, 2> repeated_item(const std::byte* from, Index item) {
  std::uint64_t word = 0;
  switch (item) {
    case 1:
      word = 0x0101010101010101U * load<std::uint8_t>(from);
      break;
    case 2:
      word = 0x0001000100010001U * load<std::uint16_t>(from);
      break;
    case 4:
      word = 0x0000000100000001U * load<std::uint32_t>(from);
      break;
    case 8:
      word = load<std::uint64_t>(from);
      break;
    default:
      return {load<std::uint64_t>(from), load<std::uint64_t>(from + 8)};
  }
  return {word, word};
}

/// One item along each dense run. Pre: runs of at least `step` bytes.
void fill_dense(const Runs& runs) {
  const auto write = [&runs](Index first, Index last) __attribute__((always_inline)) {
    const Index bytes = runs.count * runs.item;
    const Index item = runs.item;
    for (Index row = first; row < last; ++row) {
      std::byte* const dst = runs.dst + row * runs.dst_pitch;
      const auto [low, high] = repeated_item(runs.src + row * runs.src_pitch, item);
      const Vector value{low, high, low, high};
      const auto store = [&](Index at) __attribute__((always_inline)) {
        std::memcpy(dst + at, &value, step);
      };
      Index at = 0;
      const auto misfit = static_cast<Index>(reinterpret_cast<std::uintptr_t>(dst) % step);
      if (misfit != 0 && misfit % item == 0) {
        store(0);
        at = step - misfit;
      }
      for (; at + 4 * step <= bytes; at += 4 * step) {
        store(at);
        store(at + step);
        store(at + 2 * step);
        store(at + 3 * step);
      }
      for (; at + step <= bytes; at += step) store(at);
      store(bytes - step);
    }
  };
  detail::run_fused(write, 0, runs.rows);
}

/// Dense runs to dense runs. Pre: of at least `step` bytes.
void copy_dense(const Runs& runs) {
  const auto write = [&runs](Index first, Index last) __attribute__((always_inline)) {
    const Index bytes = runs.count * runs.item;
    for (Index row = first; row < last; ++row) {
      std::byte* const dst = runs.dst + row * runs.dst_pitch;
      const std::byte* const src = runs.src + row * runs.src_pitch;
      const auto move = [&](Index at) __attribute__((always_inline)) {
        Vector value;
        std::memcpy(&value, src + at, step);
        std::memcpy(dst + at, &value, step);
      };
      Index at = 0;
      for (; at + 4 * step <= bytes; at += 4 * step) {
        move(at);
        move(at + step);
        move(at + 2 * step);
        move(at + 3 * step);
      }
      for (; at + step <= bytes; at += step) move(at);
      if (at < bytes) move(bytes - step);
    }
  };
  detail::run_fused(write, 0, runs.rows);
}

template <std::size_t item>
void fill_apart(const Runs& runs) {
  for (Index row = 0; row < runs.rows; ++row) {
    std::byte* dst = runs.dst + row * runs.dst_pitch;
    std::array<std::byte, item> one;
    std::memcpy(one.data(), runs.src + row * runs.src_pitch, item);
    const Index apart = runs.dst_step;
    Index left = runs.count;
    for (; left >= 4; left -= 4, dst += 4 * apart) {
      std::memcpy(dst, one.data(), item);
      std::memcpy(dst + apart, one.data(), item);
      std::memcpy(dst + 2 * apart, one.data(), item);
      std::memcpy(dst + 3 * apart, one.data(), item);
    }
    for (; left > 0; --left, dst += apart) std::memcpy(dst, one.data(), item);
  }
}

void fill(const Runs& runs) {
  if (runs.dst_step == runs.item && runs.count * runs.item >= step) return fill_dense(runs);
  switch (runs.item) {
    case 1:
      return fill_apart<1>(runs);
    case 2:
      return fill_apart<2>(runs);
    case 4:
      return fill_apart<4>(runs);
    case 8:
      return fill_apart<8>(runs);
    default:
      return fill_apart<16>(runs);
  }
}

void copy(const Runs& runs) {
  const Index bytes = runs.count * runs.item;
  if (bytes >= step) return copy_dense(runs);
  for (Index row = 0; row < runs.rows; ++row) {
    std::memcpy(runs.dst + row * runs.dst_pitch, runs.src + row * runs.src_pitch,
                static_cast<std::size_t>(bytes));
  }
}

Layout without_last_axis(Layout layout) {
  layout.shape.pop_back();
  layout.strides.pop_back();
  return layout;
}

using Move = void (*)(const Runs&);

/// Rows from..to-1 of the walk over them.
[[gnu::noinline]] void move_rows(const detail::JointWalk<2>& rows, Index from, Index to, const Runs& all,
                                 Move move) {
  rows(from, to, rows.count(), [&](const auto& at, const auto& strides, Index count) {
    Runs some = all;
    some.dst += at[0] * all.item;
    some.dst_pitch = strides[0] * all.item;
    some.src += at[1] * all.item;
    some.src_pitch = strides[1] * all.item;
    some.rows = count;
    move(some);
    return true;
  });
}

/// Elements from..to-1 of the walk.
[[gnu::noinline]] void move_elements(const detail::JointWalk<2>& walk, Index from, Index to, const Runs& all,
                                     Move move) {
  walk(from, to, walk.count(), [&](const auto& at, const auto&, Index count) {
    Runs one = all;
    one.dst += at[0] * all.item;
    one.src += at[1] * all.item;
    one.count = count;
    move(one);
    return true;
  });
}

/// How often each element is written.
Index repeats(const Layout& src) {
  Index times = 1;
  for (std::size_t d = 0; d < src.rank(); ++d) times *= src.strides[d] == 0 ? src.shape[d] : 1;
  return times;
}

}  // namespace

bool copy_repeated(const Layout& dst, std::byte* dst_bytes, const Layout& src, const std::byte* src_bytes,
                   std::size_t item_bytes) {
  if (repeats(src) < least_repeats || !is_provably_unique(dst)) return false;
  const detail::JointWalk<2> walk({dst, src});
  const Layout& whole = walk.layout(0);
  if (whole.rank() == 0) return false;
  const auto item = static_cast<Index>(item_bytes);
  const Index dst_stride = walk.inner_stride(0);
  const Index src_stride = walk.inner_stride(1);
  const Index run_bytes = whole.shape.back() * item;
  const bool fills = src_stride == 0;
  const bool repeats_rows = src_stride == 1 && dst_stride == 1 && run_bytes <= longest_row;
  if ((!fills && !repeats_rows) || run_bytes < shortest_run) return false;
  const Move move = fills ? fill : copy;
  const Runs runs{dst_bytes, 0, dst_stride * item, src_bytes, 0, 1, whole.shape.back(), item};
  // Whole units: no two threads write one cache line of a dense destination.
  const auto in_units = [&](Index count, Index unit, const auto& body) {
    if (numel(whole) * item < serial_below) return body(0, count);
    parallel_for(0, ceil_divide(count, unit), 1,
                 [&](Index from, Index to) { body(from * unit, std::min(to * unit, count)); });
  };
  if (whole.rank() > 1 && run_bytes <= longest_row) {
    const detail::JointWalk<2> rows({without_last_axis(whole), without_last_axis(walk.layout(1))});
    const Index some = ceil_divide(grain_bytes, run_bytes);
    in_units(rows.count(), run_bytes % 64 == 0 ? some : ceil_divide(some, 64) * 64,
             [&](Index from, Index to) { move_rows(rows, from, to, runs, move); });
  } else {
    in_units(walk.count(), grain_bytes / item,
             [&](Index from, Index to) { move_elements(walk, from, to, runs, move); });
  }
  return true;
}

}  // namespace tenstride::copy
