// SPDX-License-Identifier: Apache-2.0
// The leaves over Highway: this file is compiled once for each instruction set, in a namespace of its own.

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

#include "copy/convert/convert-inl.h"
#include "copy/kernels/channels-inl.h"
#include "copy/kernels/channels_streamed-inl.h"
#include "copy/kernels/gather-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_long_rows-inl.h"
#include "plan/machine_kept.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

void stream(StoreQueue& queue) {
  StoreQueue rest = queue;  // a copy, which no store can change
  pump(rest, rest.lines());
  queue = rest;
}

HWY_INLINE void stream_from(const std::byte* src, std::byte* dst) {
  const hn::CappedTag<std::uint8_t, 64> d;
  for (std::size_t part = 0; part < 64; part += hn::MaxLanes(d)) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(src) + part), d,
               reinterpret_cast<std::uint8_t*>(dst) + part);
  }
}

/// So many pages in turn.
template <std::size_t pages>
void stream_pages(std::byte* dst, const std::byte* src, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t page = 4096;
  std::size_t done = 0;
  for (; done + pages * page <= bytes; done += pages * page) {
    for (std::size_t at = done; at < done + page; at += line) {
      for (std::size_t k = 0; k < pages; ++k) stream_from(src + at + k * page, dst + at + k * page);
    }
  }
  for (; done < bytes; done += line) stream_from(src + done, dst + done);
}

/// Of four pages four banks of the memory work at once, where that is faster.
void stream_run(std::byte* dst, const std::byte* src, std::size_t bytes, MemoryStreams streams) {
  streams == MemoryStreams::one ? stream_pages<1>(dst, src, bytes) : stream_pages<4>(dst, src, bytes);
}

/// Rows of the source are so many streams, and their places as many banks of the memory: by 128 bytes of four
/// rows, with what lies 1 KiB ahead asked for across a row's end, rows of 28 KiB have .99-1.02 of a plain
/// copy; row by row four pages in turn .74-.80, in order .82, four rows without asking .95.
void stream_alternating(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src,
                        std::ptrdiff_t src_pitch, std::size_t rows, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t piece = 128;
  constexpr std::size_t distance = 1024;
  std::array<std::byte*, Kernels::max_alternating> to;
  std::array<const std::byte*, Kernels::max_alternating> from;
  std::array<std::size_t, Kernels::max_alternating> whole;
  std::size_t common = bytes;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto step = static_cast<std::ptrdiff_t>(r);
    to[r] = dst + step * dst_pitch;
    const std::size_t head = std::min((0 - reinterpret_cast<std::uintptr_t>(to[r])) % line, bytes);
    to[r] += head;
    from[r] = src + step * src_pitch + head;
    whole[r] = (bytes - head) / line * line;
    common = std::min(common, whole[r]);
  }
  common -= common % piece;
  const std::ptrdiff_t next =
      static_cast<std::ptrdiff_t>(rows) * src_pitch - static_cast<std::ptrdiff_t>(bytes);
  for (std::size_t at = 0; at < common; at += piece) {
    const std::ptrdiff_t ask =
        static_cast<std::ptrdiff_t>(at + distance) + (at + distance < common ? 0 : next);
    for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
      for (std::size_t part = at; part < at + piece; part += line) {
        __builtin_prefetch(from[r] + ask + static_cast<std::ptrdiff_t>(part - at), 0, 3);
        stream_from(from[r] + part, to[r] + part);
      }
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t at = common; at < whole[r]; at += line) stream_from(from[r] + at, to[r] + at);
  }
}

HWY_INLINE void copy_line(const std::byte* src, std::byte* dst) {
  const hn::CappedTag<std::uint8_t, 64> d;
  for (std::size_t part = 0; part < 64; part += hn::MaxLanes(d)) {
    hn::StoreU(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(src) + part), d,
               reinterpret_cast<std::uint8_t*>(dst) + part);
  }
}

