// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/kernels/kernels.hpp"
#include "tenstride/index.hpp"

namespace tenstride::detail {

/// Results of so many bytes are written past the caches.
inline constexpr Index streamed_bytes = Index{1} << 23;
/// So many of any type fit in what is taken at a time.
inline constexpr Index streamed_results = 256;

/// Results on their way past the caches, many lines at a time: lines that are only written would be read
/// first. Rows follow each other: of 48 floats each by itself took longer than by ordinary stores.
class StreamedResults {
 public:
  explicit StreamedResults(std::byte* dst)
      : line_(dst - reinterpret_cast<std::uintptr_t>(dst) % line), begin_(dst - line_), end_(begin_) {}
  /// Where the next results are to be written.
  [[nodiscard]] std::byte* place() { return bytes_ + end_; }
  /// So many bytes have been. Pre: at most `most`.
  void take(Index bytes) {
    end_ += bytes;
    if (end_ >= enough) flush();
  }
  void end() {
    flush();
    std::memcpy(line_ + begin_, bytes_ + begin_, static_cast<std::size_t>(end_ - begin_));
    copy::kernels().fence();
  }
  static constexpr Index most = 4096;

 private:
  void flush() {
    Index i = 0;
    if (begin_ > 0 && end_ >= line) {  // a line of which another has the beginning
      std::memcpy(line_ + begin_, bytes_ + begin_, static_cast<std::size_t>(line - begin_));
      begin_ = 0;
      i = line;
    }
    const Index lines = (end_ - i) / line * line;
    if (lines > 0) {
      copy::StoreQueue pending;
      pending.dst = line_ + i;
      pending.src = bytes_ + i;
      pending.count = 1;
      pending.bytes = static_cast<std::size_t>(lines);
      copy::kernels().stream(pending);
    }
    i += lines;
    end_ -= i;
    line_ += i;
    std::memmove(bytes_, bytes_ + i, static_cast<std::size_t>(end_));
  }

  static constexpr Index line = 64;
  static constexpr Index enough = most / 2;
  std::byte* line_;  ///< of the destination, to which bytes_[0] belongs
  Index begin_;      ///< the first byte of these that is ours
  Index end_;
  alignas(64) std::byte bytes_[static_cast<std::size_t>(enough + most + line)];
};

}  // namespace tenstride::detail
