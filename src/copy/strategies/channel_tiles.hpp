// SPDX-License-Identifier: Apache-2.0
// Short axes past the cache: channels taken apart or woven by whole lines of the destination, converted on
// the way where the plan asks for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "copy/sink.hpp"
#include "copy/strategies/tiling.hpp"

namespace tenstride::copy {

/// The tiles of a plan whose channels go from the registers to memory. One for each thread.
class ChannelTiles {
 public:
  using Size = std::size_t;

  /// `first` and `second` are scratch memory of at least `scratch_bytes`, each from a line's start on.
  ChannelTiles(const Walk& walk, const Tiling& tiling, Sink& sink, std::byte* first, std::byte* second)
      : walk_(walk),
        tiling_(tiling),
        plan_(walk.plan),
        sink_(sink),
        item_(walk.src_item),
        first_(first),
        second_(second) {
    if (plan_.streaming && plan_.conversion != CopyConversion::none) find_converting_leaves();
  }

  /// What is woven at a time where it goes through the sink.
  static constexpr std::size_t through_sink_bytes = 16384;
  static constexpr std::size_t scratch_bytes = 2 * through_sink_bytes;

  /// Channels whose runs are whole lines.
  void deinterleave_items(const Tile& tile, const Rows& rows) const {
    std::byte* const dst =
        tile.dst + tile.column * tiling_.run.dst_stride + tile.first * static_cast<Index>(item_);
    walk_.kernels.deinterleave_lines[walk_.item_log2()](dst, static_cast<Size>(tiling_.run.dst_stride),
                                                        rows[0], static_cast<Size>(tile.columns),
                                                        static_cast<Size>(tile.rows()));
  }

  /// The same with a conversion. False where it is not done: for what is not whole lines.
  bool convert_deinterleaved(const Tile& tile, const Rows& rows) const {
    if (convert_deinterleaved_ == nullptr || !takes_whole_lines(walk_, tiling_, tile)) return false;
    const ChannelNumbers numbers = channel_numbers(static_cast<Size>(tile.columns), [&](Size c) {
      return scale_index(tiling_, tile, tile.first, static_cast<Index>(c));
    });
    convert_deinterleaved_(tile.dst + tile.first * static_cast<Index>(walk_.dst_item),
                           static_cast<Size>(tiling_.run.dst_stride), rows[0], static_cast<Size>(tile.rows()),
                           numbers.scale.data(), numbers.shift.data());
    return true;
  }

  /// Whole lines of pixels straight past the cache, what is before and behind them through the sink.
  void interleave_items(const Tile& tile, const Rows& rows) {
    const Size pixel = static_cast<Size>(tile.rows()) * item_;
    const Size lane = std::max<Size>(line_bytes / item_, 1);
    const auto count = static_cast<Size>(tile.columns);
    std::byte* const dst = tile.dst + tile.column * tiling_.run.dst_stride;
    const Size before = std::min(pixels_before_line(dst, pixel), count);
    const Size whole = (count - before) / lane * lane;
    interleave_through_sink(dst, rows, pixel, 0, before);
    walk_.kernels.interleave_lines[walk_.item_log2()](dst + before * pixel, rows[0] + before * item_,
                                                      rows.pitch, pixel / item_, whole, plan_.streams);
    interleave_through_sink(dst, rows, pixel, before + whole, count);
  }

