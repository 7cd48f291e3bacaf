// SPDX-License-Identifier: Apache-2.0
// Turning long rows straight to memory with a conversion, included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_CONVERTED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_CONVERTED_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_CONVERTED_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_CONVERTED_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "copy/convert/convert-inl.h"
#include "copy/convert/types-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_stores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// A line of results in registers, of elements in the L1 cache: through float.
template <class To, class From>
struct LineOf {
  static HWY_INLINE void write(std::byte* out, const std::byte* in) {
    const hn::FixedTag<float, widest / 4> d;
    const hn::FixedTag<Bits<To>, widest / sizeof(To)> whole;
    constexpr std::size_t in_vector = widest / sizeof(To);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 64 / widest; ++k) {
      const auto results = convert_whole<To, FromFloats<To>>([&](std::size_t p) HWY_ATTR {
        const std::byte* const from = in + (k * in_vector + p * (widest / 4)) * sizeof(From);
        return ToFloats<From>::run(d, reinterpret_cast<const Bits<From>*>(from));
      });
      hn::Stream(results, whole, reinterpret_cast<Bits<To>*>(out + k * widest));
    }
  }
};

/// Doubles to floats.
template <>
struct LineOf<float, double> {
  static HWY_INLINE void write(std::byte* out, const std::byte* in) {
    const hn::FixedTag<double, widest / 8> d;
    const hn::FixedTag<float, widest / 4> whole;
    const hn::Half<decltype(whole)> half;
    const auto* from = reinterpret_cast<const double*>(in);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 64 / sizeof(float); k += widest / 4) {
      const auto low = hn::DemoteTo(half, hn::Load(d, from + k));
      const auto high = hn::DemoteTo(half, hn::Load(d, from + k + widest / 8));
      hn::Stream(hn::Combine(whole, high, low), whole, reinterpret_cast<float*>(out) + k);
    }
  }
};

/// The lower halves.
template <>
struct LineOf<std::int32_t, std::int64_t> {
  static HWY_INLINE void write(std::byte* out, const std::byte* in) {
    const hn::FixedTag<std::int32_t, widest / 4> d;
    const auto* from = reinterpret_cast<const std::int32_t*>(in);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 64 / sizeof(std::int32_t); k += widest / 4) {
      const auto low = hn::Load(d, from + 2 * k);
      const auto high = hn::Load(d, from + 2 * k + widest / 4);
      hn::Stream(hn::ConcatEven(d, high, low), d, reinterpret_cast<std::int32_t*>(out) + k);
    }
  }
};

/// Turned columns on their way past the cache, converted line by line. See Outgoing.
template <class To, class From, std::size_t bytes>
struct OutgoingConverted {
  std::byte* dst = nullptr;
  std::ptrdiff_t dst_pitch = 0;
  const std::byte* src = nullptr;

  static constexpr std::size_t in_line = 64 / sizeof(To) * sizeof(From);  // bytes of the source
  static constexpr std::size_t lines = bytes / in_line;                   // of a column

  HWY_INLINE void write(std::size_t i) const {
    const std::size_t column = i / lines;
    const std::size_t line = i % lines;
    LineOf<To, From>::write(dst + static_cast<std::ptrdiff_t>(column) * dst_pitch + line * 64,
                            src + column * bytes + line * in_line);
  }
};

/// As PageTurner does: columns of `bytes` of the source.
template <class To, class From, std::size_t bytes>
void transpose_converted(const Along& along) {
  constexpr std::size_t item = sizeof(From);
  constexpr std::size_t line = 64;
  constexpr std::size_t columns = line / item;
  constexpr std::size_t group = widest / item;
  constexpr std::size_t count = bytes / item;  // rows: as many lines are asked for
  constexpr std::size_t turns = Asked<count>::turns;
  constexpr std::size_t page_lines = Along::page_lines;
  using Columns = OutgoingConverted<To, From, bytes>;
  constexpr std::size_t results = columns * Columns::lines;
  constexpr std::size_t calls = count / group * (line / widest) * calls_in_square<item, widest>;
  constexpr std::size_t pace = (results + calls - 1) / calls;
  constexpr std::size_t prefetch_pace = (count + calls - 1) / calls;
  alignas(line) std::byte buffers[2 * columns * bytes];
  const std::byte* rows[count];
  const std::byte* next[count];
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = along.rows[r];
    next[r] = along.next[r];
  }
  Columns outgoing;
  outgoing.dst_pitch = along.dst_pitch;
  std::size_t written = results;  // nothing is on its way yet
  for (std::size_t l = 0; l < along.lines; ++l) {
    const std::size_t page = l / page_lines * page_lines;
    const bool is_last = page + page_lines >= along.lines;
    const std::size_t in_turn = along.prefetches_by_rows ? 1 : turns;
    const std::size_t prefetched_lines = (l - page) * (count / in_turn);
    Asked<count> lines;
    lines.is_by_rows = along.prefetches_by_rows;
    lines.rows = (is_last ? next : rows) + prefetched_lines / page_lines * in_turn;
    lines.at = ((is_last ? 0 : page + page_lines) + prefetched_lines % page_lines) * line;
    std::byte* const buffer = buffers + l % 2 * columns * bytes;
    std::size_t asked = 0;
    const auto between = [&]() HWY_ATTR {
      for (const std::size_t end = std::min(asked + prefetch_pace, count); asked < end; ++asked)
        lines.ask(asked);
      for (const std::size_t end = std::min(written + pace, results); written < end; ++written)
        outgoing.write(written);
    };
    for (std::size_t r = 0; r < count; r += group) {
      for (std::size_t part = 0; part < line; part += widest) {
        transpose_square<item, widest>(buffer + part / item * bytes + r * item, bytes, rows + r,
                                       l * line + part, between);
      }
    }
    for (; written < results; ++written) outgoing.write(written);
    outgoing.dst = along.dst + static_cast<std::ptrdiff_t>(l * columns) * along.dst_pitch;
    outgoing.src = buffer;
    written = 0;
  }
  for (; written < results; ++written) outgoing.write(written);
}

/// Columns of two lines on the narrower side, of no more than 64 rows where they become shorter: pieces that
/// memory takes as well as a run (bytes to floats .83-.85 of a plain copy, by twice as many rows .44-.48;
/// floats to bytes .58, by 128 rows .34-.41).
template <class To, class From>
ConvertingKernels::Transpose transpose_of() {
  constexpr std::size_t rows =
      sizeof(From) <= sizeof(To) ? 128 / sizeof(From) : std::min<std::size_t>(64, 128 / sizeof(To));
  return {transpose_converted<To, From, rows * sizeof(From)>, rows * sizeof(To)};
}

inline ConvertingKernels::Transpose find_transpose_converted(DType to, DType from) {
  if (to == DType::float32) {
    if (from == DType::uint8) return transpose_of<float, std::uint8_t>();
    if (from == DType::bfloat16) return transpose_of<float, bfloat16>();
    if (from == DType::float64) return transpose_of<float, double>();
  }
  if (from == DType::float32) {
    if (to == DType::uint8) return transpose_of<std::uint8_t, float>();
    if (to == DType::bfloat16) return transpose_of<bfloat16, float>();
  }
  if (to == DType::int32 && from == DType::int64) return transpose_of<std::int32_t, std::int64_t>();
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if (to == DType::float32 && from == DType::float16) return transpose_of<float, float16>();
  if (to == DType::float16 && from == DType::float32) return transpose_of<float16, float>();
#endif
  return {};
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
