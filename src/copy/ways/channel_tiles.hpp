// SPDX-License-Identifier: Apache-2.0
// Short axes by streaming stores: channels are interleaved or deinterleaved by whole lines of the
// destination, with a conversion where the plan has one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "copy/sink.hpp"
#include "copy/ways/tiling.hpp"

namespace tenstride::copy {

/// Copies tiles whose channels are streamed from registers. One for each thread.
class ChannelTiles {
 public:
  using Size = std::size_t;

  /// `first` and `second` are scratch memory of at least `scratch_bytes`, aligned to cache lines.
  ChannelTiles(const Tiling& tiling, Sink& sink, std::byte* first, std::byte* second)
      : bound_(tiling.bound),
        tiling_(tiling),
        way_(tiling.way),
        sink_(sink),
        item_(bound_.src_item),
        first_(first),
        second_(second) {
    if (way_.method == TileMethod::lines && way_.converts) find_converting_kernels();
  }

  /// Bytes that are interleaved at a time where they pass the sink.
  static constexpr std::size_t through_sink_bytes = 16384;
  static constexpr std::size_t scratch_bytes = 2 * through_sink_bytes;

  /// Deinterleaves a tile whose channels are whole lines of the destination.
  void deinterleave_items(const Tile& tile, const SourceRows& rows) const {
    std::byte* const dst =
        tile.dst + tile.column * tiling_.run.dst_stride + tile.first * static_cast<Index>(item_);
    bound_.kernels.deinterleave_lines[bound_.item_log2()](dst, static_cast<Size>(tiling_.run.dst_stride),
                                                          rows[0], static_cast<Size>(tile.columns),
                                                          static_cast<Size>(tile.rows()));
  }

  /// Deinterleaves a tile and converts it. Returns false, with nothing done, where no kernel has the
  /// conversion or runs are not whole lines.
  bool convert_deinterleaved(const Tile& tile, const SourceRows& rows) const {
    if (convert_deinterleaved_ == nullptr || !takes_whole_lines(tiling_, tile)) return false;
    const ChannelNumbers numbers = channel_numbers(static_cast<Size>(tile.columns), [&](Size c) {
      return scale_index(tiling_, tile, tile.first, static_cast<Index>(c));
    });
    convert_deinterleaved_(tile.dst + tile.first * static_cast<Index>(bound_.dst_item),
                           static_cast<Size>(tiling_.run.dst_stride), rows[0], static_cast<Size>(tile.rows()),
                           numbers.scale.data(), numbers.shift.data());
    return true;
  }

  /// Interleaves a tile: whole lines of pixels directly by streaming stores, pixels before and behind them
  /// through the sink.
  void interleave_items(const Tile& tile, const SourceRows& rows) {
    const Size pixel = static_cast<Size>(tile.rows()) * item_;
    const Size lane = std::max<Size>(line_bytes / item_, 1);
    const auto count = static_cast<Size>(tile.columns);
    std::byte* const dst = tile.dst + tile.column * tiling_.run.dst_stride;
    const Size before = std::min(pixels_before_line(dst, pixel), count);
    const Size whole = (count - before) / lane * lane;
    interleave_through_sink(dst, rows, pixel, 0, before);
    bound_.kernels.interleave_lines[bound_.item_log2()](dst + before * pixel, rows[0] + before * item_,
                                                        rows.pitch, pixel / item_, whole,
                                                        streams_of(way_.stores));
    interleave_through_sink(dst, rows, pixel, before + whole, count);
  }

  /// Interleaves a tile with a conversion, some pixels at a time: each channel is converted, then all are
  /// interleaved.
  void interleave_converted(const Tile& tile, const SourceRows& rows) {
    const auto channels = static_cast<Size>(tile.rows());
    const auto count = static_cast<Size>(tile.columns);
    const Size pixel = channels * bound_.dst_item;
    const Size lane = std::max<Size>(line_bytes / bound_.dst_item, 1);
    const Size max_pixels = std::min(through_sink_bytes / pixel, RowConverter::longest) / lane * lane;
    std::byte* const dst = tile.dst + tile.column * tiling_.run.dst_stride;
    const Size before = std::min(pixels_before_line(dst, pixel), count);
    const auto number = [&](Size c) { return tiling_.has_scaled_rows ? c : tile.scale_index; };
    for (Size first_pixel = 0; first_pixel < count;) {
      if (convert_interleaved_ != nullptr && first_pixel >= before && count - first_pixel >= lane) {
        const Size whole = (count - first_pixel) / lane * lane;
        const ChannelNumbers numbers = channel_numbers(channels, number);
        convert_interleaved_(dst + first_pixel * pixel, rows[0] + first_pixel * item_, rows.pitch, whole,
                             numbers.scale.data(), numbers.shift.data());
        first_pixel += whole;
        continue;
      }
      const Size part = std::min((first_pixel < before ? before : count) - first_pixel, max_pixels);
      for (Size c = 0; c < channels; ++c)
        sink_.convert(second_ + c * max_pixels * bound_.dst_item, rows[c] + first_pixel * item_, part,
                      number(c), 0);
      interleave_part(dst + first_pixel * pixel, second_, max_pixels * bound_.dst_item, channels, part,
                      first_pixel >= before);
      first_pixel += part;
    }
  }