  /// Some pixels at a time: each channel of them converted, then woven.
  void interleave_converted(const Tile& tile, const Rows& rows) {
    const auto channels = static_cast<Size>(tile.rows());
    const auto count = static_cast<Size>(tile.columns);
    const Size pixel = channels * walk_.dst_item;
    const Size lane = std::max<Size>(line_bytes / walk_.dst_item, 1);
    const Size most = std::min(through_sink_bytes / pixel, RowConverter::longest) / lane * lane;
    std::byte* const dst = tile.dst + tile.column * tiling_.run.dst_stride;
    const Size before = std::min(pixels_before_line(dst, pixel), count);
    const auto number = [&](Size c) { return tiling_.inner.is_scaled ? c : tile.scale_index; };
    for (Size from = 0; from < count;) {
      if (convert_interleaved_ != nullptr && from >= before && count - from >= lane) {
        const Size whole = (count - from) / lane * lane;
        const ChannelNumbers numbers = channel_numbers(channels, number);
        convert_interleaved_(dst + from * pixel, rows[0] + from * item_, rows.pitch, whole,
                             numbers.scale.data(), numbers.shift.data());
        from += whole;
        continue;
      }
      const Size part = std::min((from < before ? before : count) - from, most);
      for (Size c = 0; c < channels; ++c)
        sink_.convert(second_ + c * most * walk_.dst_item, rows[c] + from * item_, part, number(c), 0);
      interleave_part(dst + from * pixel, second_, most * walk_.dst_item, channels, part, from >= before);
      from += part;
    }
  }

 private:
  /// The leaves that convert channels on the way, where there are such.
  void find_converting_leaves() {
    const ConvertingKernels& leaves = *walk_.kernels.converting;
    const RowConverter& converter = sink_.converter();
    if (!converter.is_plain()) return;
    if (plan_.kernel == CopyKernel::deinterleave && !tiling_.inner.is_scaled) {
      convert_deinterleaved_ = leaves.deinterleave(
          plan_.dst_type, plan_.src_type, static_cast<Size>(tiling_.run.extent), converter.arithmetic());
    }
    if (plan_.kernel == CopyKernel::interleave && !tiling_.has_scaled_columns) {
      convert_interleaved_ = leaves.interleave(
          plan_.dst_type, plan_.src_type, static_cast<Size>(tiling_.inner.extent), converter.arithmetic());
    }
  }

  /// Scale and shift of each channel, for these leaves.
  struct ChannelNumbers {
    std::array<float, detail::few_channels> scale;
    std::array<float, detail::few_channels> shift;
  };

  /// `number(c)` is the place of channel c's.
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

  /// So many pixels end where a line begins; where none does, more than there are in any tile.
  static Size pixels_before_line(const std::byte* dst, Size pixel) {
    const auto place = reinterpret_cast<std::uintptr_t>(dst);
    for (Size i = 0; i < line_bytes; ++i) {
      if ((place + i * pixel) % line_bytes == 0) return i;
    }
    return std::numeric_limits<Size>::max();
  }

  /// Pixels [from, to) of a tile, as much at a time as leaves room in the L1 cache.
  void interleave_through_sink(std::byte* dst, const Rows& rows, Size pixel, Size from, Size to) {
    const Size most = through_sink_bytes / pixel;
    while (from < to) {
      const Size part = std::min(to - from, most);
      walk_.kernels.interleave[walk_.item_log2()](first_, rows[0] + from * item_, rows.pitch, pixel / item_,
                                                  part);
      sink_.write(dst + from * pixel, first_, part * pixel);
      from += part;
    }
  }

  /// Pixels of the destination's type.
  void interleave_part(std::byte* dst, const std::byte* rows, Size pitch, Size channels, Size count,
                       bool is_line) {
    const Size item = walk_.dst_item;
    const auto log2 = static_cast<Size>(std::countr_zero(item));
    const Size lane = std::max<Size>(line_bytes / item, 1);
    const Size whole = is_line ? count / lane * lane : 0;
    const auto row_pitch = static_cast<std::ptrdiff_t>(pitch);
    walk_.kernels.interleave_lines[log2](dst, rows, row_pitch, channels, whole, plan_.streams);
    if (whole == count) return;
    walk_.kernels.interleave[log2](first_, rows + whole * item, row_pitch, channels, count - whole);
    sink_.write(dst + whole * channels * item, first_, (count - whole) * channels * item);
  }

  const Walk& walk_;
  const Tiling& tiling_;
  const CopyPlan& plan_;
  Sink& sink_;
  Size item_;
  std::byte* first_;
  std::byte* second_;
  /// What takes channels apart, or weaves them, with a conversion, where a leaf does.
  ConvertingKernels::Deinterleave convert_deinterleaved_ = nullptr;
  ConvertingKernels::Interleave convert_interleaved_ = nullptr;
};

}  // namespace tenstride::copy
