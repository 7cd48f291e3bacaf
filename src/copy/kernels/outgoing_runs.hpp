// SPDX-License-Identifier: Apache-2.0
// The rows of a packed block that wait to be written to the destination. Each goes to a run that begins and
// ends anywhere in a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "copy/kernels/lines.hpp"

namespace tenstride::copy {

/// A store queue of the runs of a block: hands out the whole lines of one run after the other, to be written
/// by streaming stores. The partial lines at both ends of a run are written by ordinary stores; or, where
/// blocks continue each other's runs, the items of the last one are copied to the next block's buffer, which
/// has room for a line's items before each row.
struct OutgoingRuns {
  std::byte* dst = nullptr;
  /// The offset of each run from `dst`, in bytes.
  const Index* offsets = nullptr;
  std::size_t count = 0;
  /// The first row of the buffer, and the distance of its rows in bytes.
  std::byte* rows = nullptr;
  Index pitch = 0;
  /// The first row of the buffer of the next block.
  std::byte* next_rows = nullptr;
  /// The number of items of a run.
  std::size_t items = 0;
  /// Log2 of the bytes of an item in the destination and in the buffer, whose items may be converted on the
  /// way.
  unsigned dst_log2 = 0;
  unsigned src_log2 = 0;
  /// Whether runs begin and end here: no partial line comes from the block before, and none goes to the next.
  bool begins = true;
  bool ends = true;

  /// The lines of the current run that are left: where they are written, the items they are made of, and
  /// their number.
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t left = 0;
  std::size_t begun = 0;
  bool is_open = false;

  [[nodiscard]] std::size_t items_in_line() const { return line_bytes >> dst_log2; }
  /// An upper bound of the lines that are left.
  [[nodiscard]] std::size_t lines() const { return left + (count - begun) * (whole_lines(items) + 1); }

  /// Finishes the current run and starts the next one that has whole lines. Returns false where there is
  /// none. Calls `write(dst, src, items)` for items of partial lines.
  template <class Write>
  bool next(const Write& write) {
    for (;;) {
      if (is_open) close(write);
      if (begun == count) return false;
      if (open(write)) return true;
    }
  }

  /// Goes on to the next run, where items are not converted.
  bool next();

 private:
  [[nodiscard]] std::size_t whole_lines(std::size_t n) const { return (n << dst_log2) / line_bytes; }
  [[nodiscard]] std::byte* run_address(std::size_t run) const { return dst + offsets[run]; }
  [[nodiscard]] const std::byte* row(std::size_t run) const { return rows + static_cast<Index>(run) * pitch; }
  /// The number of items between the start of a run's first line and the run.
  [[nodiscard]] std::size_t lead(std::size_t run) const { return line_offset(run_address(run)) >> dst_log2; }

  /// Starts a run. Returns whether it has whole lines.
  template <class Write>
  bool open(const Write& write) {
    const std::size_t run = begun++;
    const std::size_t offset = line_offset(run_address(run));
    const std::size_t before = lead(run);
    if (before << dst_log2 != offset) {
      // Items cross lines, so that no line consists of whole items.
      write(run_address(run), row(run), items);
      return false;
    }
    is_open = true;
    to = run_address(run) - offset;
    from = row(run) - (before << src_log2);
    left = whole_lines(before + items);
    if (begins && before != 0) {
      write(run_address(run), row(run), std::min(items_in_line() - before, items));
      if (left > 0) --left;
      to += line_bytes;
      from += items_in_line() << src_log2;
    }
    return left > 0;
  }

  /// Writes or hands on the items behind the current run's last whole line.
  template <class Write>
  void close(const Write& write) {
    is_open = false;
    const std::size_t run = begun - 1;
    const std::size_t before = lead(run);
    const std::size_t tail = ((before + items) << dst_log2) % line_bytes >> dst_log2;
    const std::byte* const end = row(run) + (items << src_log2);
    if (!ends) {
      const std::size_t line_of_items = items_in_line() << src_log2;
      std::memcpy(next_rows + static_cast<Index>(run) * pitch - line_of_items, end - line_of_items,
                  line_of_items);
    } else if (tail != 0 && !(begins && before + items < items_in_line() && before != 0)) {
      write(run_address(run) + ((items - tail) << dst_log2), end - (tail << src_log2), tail);
    }
  }
};

}  // namespace tenstride::copy
