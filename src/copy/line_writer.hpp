// SPDX-License-Identifier: Apache-2.0
// Writes runs of bytes by streaming stores, line by line.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/lines.hpp"

namespace tenstride::copy {

/// Streams the runs of one thread. Keeps the partial line at the end of a run; where the next run continues
/// it, the line is written whole, so that rows which share lines need no reads of the destination.
class LineWriter {
 public:
  LineWriter(const Kernels& kernels, MemoryStreams streams) : kernels_(kernels), streams_(streams) {}

  void write(std::byte* dst, const std::byte* src, std::size_t bytes) {
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
        write_lines(line_address_, line_.data(), line_bytes);
        filled_ = 0;
      } else {
        flush();
      }
      dst += part;
      src += part;
      bytes -= part;
    }
    const std::size_t whole = bytes & ~(line_bytes - 1);
    if (whole != 0) write_lines(dst, src, whole);
    if (whole == bytes) return;
    line_address_ = dst + whole;
    start_ = 0;
    filled_ = bytes - whole;
    std::memcpy(line_.data(), src + whole, filled_);
  }

  /// The source lines to be prefetched beside each written line.
  Prefetch prefetch;

  /// Prefetches what `write` would beside `lines` written lines.
  void prefetch_beside(std::size_t lines) {
    for (std::size_t i = lines * prefetch.pace; i > 0; --i) {
      if (prefetch.lines_left == 0 && !prefetch.next_row()) return;
      __builtin_prefetch(prefetch.line, 0, 2);
      prefetch.line += line_bytes;
      --prefetch.lines_left;
    }
  }

  /// Writes the partial line that is kept, by ordinary stores.
  void flush() {
    if (filled_ > start_) std::memcpy(line_address_ + start_, line_.data() + start_, filled_ - start_);
    start_ = 0;
    filled_ = 0;
  }

  /// Makes all that was written visible to other threads.
  void end() {
    flush();
    kernels_.fence();
  }

 private:
  void write_lines(std::byte* dst, const std::byte* src, std::size_t bytes) {
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
  MemoryStreams streams_;
  std::byte* line_address_ = nullptr;
  std::size_t start_ = 0;
  std::size_t filled_ = 0;
  alignas(line_bytes) std::array<std::byte, line_bytes> line_;
};

}  // namespace tenstride::copy