/// The last `bytes` bytes before `end` to the beginning of a line; what the line holds behind them is of no
/// meaning. With masks no store crosses a line: rows of 129 bytes at .84 of a plain copy in place of .64.
HWY_INLINE void keep_tail(const std::byte* end, std::size_t bytes, std::byte* line) {
#if HWY_TARGET <= HWY_AVX3
  const hn::FixedTag<std::uint8_t, 64> d;
  hn::Store(hn::MaskedLoad(hn::FirstN(d, bytes), d, reinterpret_cast<const std::uint8_t*>(end - bytes)), d,
            reinterpret_cast<std::uint8_t*>(line));
#else
  copy_line(end - 64, line + bytes - 64);
#endif
}

/// The ends of rows are moved by whole lines of the row, so that nothing depends on how long these ends are.
void stream_partial_rows(const PartialRows& all) {
  constexpr std::size_t line = 64;
  const PartialRows rows = all;  // a copy, which no store can change
  std::byte* dst = rows.dst;
  const std::byte* src = rows.src;
  std::byte* carried = rows.lines;
  for (std::size_t r = 0; r < rows.rows; ++r, dst += rows.dst_pitch, src += rows.src_pitch) {
    const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(dst)) % line;
    if (head != 0) {
      if (rows.is_first) {
        std::memcpy(dst, src, head);
      } else {
        copy_line(src, carried + (line - head));
        stream_from(carried, dst + head - line);
      }
    }
    std::size_t at = head;
    for (; at + line <= rows.bytes; at += line) stream_from(src + at, dst + at);
    if (const std::size_t tail = rows.bytes - at; tail != 0) {
      if (rows.is_last) {
        std::memcpy(dst + at, src + at, tail);
      } else {
        keep_tail(src + rows.bytes, tail, carried);
      }
    }
    if (carried != nullptr) carried += PartialRows::pitch;
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

/// Rows of a length that the compiler knows: a few moves each, where a call of memcpy would take longer than
/// the bytes (pixels of 3 bytes flipped).
template <std::size_t bytes>
void copy_short_rows(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src, std::ptrdiff_t src_pitch,
                     std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r, dst += dst_pitch, src += src_pitch) std::memcpy(dst, src, bytes);
}

using CopyShortRows = void (*)(std::byte*, std::ptrdiff_t, const std::byte*, std::ptrdiff_t, std::size_t);

template <std::size_t... bytes>
constexpr std::array<CopyShortRows, sizeof...(bytes)> short_rows_table(std::index_sequence<bytes...>) {
  return {copy_short_rows<bytes>...};
}

/// Where the bytes of as many rows as 16 bytes hold come from, backwards, by the length of a row.
constexpr auto reversed_orders = [] {
  std::array<std::array<std::uint8_t, 16>, 9> orders{};
  for (std::size_t bytes = 1; bytes < orders.size(); ++bytes) {
    const std::size_t rows = 16 / bytes;
    for (std::size_t i = 0; i < rows * bytes; ++i)
      orders[bytes][i] = static_cast<std::uint8_t>((rows - 1 - i / bytes) * bytes + i % bytes);
  }
  return orders;
}();

/// Short rows backwards, one after another in the destination: pixels flipped. As many at once as 16 bytes
/// hold; what is written too much the next ones write over. How many rows these were.
std::size_t reverse_short_rows(std::byte* dst, const std::byte* src, std::size_t rows, std::size_t bytes,
                               CopyShortRows copy_some) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const std::size_t at_once = 16 / bytes;
  const std::size_t step = at_once * bytes;
  const auto indices = hn::LoadU(d, reversed_orders[bytes].data());
  // The first rows lie at the end of what may be read, the last ones at the end of what may be written.
  const std::size_t margin = (16 + bytes - 1) / bytes;
  if (rows < 2 * margin) return 0;
  const auto pitch = static_cast<std::ptrdiff_t>(bytes);
  copy_some(dst, pitch, src, -pitch, margin);
  std::size_t r = margin;
  for (; r + at_once + margin <= rows; r += at_once) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(src - (r + at_once - 1) * bytes);
    hn::StoreU(hn::TableLookupBytes(hn::LoadU(d, from), indices), d,
               reinterpret_cast<std::uint8_t*>(dst + r * bytes));
  }
  return r;
}

