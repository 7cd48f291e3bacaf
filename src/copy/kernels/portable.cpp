// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "copy/kernels/kernels.hpp"

namespace tenstride::copy {
namespace {

template <std::size_t item>
void transpose(std::byte* out, std::size_t out_pitch, const SourceRows& in, std::size_t rows,
               std::size_t cols, StoreQueue& /*queue*/) {
  for (std::size_t c = 0; c < cols; ++c) {
    std::byte* to = out + c * out_pitch;
    for (std::size_t r = 0; r < rows; ++r) std::memcpy(to + r * item, in[r] + c * item, item);
  }
}

template <std::size_t item>
void transpose_panel(const TransposePanel& panel) {
  constexpr std::size_t bytes = TransposePanel::column_bytes;
  for (std::size_t c = 0; c < panel.lines * 64 / item + panel.tail_columns; ++c) {
    std::byte column[64 + bytes];
    for (std::size_t r = 0; r < bytes / item; ++r) {
      std::memcpy(column + 64 + r * item, panel.rows[std::min(r, panel.row_count - 1)] + c * item, item);
    }
    std::byte* const to = panel.column(c);
    std::size_t shift = 0;
    if (panel.partial_lines != nullptr) {
      std::memcpy(column, panel.partial_lines + c * 64, 64);
      std::memcpy(panel.partial_lines + c * 64, column + bytes, 64);
      shift = reinterpret_cast<std::uintptr_t>(to) % 64;
    }
    const std::size_t from = panel.is_first ? 64 : 64 - shift;
    const std::size_t end = panel.is_last ? 64 + panel.row_count * item : 64 - shift + bytes;
    std::memcpy(to + from - 64, column + from, end - from);
  }
}

template <std::size_t item>
void gather(std::byte* out, const std::byte* in, Index stride, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(out + i * item, in + static_cast<Index>(i) * stride, item);
  }
}

template <std::size_t item>
std::size_t gather_lines(std::byte* /*dst*/, const std::byte* /*src*/, Index /*stride*/,
                         std::size_t /*count*/, MemoryStreams /*streams*/) {
  return 0;
}

template <std::size_t item>
void deinterleave(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                  std::size_t count, const std::byte* /*next*/) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      std::memcpy(out + c * pitch + i * item, in + (i * channels + c) * item, item);
    }
  }
}

template <std::size_t item>
void deinterleave_lines(std::byte* out, std::size_t pitch, const std::byte* in, std::size_t channels,
                        std::size_t count) {
  deinterleave<item>(out, pitch, in, channels, count, nullptr);
}

template <std::size_t item>
void interleave(std::byte* out, const std::byte* in, Index pitch, std::size_t channels, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      std::memcpy(out + (i * channels + c) * item, in + static_cast<Index>(c) * pitch + i * item, item);
    }
  }
}

void stream(StoreQueue& queue) {
  while (queue.lines_left > 0 || queue.next_row()) {
    std::memcpy(queue.next_dst, queue.next_src, queue.lines_left * 64);
    queue.lines_left = 0;
  }
}

void stream_run(std::byte* dst, const std::byte* src, std::size_t bytes, MemoryStreams /*streams*/) {
  std::memcpy(dst, src, bytes);
}

template <std::size_t item>
void fill_strided(std::byte* dst, Index stride, const std::byte* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(dst + static_cast<Index>(i) * stride, from, item);
}

void stream_line(std::byte* dst, const std::byte* line, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) std::memcpy(dst + at, line, 64);
}

void copy_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, std::size_t rows,
               std::size_t bytes) {
  for (std::size_t r = 0; r < rows; ++r) {
    std::memcpy(dst + static_cast<Index>(r) * dst_pitch, src + static_cast<Index>(r) * src_pitch, bytes);
  }
}

template <std::size_t item>
void fill_rows(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, std::size_t rows,
               std::size_t count) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(dst + static_cast<Index>(r) * dst_pitch + i * item, src + static_cast<Index>(r) * src_pitch,
                  item);
    }
  }
}

void fence() {}

template <Numbers numbers>
void scale_floats(std::byte* out, const std::byte* in, std::size_t count, const float* scale,
                  const float* shift, Stores /*stores*/) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = numbers == Numbers::one ? 0 : i;
    float value = 0;
    std::memcpy(&value, in + i * sizeof(value), sizeof(value));
    value *= scale[at];
    value += shift[at];
    std::memcpy(out + i * sizeof(value), &value, sizeof(value));
  }
}

