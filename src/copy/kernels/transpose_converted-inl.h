// SPDX-License-Identifier: Apache-2.0
// Transposing a panel of long rows directly to memory with a conversion, included once for each instruction
// set.
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

#include "copy/kernels/convert-inl.h"
#include "copy/kernels/convert_types-inl.h"
#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_stores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Converts the elements of one line of results, from the L1 cache, by way of float, and writes the line by
/// streaming stores.
template <class To, class From>
struct ConvertLine {
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

/// Narrows doubles to floats.
template <>
struct ConvertLine<float, double> {
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

/// Truncates int64 to int32: takes the lower halves.
template <>
struct ConvertLine<std::int32_t, std::int64_t> {
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

/// Writes the columns of a transposed tile, converted line by line, by streaming stores. See ColumnWriter.
template <class To, class From, std::size_t bytes>
struct ConvertedColumns {
  std::byte* dst = nullptr;
  Index dst_pitch = 0;
  const std::byte* src = nullptr;

  static constexpr std::size_t line_src_bytes = 64 / sizeof(To) * sizeof(From);
  static constexpr std::size_t lines = bytes / line_src_bytes;  // of a column

  HWY_INLINE void write(std::size_t i) const {
    const std::size_t column = i / lines;
    const std::size_t line = i % lines;
    ConvertLine<To, From>::write(dst + static_cast<Index>(column) * dst_pitch + line * 64,
                                 src + column * bytes + line * line_src_bytes);
  }
};

/// Transposes a panel as PanelTransposer does. `bytes` are those of a column before the conversion.
template <class To, class From, std::size_t bytes>
void transpose_converted(const TransposePanel& panel) {
  constexpr std::size_t item = sizeof(From);
  constexpr std::size_t line = 64;
  constexpr std::size_t columns = line / item;
  constexpr std::size_t group = widest / item;
  constexpr std::size_t count = bytes / item;  // rows, and prefetched lines of a tile
  constexpr std::size_t alternating_rows = BlockPrefetch<count>::alternating_rows;
  constexpr std::size_t block_lines = TransposePanel::block_lines;
  using Columns = ConvertedColumns<To, From, bytes>;
  constexpr std::size_t results = columns * Columns::lines;
  constexpr std::size_t calls = count / group * (line / widest) * calls_in_square<item, widest>;
  constexpr std::size_t pace = (results + calls - 1) / calls;
  constexpr std::size_t prefetch_pace = (count + calls - 1) / calls;
  alignas(line) std::byte buffers[2 * columns * bytes];
  const std::byte* rows[count];
  const std::byte* next[count];
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = panel.rows[r];
    next[r] = panel.next_rows[r];
  }
  Columns writer;
  writer.dst_pitch = panel.dst_pitch;
  std::size_t written = results;  // of the tile before the first one nothing remains to be written
  for (std::size_t l = 0; l < panel.lines; ++l) {
    const std::size_t block = l / block_lines * block_lines;
    const bool is_last = block + block_lines >= panel.lines;
    const std::size_t alternating = panel.prefetches_sequentially ? 1 : alternating_rows;
    const std::size_t prefetched_lines = (l - block) * (count / alternating);
    BlockPrefetch<count> lines;
    lines.is_sequential = panel.prefetches_sequentially;
    lines.rows = (is_last ? next : rows) + prefetched_lines / block_lines * alternating;
    lines.at = ((is_last ? 0 : block + block_lines) + prefetched_lines % block_lines) * line;
    std::byte* const buffer = buffers + l % 2 * columns * bytes;
    std::size_t prefetched = 0;
    const auto between = [&]() HWY_ATTR {
      for (const std::size_t end = std::min(prefetched + prefetch_pace, count); prefetched < end;
           ++prefetched)
        lines.prefetch(prefetched);
      for (const std::size_t end = std::min(written + pace, results); written < end; ++written)
        writer.write(written);
    };
    for (std::size_t r = 0; r < count; r += group) {
      for (std::size_t part = 0; part < line; part += widest) {
        transpose_square<item, widest>(buffer + part / item * bytes + r * item, bytes, rows + r,
                                       l * line + part, between);
      }
    }
    for (; written < results; ++written) writer.write(written);
    writer.dst = panel.dst + static_cast<Index>(l * columns) * panel.dst_pitch;
    writer.src = buffer;
    written = 0;
  }
  for (; written < results; ++written) writer.write(written);
}

/// Returns the kernel for panels of `converted_panel_rows` rows.
template <class To, class From>
ConvertingKernels::Transpose transpose_of() {
  constexpr std::size_t rows = detail::converted_panel_rows(sizeof(To), sizeof(From));
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
