// SPDX-License-Identifier: Apache-2.0
// The kernels over Highway. This file is compiled once for each instruction set, in a namespace of its own.

#include "copy/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copy/kernels/simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "copy/kernels/channels-inl.h"
#include "copy/kernels/channels_streamed-inl.h"
#include "copy/kernels/convert_numbers-inl.h"
#include "copy/kernels/gather-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_long_rows-inl.h"
#include "plan/processor.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

void stream(StoreQueue& queue) {
  StoreQueue local = queue;  // local copy: stores through dst cannot alias it
  write_queued(local, local.lines());
  queue = local;
}

/// Copies by streaming stores, a line of each of `pages` pages alternately.
template <std::size_t pages>
void stream_pages(std::byte* dst, const std::byte* src, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t page = 4096;
  std::size_t done = 0;
  for (; done + pages * page <= bytes; done += pages * page) {
    for (std::size_t at = done; at < done + page; at += line) {
      for (std::size_t k = 0; k < pages; ++k) write_line(dst + at + k * page, src + at + k * page);
    }
  }
  for (; done < bytes; done += line) write_line(dst + done, src + done);
}

/// Copies page after page, or four pages alternately, which keeps four memory banks busy.
void stream_run(std::byte* dst, const std::byte* src, std::size_t bytes, MemoryStreams streams) {
  streams == MemoryStreams::one ? stream_pages<1>(dst, src, bytes) : stream_pages<4>(dst, src, bytes);
}

/// Copies 128 bytes of each row alternately, so that the rows are as many read streams and use as many memory
/// banks, and prefetches 1 KiB ahead, across the end of a row into the rows that follow. Rows of 28 KiB:
/// .74-.80 (row after row, four pages alternately), .82 (sequentially), .95 (four rows without prefetch) →
/// .99-1.02 of a plain copy.
void stream_alternating(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                        std::size_t rows, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t piece = 128;
  constexpr std::size_t distance = 1024;
  std::array<std::byte*, Kernels::max_alternating> to;
  std::array<const std::byte*, Kernels::max_alternating> from;
  std::array<std::size_t, Kernels::max_alternating> whole;
  std::size_t common = bytes;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto step = static_cast<Index>(r);
    to[r] = dst + step * dst_pitch;
    const std::size_t head = std::min((0 - reinterpret_cast<std::uintptr_t>(to[r])) % line, bytes);
    to[r] += head;
    from[r] = src + step * src_pitch + head;
    whole[r] = (bytes - head) / line * line;
    common = std::min(common, whole[r]);
  }
  common -= common % piece;
  const Index next = static_cast<Index>(rows) * src_pitch - static_cast<Index>(bytes);
  for (std::size_t at = 0; at < common; at += piece) {
    const Index next_offset = static_cast<Index>(at + distance) + (at + distance < common ? 0 : next);
    for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
      for (std::size_t part = at; part < at + piece; part += line) {
        __builtin_prefetch(from[r] + next_offset + static_cast<Index>(part - at), 0, 3);
        write_line(to[r] + part, from[r] + part);
      }
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t at = common; at < whole[r]; at += line) write_line(to[r] + at, from[r] + at);
  }
}

/// Copies a line by ordinary stores.
HWY_INLINE void copy_line(const std::byte* src, std::byte* dst) {
  const hn::CappedTag<std::uint8_t, 64> d;
  for (std::size_t part = 0; part < 64; part += hn::MaxLanes(d)) {
    hn::StoreU(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(src) + part), d,
               reinterpret_cast<std::uint8_t*>(dst) + part);
  }
}