 private:
  /// Finds the kernels that convert while they interleave or deinterleave; null where there is none.
  void find_converting_kernels() {
    const ConvertingKernels& converting = *bound_.kernels.converting;
    const RowConverter& converter = sink_.converter();
    if (!converter.is_plain()) return;
    if (way_.kernel == TileKernel::deinterleave && !tiling_.has_scaled_rows) {
      convert_deinterleaved_ =
          converting.deinterleave(bound_.conversion.dst_type, bound_.conversion.src_type,
                                  static_cast<Size>(tiling_.run.extent), converter.arithmetic());
    }
    if (way_.kernel == TileKernel::interleave && !tiling_.has_scaled_columns) {
      convert_interleaved_ =
          converting.interleave(bound_.conversion.dst_type, bound_.conversion.src_type,
                                static_cast<Size>(tiling_.inner.extent), converter.arithmetic());
    }
  }

  /// Scale and shift of each channel, for the converting kernels.
  struct ChannelNumbers {
    std::array<float, detail::max_followed_channels> scale;
    std::array<float, detail::max_followed_channels> shift;
  };

  /// The scale and shift numbers of the channels; `number(c)` is the index of channel c's.
  template <class Number>
  ChannelNumbers channel_numbers(Size channels, const Number& number) const {
    ChannelNumbers numbers;
    if (sink_.converter().arithmetic() == Arithmetic::none) return numbers;
    for (Size c = 0; c < channels; ++c) {
      numbers.scale[c] = sink_.converter().scale_number(number(c));
      numbers.shift[c] = sink_.converter().shift_number(number(c));
    }
    return numbers;
  }

  /// The number of pixels from `dst` to the first one that begins a line; more than any tile has where none
  /// does.
  static Size pixels_before_line(const std::byte* dst, Size pixel) {
    const auto address = reinterpret_cast<std::uintptr_t>(dst);
    for (Size i = 0; i < line_bytes; ++i) {
      if ((address + i * pixel) % line_bytes == 0) return i;
    }
    return std::numeric_limits<Size>::max();
  }

  /// Interleaves pixels [first, last) of a tile through the sink, as many at a time as leave room in the L1
  /// cache.
  void interleave_through_sink(std::byte* dst, const SourceRows& rows, Size pixel, Size first, Size last) {
    const Size max_pixels = through_sink_bytes / pixel;
    while (first < last) {
      const Size part = std::min(last - first, max_pixels);
      bound_.kernels.interleave[bound_.item_log2()](first_, rows[0] + first * item_, rows.pitch,
                                                    pixel / item_, part);
      sink_.write(dst + first * pixel, first_, part * pixel);
      first += part;
    }
  }

  /// Interleaves pixels of the destination's type, whole lines by streaming stores if `is_line`.
  void interleave_part(std::byte* dst, const std::byte* rows, Size pitch, Size channels, Size count,
                       bool is_line) {
    const Size item = bound_.dst_item;
    const auto log2 = static_cast<Size>(std::countr_zero(item));
    const Size lane = std::max<Size>(line_bytes / item, 1);
    const Size whole = is_line ? count / lane * lane : 0;
    const auto row_pitch = static_cast<Index>(pitch);
    bound_.kernels.interleave_lines[log2](dst, rows, row_pitch, channels, whole, streams_of(way_.stores));
    if (whole == count) return;
    bound_.kernels.interleave[log2](first_, rows + whole * item, row_pitch, channels, count - whole);
    sink_.write(dst + whole * channels * item, first_, (count - whole) * channels * item);
  }

  const Bound& bound_;
  const Tiling& tiling_;
  const Tiles& way_;
  Sink& sink_;
  Size item_;
  std::byte* first_;
  std::byte* second_;
  /// The kernels that deinterleave or interleave with a conversion; null where there is none.
  ConvertingKernels::Deinterleave convert_deinterleaved_ = nullptr;
  ConvertingKernels::Interleave convert_interleaved_ = nullptr;
};

}  // namespace tenstride::copy