ScaleRow find_scale(DType to, DType from, Numbers numbers) {
  if (to != DType::float32 || from != DType::float32) return nullptr;
  return numbers == Numbers::one ? scale_floats<Numbers::one> : scale_floats<Numbers::each>;
}

ConvertingKernels::Deinterleave no_deinterleave(DType /*to*/, DType /*from*/, std::size_t /*channels*/,
                                                Arithmetic /*arithmetic*/) {
  return nullptr;
}

ConvertingKernels::Interleave no_interleave(DType /*to*/, DType /*from*/, std::size_t /*channels*/,
                                            Arithmetic /*arithmetic*/) {
  return nullptr;
}

ConvertingKernels::Transpose no_transpose(DType /*to*/, DType /*from*/) {
  return {};
}

template <std::size_t item>
void interleave_lines(std::byte* out, const std::byte* in, Index pitch, std::size_t channels,
                      std::size_t count, MemoryStreams /*streams*/) {
  interleave<item>(out, in, pitch, channels, count);
}

constexpr ConvertingKernels converting{
    .deinterleave = no_deinterleave, .interleave = no_interleave, .transpose = no_transpose};

void repeat(std::byte* out, const std::byte* in, Index pitch, std::size_t bytes, std::size_t times,
            std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, in += pitch) {
    for (std::size_t t = 0; t < times; ++t, out += bytes) std::memcpy(out, in, bytes);
  }
}

std::size_t repeat_lines(std::byte*, Index, std::size_t, const std::byte*, std::size_t, std::size_t,
                         std::size_t) {
  return 0;
}

void stream_alternating(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                        std::size_t rows, std::size_t bytes) {
  for (; rows > 0; --rows, dst += dst_pitch, src += src_pitch) {
    const std::size_t head = std::min((0 - reinterpret_cast<std::uintptr_t>(dst)) % 64, bytes);
    std::memcpy(dst + head, src + head, (bytes - head) / 64 * 64);
  }
}

void stream_partial_rows(const PartialRows& rows) {
  constexpr std::size_t line = 64;
  std::byte* dst = rows.dst;
  const std::byte* src = rows.src;
  std::byte* partial_line = rows.partial_lines;
  for (std::size_t r = 0; r < rows.rows; ++r, dst += rows.dst_pitch, src += rows.src_pitch) {
    const std::size_t before = reinterpret_cast<std::uintptr_t>(dst) % line;
    const std::size_t tail = (before + rows.bytes) % line;
    if (before != 0 && !rows.is_first) std::memcpy(dst - before, partial_line, before);
    std::memcpy(dst, src, rows.is_last ? rows.bytes : rows.bytes - tail);
    if (tail != 0 && !rows.is_last) std::memcpy(partial_line, src + (rows.bytes - tail), tail);
    if (partial_line != nullptr) partial_line += PartialRows::pitch;
  }
}

constexpr ShortItemKernels short_items{.repeat = repeat, .repeat_lines = repeat_lines};

template <std::size_t item>
void transpose_indexed(std::byte* dst, const std::byte* src, const IndexedTile& tile) {
  for (std::size_t c = 0; c < tile.column_count; ++c) {
    for (std::size_t r = 0; r < tile.row_count; ++r)
      std::memcpy(dst + tile.columns[c] + r * item, src + tile.rows[r] + c * item, item);
  }
}

template <std::size_t item>
void transpose_pitched(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch,
                       std::size_t rows, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c, dst += dst_pitch, src += item) {
    const std::byte* from = src;
    for (std::size_t r = 0; r < rows; ++r, from += src_pitch) std::memcpy(dst + r * item, from, item);
  }
}

void transpose_short(std::byte* dst, Index dst_pitch, const std::byte* src, Index src_pitch, std::size_t rows,
                     std::size_t columns, std::size_t item) {
  for (std::size_t c = 0; c < columns; ++c, dst += dst_pitch, src += item)
    copy_rows(dst, static_cast<Index>(item), src, src_pitch, rows, item);
}

constexpr IndexedKernels indexed{.transpose = TENSTRIDE_ITEMS(transpose_indexed),
                                 .transpose_pitched = TENSTRIDE_ITEMS(transpose_pitched),
                                 .transpose_short = transpose_short,
                                 .overlapping_rows = copy_rows,
                                 .line_rows = copy_rows};

constexpr auto find_convert = portable_convert;

#define TENSTRIDE_TARGET_NAME "portable"
#include "copy/kernels/table-inl.h"

}  // namespace

const Kernels& portable_kernels() {
  return table;
}

}  // namespace tenstride::copy