/// Copies the last `bytes` bytes before `end` to the beginning of a line. The rest of the line is undefined.
/// With a masked store no store crosses a line: .64 → .84 of a plain copy (rows of 129 bytes).
HWY_INLINE void save_tail(const std::byte* end, std::size_t bytes, std::byte* line) {
#if HWY_TARGET <= HWY_AVX3
  const hn::FixedTag<std::uint8_t, 64> d;
  hn::Store(hn::MaskedLoad(hn::FirstN(d, bytes), d, reinterpret_cast<const std::uint8_t*>(end - bytes)), d,
            reinterpret_cast<std::uint8_t*>(line));
#else
  copy_line(end - 64, line + bytes - 64);
#endif
}

/// Copies rows with partial lines. Heads and tails are moved by whole lines, so that no branch depends on
/// their length.
void stream_partial_rows(const PartialRows& all) {
  constexpr std::size_t line = 64;
  const PartialRows rows = all;  // local copy: stores through dst cannot alias it
  std::byte* dst = rows.dst;
  const std::byte* src = rows.src;
  std::byte* partial_line = rows.partial_lines;
  for (std::size_t r = 0; r < rows.rows; ++r, dst += rows.dst_pitch, src += rows.src_pitch) {
    const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(dst)) % line;
    if (head != 0) {
      if (rows.is_first) {
        std::memcpy(dst, src, head);
      } else {
        copy_line(src, partial_line + (line - head));
        write_line(dst + head - line, partial_line);
      }
    }
    std::size_t at = head;
    for (; at + line <= rows.bytes; at += line) write_line(dst + at, src + at);
    if (const std::size_t tail = rows.bytes - at; tail != 0) {
      if (rows.is_last) {
        std::memcpy(dst + at, src + at, tail);
      } else {
        save_tail(src + rows.bytes, tail, partial_line);
      }
    }
    if (partial_line != nullptr) partial_line += PartialRows::pitch;
  }
}

void stream_line(std::byte* dst, const std::byte* line, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  std::array<hn::Vec<decltype(d)>, 64 / step> parts;
  for (std::size_t p = 0; p < parts.size(); ++p)
    parts[p] = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(line) + p * step);
  for (auto* to = reinterpret_cast<std::uint8_t*>(dst); bytes > 0; to += 64, bytes -= 64) {
    for (std::size_t p = 0; p < parts.size(); ++p) hn::Stream(parts[p], d, to + p * step);
  }
}

/// Copies rows of a length that is known at compile time, by a few moves each. A call of memcpy would take
/// longer than the copy itself. Example: pixels of 3 bytes that are flipped.
template <std::size_t bytes>
void copy_short_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                     std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r, dst += dst_pitch, src += src_pitch) std::memcpy(dst, src, bytes);
}

using CopyShortRows = void (*)(std::byte*, Index, const std::byte*, Index, std::size_t);

template <std::size_t... bytes>
constexpr std::array<CopyShortRows, sizeof...(bytes)> short_rows_table(std::index_sequence<bytes...>) {
  return {copy_short_rows<bytes>...};
}

/// Shuffles that reverse the order of as many rows as 16 bytes hold, by the length of a row.
constexpr auto reversed_orders = [] {
  std::array<std::array<std::uint8_t, 16>, 9> orders{};
  for (std::size_t bytes = 1; bytes < orders.size(); ++bytes) {
    const std::size_t rows = 16 / bytes;
    for (std::size_t i = 0; i < rows * bytes; ++i)
      orders[bytes][i] = static_cast<std::uint8_t>((rows - 1 - i / bytes) * bytes + i % bytes);
  }
  return orders;
}();

/// Copies contiguous short rows in reverse order, as many at a time as 16 bytes hold. What is stored behind
/// them, the next ones overwrite. Returns how many rows were copied. Example: pixels that are flipped.
std::size_t reverse_short_rows(std::byte* dst, const std::byte* src, std::size_t rows, std::size_t bytes,
                               CopyShortRows copy_margin) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const std::size_t per_vector = 16 / bytes;
  const auto indices = hn::LoadU(d, reversed_orders[bytes].data());
  // A vector would read behind the first rows and write behind the last ones, where this may not be allowed.
  const std::size_t margin = (16 + bytes - 1) / bytes;
  if (rows < 2 * margin) return 0;
  const auto pitch = static_cast<Index>(bytes);
  copy_margin(dst, pitch, src, -pitch, margin);
  std::size_t r = margin;
  for (; r + per_vector + margin <= rows; r += per_vector) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(src - (r + per_vector - 1) * bytes);
    hn::StoreU(hn::TableLookupBytes(hn::LoadU(d, from), indices), d,
               reinterpret_cast<std::uint8_t*>(dst + r * bytes));
  }
  return r;
}

