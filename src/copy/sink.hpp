// SPDX-License-Identifier: Apache-2.0
// Writes packed items to the destination: converts them, and stores them by ordinary or streaming stores.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "copy/bound.hpp"
#include "copy/kernels/kernels.hpp"
#include "copy/line_writer.hpp"
#include "copy/row_converter.hpp"

namespace tenstride::copy {

/// The most rows of a tile whose addresses stand in a table.
inline constexpr std::size_t max_row_addresses = 512;

/// Writes the runs of one thread's part of a copy.
class Sink {
 public:
  Sink(const Bound& bound, Stores stores, bool reverses_numbers = false)
      : Sink(bound.conversion, bound.kernels, stores, bound.src_item, bound.dst_item, reverses_numbers) {}
  /// Writes bytes as they are.
  Sink(const Kernels& kernels, Stores stores) : Sink(no_conversion, kernels, stores, 1, 1, false) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    if (is_streaming()) lines_.end();
  }

  /// Writes `count` contiguous items, converted. Item i is scaled by number first + i * step.
  void run(std::byte* dst, const std::byte* src, std::size_t count, std::size_t first, std::size_t step) {
    if (!converts_) {
      write(dst, src, count * src_item_);
      return;
    }
    while (count > 0) {
      std::size_t part = count < RowConverter::longest ? count : RowConverter::longest;
      if (!is_streaming()) {
        converter_(dst, src, part, first, step);
      } else if (const std::size_t whole = whole_lines(dst, converts_at_once(step) ? count : part);
                 whole != 0) {
        part = whole;
        lines_.flush();
        converter_(dst, src, part, first, step, stores_);
        lines_.prefetch_beside(part * dst_item_ / line_bytes);
      } else {
        part = to_line(dst, part);
        converter_(converted_.data(), src, part, first, step);
        lines_.write(dst, converted_.data(), part * dst_item_);
      }
      dst += part * dst_item_;
      src += part * src_item_;
      first += part * step;
      count -= part;
    }
  }

  /// Converts `count` items to `out` without storing them in the destination. Pre: count <=
  /// RowConverter::longest.
  void convert(std::byte* out, const std::byte* src, std::size_t count, std::size_t first, std::size_t step) {
    converter_(out, src, count, first, step);
  }

  [[nodiscard]] const RowConverter& converter() const { return converter_; }

  /// Writes bytes without a conversion.
  void write(std::byte* dst, const std::byte* src, std::size_t bytes) {
    if (is_streaming()) {
      lines_.write(dst, src, bytes);
    } else {
      std::memcpy(dst, src, bytes);
    }
  }

  /// The source lines to be prefetched beside each written line.
  Prefetch& prefetch() { return lines_.prefetch; }

  /// Writes the partial line that is kept, by ordinary stores.
  void flush() { lines_.flush(); }

 private:
  static inline const Conversion no_conversion{};

  Sink(const Conversion& conversion, const Kernels& kernels, Stores stores, std::size_t src_item,
       std::size_t dst_item, bool reverses_numbers)
      : converter_(conversion, kernels, reverses_numbers),
        converts_(!conversion.is_none()),
        stores_(stores),
        lines_(kernels, streams_of(stores)),
        src_item_(src_item),
        dst_item_(dst_item) {}

  [[nodiscard]] bool is_streaming() const { return stores_ != Stores::ordinary; }
  /// Whether one call may convert a whole run: it has one scale, and nothing is prefetched beside it.
  [[nodiscard]] bool converts_at_once(std::size_t step) const {
    return step == 0 && lines_.prefetch.count == 0;
  }

  /// How many of `count` items make up whole lines that the converter can stream; 0 where it cannot.
  [[nodiscard]] std::size_t whole_lines(const std::byte* dst, std::size_t count) const {
    if (line_offset(dst) != 0 || !converter_.streams()) return 0;
    return count * dst_item_ / line_bytes * line_bytes / dst_item_;
  }

  /// How many of `count` items complete the line that contains `dst`; all where items cross lines or are not
  /// streamed.
  [[nodiscard]] std::size_t to_line(const std::byte* dst, std::size_t count) const {
    const std::size_t offset = line_offset(dst);
    if (offset == 0 || offset % dst_item_ != 0 || !converter_.streams()) return count;
    return std::min(count, (line_bytes - offset) / dst_item_);
  }

  RowConverter converter_;
  bool converts_;
  Stores stores_;
  LineWriter lines_;
  std::size_t src_item_;
  std::size_t dst_item_;
  alignas(line_bytes) std::array<std::byte, RowConverter::longest * 16 + spill_bytes> converted_;
};

}  // namespace tenstride::copy
