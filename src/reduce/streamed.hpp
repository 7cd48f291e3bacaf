// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "tenstride/index.hpp"

namespace tenstride::detail {

/// From this many bytes on results are written by streaming stores.
inline constexpr Index min_streamed_bytes = Index{1} << 23;
/// The number of results of any type that fit `StreamedResults::max_bytes`.
inline constexpr Index max_streamed_results = 256;

/// Writes results by streaming stores, many lines at a time. Ordinary stores would read each line first. Rows
/// of results are collected across their ends: written row by row, rows of 48 floats took longer than by
/// ordinary stores.
class StreamedResults {
 public:
  explicit StreamedResults(std::byte* dst)
      : line_(dst - reinterpret_cast<std::uintptr_t>(dst) % line), begin_(dst - line_), end_(begin_) {}
  /// Returns the address for the next results, of at most `max_bytes`.
  [[nodiscard]] std::byte* next() { return bytes_ + end_; }
  /// Adds the `bytes` bytes that were written there.
  void commit(Index bytes) {
    end_ += bytes;
    if (end_ >= flush_bytes) flush();
  }
  /// Writes what remains.
  void end() {
    flush();
    std::memcpy(line_ + begin_, bytes_ + begin_, static_cast<std::size_t>(end_ - begin_));
    copy::kernels().fence();
  }
  static constexpr Index max_bytes = 4096;

 private:
  void flush() {
    Index i = 0;
    if (begin_ > 0 && end_ >= line) {  // the first line, which another thread shares
      std::memcpy(line_ + begin_, bytes_ + begin_, static_cast<std::size_t>(line - begin_));
      begin_ = 0;
      i = line;
    }
    const Index lines = (end_ - i) / line * line;
    if (lines > 0) {
      copy::StoreQueue queue;
      queue.dst = line_ + i;
      queue.src = bytes_ + i;
      queue.count = 1;
      queue.bytes = static_cast<std::size_t>(lines);
      copy::kernels().stream(queue);
    }
    i += lines;
    end_ -= i;
    line_ += i;
    std::memmove(bytes_, bytes_ + i, static_cast<std::size_t>(end_));
  }

  static constexpr Index line = 64;
  static constexpr Index flush_bytes = max_bytes / 2;
  std::byte* line_;  ///< where bytes_[0] belongs in the destination
  Index begin_;      ///< the first byte of bytes_ that is part of the results
  Index end_;
  alignas(64) std::byte bytes_[static_cast<std::size_t>(flush_bytes + max_bytes + line)];
};

}  // namespace tenstride::detail