/// Keeps the compiler from reordering stores across this point; it generates no instruction. Where the
/// compiler reordered them, so that stores alternated between lines, copies within the L2 cache took twice as
/// long.
inline void keep_store_order() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Copies rows by stores of `store_bytes`. Long rows are copied from their first whole line in the
/// destination on, so that no store crosses a line.
void copy_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, std::size_t rows,
               std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, store_bytes> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  constexpr std::size_t line = 64;
  constexpr std::size_t long_row_bytes = 512;
  static constexpr auto short_rows = short_rows_table(std::make_index_sequence<step>());
  if (bytes < step) {
    const auto pitch = static_cast<Index>(bytes);
    std::size_t done = 0;
    if (bytes > 0 && bytes < reversed_orders.size() && dst_pitch == pitch && src_pitch == -pitch)
      done = reverse_short_rows(dst, src, rows, bytes, short_rows[bytes]);
    const auto at = static_cast<Index>(done);
    short_rows[bytes](dst + at * dst_pitch, dst_pitch, src + at * src_pitch, src_pitch, rows - done);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    auto* to = reinterpret_cast<std::uint8_t*>(dst + static_cast<Index>(r) * dst_pitch);
    const auto* from = reinterpret_cast<const std::uint8_t*>(src + static_cast<Index>(r) * src_pitch);
    std::size_t at = 0;
    if (bytes >= long_row_bytes) {
      for (; at < line; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
      at -= reinterpret_cast<std::uintptr_t>(to) % line;
    }
    for (; at + 4 * step <= bytes; at += 4 * step) {
      const auto v0 = hn::LoadU(d, from + at);
      const auto v1 = hn::LoadU(d, from + at + step);
      const auto v2 = hn::LoadU(d, from + at + 2 * step);
      const auto v3 = hn::LoadU(d, from + at + 3 * step);
      hn::StoreU(v0, d, to + at);
      keep_store_order();
      hn::StoreU(v1, d, to + at + step);
      keep_store_order();
      hn::StoreU(v2, d, to + at + 2 * step);
      keep_store_order();
      hn::StoreU(v3, d, to + at + 3 * step);
    }
    for (; at + step <= bytes; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    if (at < bytes) hn::StoreU(hn::LoadU(d, from + bytes - step), d, to + bytes - step);
  }
}

template <std::size_t item>
void fill_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, std::size_t rows,
               std::size_t count) {
  const hn::CappedTag<std::uint8_t, store_bytes> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  const std::size_t bytes = count * item;
  if (bytes < step) {
    portable_kernels().fill_rows[log2_of<item>](dst, dst_pitch, src, src_pitch, rows, count);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    auto* to = reinterpret_cast<std::uint8_t*>(dst + static_cast<Index>(r) * dst_pitch);
    alignas(step) std::array<std::uint8_t, step> items;
    for (std::size_t i = 0; i < step; i += item)
      std::memcpy(items.data() + i, src + static_cast<Index>(r) * src_pitch, item);
    const auto v = hn::Load(d, items.data());
    std::size_t at = 0;
    for (; at + 4 * step <= bytes; at += 4 * step) {
      hn::StoreU(v, d, to + at);
      hn::StoreU(v, d, to + at + step);
      hn::StoreU(v, d, to + at + 2 * step);
      hn::StoreU(v, d, to + at + 3 * step);
    }
    for (; at + step <= bytes; at += step) hn::StoreU(v, d, to + at);
    if (at < bytes) hn::StoreU(v, d, to + bytes - step);
  }
}