/// Nothing to the processor: the compiler leaves stores on either side of it in their order. Where it turned
/// them round, so that lines were written by turns, what lies in the L2 cache was copied at half the speed.
inline void line_by_line() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// By stores of `store_bytes`, in the cache and outside of it; long rows from the first line of the
/// destination on, so that no store crosses one.
void copy_rows(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src, std::ptrdiff_t src_pitch,
               std::size_t rows, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, store_bytes> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  constexpr std::size_t line = 64;
  constexpr std::size_t long_row = 512;
  static constexpr auto short_rows = short_rows_table(std::make_index_sequence<step>());
  if (bytes < step) {
    const auto pitch = static_cast<std::ptrdiff_t>(bytes);
    std::size_t done = 0;
    if (bytes > 0 && bytes < reversed_orders.size() && dst_pitch == pitch && src_pitch == -pitch)
      done = reverse_short_rows(dst, src, rows, bytes, short_rows[bytes]);
    const auto at = static_cast<std::ptrdiff_t>(done);
    short_rows[bytes](dst + at * dst_pitch, dst_pitch, src + at * src_pitch, src_pitch, rows - done);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    auto* to = reinterpret_cast<std::uint8_t*>(dst + static_cast<std::ptrdiff_t>(r) * dst_pitch);
    const auto* from =
        reinterpret_cast<const std::uint8_t*>(src + static_cast<std::ptrdiff_t>(r) * src_pitch);
    std::size_t at = 0;
    if (bytes >= long_row) {
      for (; at < line; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
      at -= reinterpret_cast<std::uintptr_t>(to) % line;
    }
    for (; at + 4 * step <= bytes; at += 4 * step) {
      const auto v0 = hn::LoadU(d, from + at);
      const auto v1 = hn::LoadU(d, from + at + step);
      const auto v2 = hn::LoadU(d, from + at + 2 * step);
      const auto v3 = hn::LoadU(d, from + at + 3 * step);
      hn::StoreU(v0, d, to + at);
      line_by_line();
      hn::StoreU(v1, d, to + at + step);
      line_by_line();
      hn::StoreU(v2, d, to + at + 2 * step);
      line_by_line();
      hn::StoreU(v3, d, to + at + 3 * step);
    }
    for (; at + step <= bytes; at += step) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    if (at < bytes) hn::StoreU(hn::LoadU(d, from + bytes - step), d, to + bytes - step);
  }
}

template <std::size_t item>
void fill_rows(std::byte* dst, std::ptrdiff_t dst_pitch, const std::byte* src, std::ptrdiff_t src_pitch,
               std::size_t rows, std::size_t count) {
  const hn::CappedTag<std::uint8_t, store_bytes> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  const std::size_t bytes = count * item;
  if (bytes < step) {
    portable_kernels().fill_rows[log2_of<item>](dst, dst_pitch, src, src_pitch, rows, count);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    auto* to = reinterpret_cast<std::uint8_t*>(dst + static_cast<std::ptrdiff_t>(r) * dst_pitch);
    alignas(step) std::array<std::uint8_t, step> items;
    for (std::size_t i = 0; i < step; i += item)
      std::memcpy(items.data() + i, src + static_cast<std::ptrdiff_t>(r) * src_pitch, item);
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
/// Every `apart`th item, 2 to 4, by stores of whole vectors of which only the wanted items are written. How
/// many items these were.
template <std::size_t item>
std::size_t fill_masked(std::byte* dst, std::size_t apart, const std::byte* from, std::size_t count) {
  using T = Item<item>;
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  T value{};
  std::memcpy(&value, from, item);
  const auto v = hn::Set(d, value);
  // Vector k of every `apart` begins with item k * lanes, of which the multiples of `apart` are wanted.
  std::array<decltype(hn::FirstN(d, 0)), 4> masks{};
  for (std::size_t k = 0; k < apart; ++k) {
    std::array<T, lanes> rest{};
    for (std::size_t i = 0; i < lanes; ++i) rest[i] = static_cast<T>((k * lanes + i) % apart);
    masks[k] = hn::Eq(hn::LoadU(d, rest.data()), hn::Zero(d));
  }
  std::size_t done = 0;
  for (; done + lanes < count; done += lanes) {
    auto* const to = reinterpret_cast<T*>(dst + done * apart * item);
    for (std::size_t k = 0; k < apart; ++k) hn::BlendedStore(v, masks[k], d, to + k * lanes);
  }
  return done;
}
#endif

template <std::size_t item>
void fill_strided(std::byte* dst, std::ptrdiff_t stride, const std::byte* from, std::size_t count) {
  std::size_t done = 0;
#if HWY_TARGET == HWY_AVX3
  constexpr auto unit = static_cast<std::ptrdiff_t>(item);
  if constexpr (item <= 8) {
    if (stride == 2 * unit || stride == 3 * unit || stride == 4 * unit)
      done = fill_masked<item>(dst, static_cast<std::size_t>(stride / unit), from, count);
  }
#endif
  portable_kernels().fill_strided[log2_of<item>](dst + static_cast<std::ptrdiff_t>(done) * stride, stride,
                                                 from, count - done);
}

void fence() {
  hwy::FlushStream();
}

// In copy/kernels/converting_simd.cpp, copy/kernels/short_items_simd.cpp and copy/kernels/indexed_simd.cpp.
extern const ConvertingKernels converting;
extern const ShortItemKernels short_items;
extern const IndexedKernels indexed;

constexpr Kernels table{
    .name = hwy_target_name,
    .transpose = {transpose<1>, transpose<2>, transpose<4>, transpose<8>, transpose<16>},
    .transpose_along = {transpose_along<1>, transpose_along<2>, transpose_along<4>, transpose_along<8>,
                        transpose_along<16>},
    .gather = {gather<1>, gather<2>, gather<4>, gather<8>, gather16},
    .gather_lines = {gather_lines<1>, gather_lines<2>, gather_lines<4>, gather_lines<8>, no_lines},
    .deinterleave = {deinterleave<1>, deinterleave<2>, deinterleave<4>, deinterleave<8>, deinterleave<16>},
    .interleave = {interleave<1>, interleave<2>, interleave<4>, interleave<8>, interleave<16>},
    .stream = stream,
    .stream_run = stream_run,
    .copy_rows = copy_rows,
    .fill_rows = {fill_rows<1>, fill_rows<2>, fill_rows<4>, fill_rows<8>, fill_rows<16>},
    .fence = fence,
    .convert = find_convert,
    .scale = find_scale,
    .stream_line = stream_line,
    .fill_strided = {fill_strided<1>, fill_strided<2>, fill_strided<4>, fill_strided<8>, fill_strided<16>},
    .deinterleave_lines = {deinterleave_lines<1>, deinterleave_lines<2>, deinterleave_lines<4>,
                           deinterleave_lines<8>, deinterleave_lines<16>},
    .interleave_lines = {interleave_lines<1>, interleave_lines<2>, interleave_lines<4>, interleave_lines<8>,
                         interleave_lines<16>},
    .converting = &converting,
    .short_items = &short_items,
    .indexed = &indexed,
    .stream_alternating = stream_alternating,
    .stream_partial_rows = stream_partial_rows,
};

const Kernels* best_table() {
  return &table;
}

#else

const Kernels* best_table() {
  return &portable_kernels();
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenstride::copy {
namespace {

struct Tables {
  std::array<const Kernels*, 8> best_first{};
  std::size_t count = 0;

  void add(bool runs_here, const Kernels* table) {
    if (runs_here && table != &portable_kernels()) best_first[count++] = table;
  }
};

/// Highway's own dispatch would do the same, but would need its library at run time.
Tables find_tables() {
  Tables tables;
  const InstructionSet here = detail::available_instructions();
#if HWY_ARCH_X86
#if HWY_TARGETS & HWY_AVX3
  tables.add(here >= InstructionSet::avx512, N_AVX3::best_table());
#endif
#if HWY_TARGETS & HWY_AVX2
  tables.add(here >= InstructionSet::avx2, N_AVX2::best_table());
#endif
#if HWY_TARGETS & HWY_SSSE3
  tables.add(here >= InstructionSet::ssse3, N_SSSE3::best_table());
#endif
#else
  tables.add(here > InstructionSet::portable, HWY_STATIC_DISPATCH(best_table)());
#endif
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
