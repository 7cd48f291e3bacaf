// SPDX-License-Identifier: Apache-2.0
// Writes packed items to the destination: converts them, and stores them by ordinary or streaming stores.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/convert/convert.hpp"
#include "copy/kernels/kernels.hpp"
#include "copy/lines.hpp"
#include "tenstride/copy_plan.hpp"

namespace tenstride::copy {

/// The most rows of a tile whose addresses stand in a table.
inline constexpr std::size_t max_row_addresses = 512;

/// Writes the runs of one thread's part of a copy. With streaming stores it keeps the partial line at the end
/// of a run; where the next run continues it, the line is written whole, so that rows which share lines need
/// no reads of the destination.
class Sink {
 public:
  Sink(const CopyPlan& plan, const Kernels& kernels)
      : kernels_(kernels),
        converter_(plan, kernels),
        converts_(plan.conversion != CopyConversion::none),
        streaming_(plan.streaming),
        streams_(plan.streams),
        src_item_(item_size(plan.src_type) * static_cast<std::size_t>(plan.item_elements)),
        dst_item_(item_size(plan.dst_type) * static_cast<std::size_t>(plan.item_elements)) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    flush();
    if (streaming_) kernels_.fence();
  }

  /// Writes `count` contiguous items, converted. Item i is scaled by number first + i * step.
  void run(std::byte* dst, const std::byte* src, std::size_t count, std::size_t first, std::size_t step) {
    if (!converts_) {
      write(dst, src, count * src_item_);
      return;
    }
    while (count > 0) {
      std::size_t part = count < RowConverter::longest ? count : RowConverter::longest;
      if (!streaming_) {
        converter_(dst, src, part, first, step);
      } else if (const std::size_t whole = whole_lines(dst, converts_at_once(step) ? count : part);
                 whole != 0) {
        part = whole;
        flush();
        converter_(dst, src, part, first, step, streaming_stores(streams_));
        prefetch_beside(part * dst_item_ / line_bytes);
      } else {
        part = to_line(dst, part);
        converter_(converted_.data(), src, part, first, step);
        stream(dst, converted_.data(), part * dst_item_);
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
    if (streaming_) {
      stream(dst, src, bytes);
    } else {
      std::memcpy(dst, src, bytes);
    }
  }

  /// The source lines to be prefetched beside each written line.
  Prefetch prefetch;

  /// Writes the partial line that is kept, by ordinary stores.
  void flush() {
    if (filled_ > start_) std::memcpy(line_address_ + start_, line_.data() + start_, filled_ - start_);
    start_ = 0;
    filled_ = 0;
  }

 private:
  /// Whether one call may convert a whole run: it has one scale, and nothing is prefetched beside it.
  [[nodiscard]] bool converts_at_once(std::size_t step) const { return step == 0 && prefetch.count == 0; }

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

  /// Prefetches what `stream` would beside `lines` written lines.
  void prefetch_beside(std::size_t lines) {
    for (std::size_t i = lines * prefetch.pace; i > 0; --i) {
      if (prefetch.lines_left == 0 && !prefetch.next_row()) return;
      __builtin_prefetch(prefetch.line, 0, 2);
      prefetch.line += line_bytes;
      --prefetch.lines_left;
    }
  }

  void stream(std::byte* dst, const std::byte* src, std::size_t bytes) {
    if (filled_ != 0 && dst != line_address_ + filled_) flush();
    const std::size_t head = line_offset(dst);
    if (head != 0) {
      if (filled_ == 0) {
        line_address_ = dst - head;
        start_ = head;
      }
      const std::size_t part = bytes < line_bytes - head ? bytes : line_bytes - head;
      std::memcpy(line_.data() + head, src, part);
      filled_ = head + part;
      if (filled_ < line_bytes) return;
      if (start_ == 0) {
        stream_lines(line_address_, line_.data(), line_bytes);
        filled_ = 0;
      } else {
        flush();
      }
      dst += part;
      src += part;
      bytes -= part;
    }
    const std::size_t whole = bytes & ~(line_bytes - 1);
    if (whole != 0) stream_lines(dst, src, whole);
    if (whole == bytes) return;
    line_address_ = dst + whole;
    start_ = 0;
    filled_ = bytes - whole;
    std::memcpy(line_.data(), src + whole, filled_);
  }

  void stream_lines(std::byte* dst, const std::byte* src, std::size_t bytes) {
    if (prefetch.count == 0) {
      kernels_.stream_run(dst, src, bytes, streams_);
      return;
    }
    StoreQueue lines;
    lines.dst = dst;
    lines.src = src;
    lines.count = 1;
    lines.bytes = bytes;
    lines.prefetch = prefetch;
    kernels_.stream(lines);
    prefetch = lines.prefetch;
  }

  const Kernels& kernels_;
  RowConverter converter_;
  bool converts_;
  bool streaming_;
  MemoryStreams streams_;
  std::size_t src_item_;
  std::size_t dst_item_;
  std::byte* line_address_ = nullptr;
  std::size_t start_ = 0;
  std::size_t filled_ = 0;
  alignas(line_bytes) std::array<std::byte, line_bytes> line_;
  alignas(line_bytes) std::array<std::byte, RowConverter::longest * 16 + spill_bytes> converted_;
};

}  // namespace tenstride::copy