#if HWY_TARGET == HWY_AVX3
/// Writes every `step`th item, step 2 to 4, by masked stores of whole vectors. Returns how many items were
/// written.
template <std::size_t item>
std::size_t fill_masked(std::byte* dst, std::size_t step, const std::byte* from, std::size_t count) {
  using T = Item<item>;
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  T value{};
  std::memcpy(&value, from, item);
  const auto v = hn::Set(d, value);
  // Of each `step` vectors, vector k begins with item k * lanes. Items whose index is a multiple of `step`
  // are written.
  std::array<decltype(hn::FirstN(d, 0)), 4> masks{};
  for (std::size_t k = 0; k < step; ++k) {
    std::array<T, lanes> remainders{};
    for (std::size_t i = 0; i < lanes; ++i) remainders[i] = static_cast<T>((k * lanes + i) % step);
    masks[k] = hn::Eq(hn::LoadU(d, remainders.data()), hn::Zero(d));
  }
  std::size_t done = 0;
  for (; done + lanes < count; done += lanes) {
    auto* const to = reinterpret_cast<T*>(dst + done * step * item);
    for (std::size_t k = 0; k < step; ++k) hn::BlendedStore(v, masks[k], d, to + k * lanes);
  }
  return done;
}
#endif

template <std::size_t item>
void fill_strided(std::byte* dst, Index stride, const std::byte* from, std::size_t count) {
  std::size_t done = 0;
#if HWY_TARGET == HWY_AVX3
  constexpr auto unit = static_cast<Index>(item);
  if constexpr (item <= 8) {
    if (stride == 2 * unit || stride == 3 * unit || stride == 4 * unit)
      done = fill_masked<item>(dst, static_cast<std::size_t>(stride / unit), from, count);
  }
#endif
  portable_kernels().fill_strided[log2_of<item>](dst + static_cast<Index>(done) * stride, stride, from,
                                                 count - done);
}

void fence() {
  hwy::FlushStream();
}

// In copy/kernels/convert_simd.cpp.
ConvertRow find_convert(DType to, DType from);
ScaleRow find_scale(DType to, DType from, Numbers numbers);
// In copy/kernels/converting_simd.cpp, copy/kernels/short_items_simd.cpp and copy/kernels/indexed_simd.cpp.
extern const ConvertingKernels converting;
extern const ShortItemKernels short_items;
extern const IndexedKernels indexed;

#include "copy/kernels/table-inl.h"

const Kernels* own_table() {
  return &table;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "copy/kernels/compiled-inl.h"

namespace tenstride::copy {
namespace {

struct Tables {
  std::array<const Kernels*, 8> best_first{};
  std::size_t count = 0;
};

/// Returns the tables that this processor can run. Highway's own dispatch would need its library at run time.
Tables find_tables() {
  Tables tables;
  using Table = const Kernels* (*)();
  for (const Compiled<Table>& own : std::initializer_list<Compiled<Table>>{TENSTRIDE_COMPILED(own_table)}) {
    const auto needed = own.kernels == "avx512" ? InstructionSet::avx512 : InstructionSet::avx2;
    if (detail::available_instructions() >= needed) tables.best_first[tables.count++] = own.function();
  }
  tables.best_first[tables.count++] = &portable_kernels();
  return tables;
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const Tables tables = find_tables();
  return {tables.best_first.data(), tables.count};
}

const Kernels& kernels() {
  static const Kernels& chosen = []() -> const Kernels& {
    const std::string_view wanted = name(Machine::here().instructions);
    for (const Kernels* table : available_kernels()) {
      if (wanted == table->name) return *table;
    }
    return *available_kernels().front();
  }();
  return chosen;
}

}  // namespace tenstride::copy
#endif  // HWY_ONCE
