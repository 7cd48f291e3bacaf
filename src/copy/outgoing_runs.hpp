// SPDX-License-Identifier: Apache-2.0
// Rows of a packed block on their way to the destination, each to a run of it that begins and ends anywhere
// in a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "copy/lines.hpp"

namespace tenstride::copy {

/// Whole lines are handed out one run after another, to be written past the cache. What lies before the first
/// line and behind the last one of a run is written by ordinary stores, or, where blocks follow each other
/// along the run, carried: before each row of the buffer there is room for the items of a line, and those
/// that go before the row are put there.
struct OutgoingRuns {
  std::byte* dst = nullptr;
  /// How far each run lies from `dst`.
  const std::ptrdiff_t* places = nullptr;
  std::size_t count = 0;
  /// The first row of the buffer, and how far its rows are apart.
  std::byte* rows = nullptr;
  std::ptrdiff_t pitch = 0;
  /// The first row of the buffer of the next block.
  std::byte* next_rows = nullptr;
  /// Of a run.
  std::size_t items = 0;
  /// The bytes of an item, by their log2: in the destination, and in the buffer, whose items may be converted
  /// on the way.
  unsigned dst_log2 = 0;
  unsigned src_log2 = 0;
  /// Whether no line is carried from the block before, and none to the next.
  bool begins = true;
  bool ends = true;

  /// The lines of the run begun: where they belong, where the items are that make them, and how many there
  /// are.
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t left = 0;
  std::size_t begun = 0;
  bool is_open = false;

  [[nodiscard]] std::size_t items_in_line() const { return line_bytes >> dst_log2; }
  /// As many lines as there may be.
  [[nodiscard]] std::size_t lines() const { return left + (count - begun) * (whole_lines(items) + 1); }

  /// Completes the run begun and begins the next one that has lines. False where there is none.
  /// `write(to, from, items)` is called with what is not whole lines.
  template <class Write>
  bool next(const Write& write) {
    for (;;) {
      if (is_open) close(write);
      if (begun == count) return false;
      if (open(write)) return true;
    }
  }

  /// The same for what is not converted.
  bool next();

 private:
  [[nodiscard]] std::size_t whole_lines(std::size_t some) const { return (some << dst_log2) / line_bytes; }
  [[nodiscard]] std::byte* place(std::size_t run) const { return dst + places[run]; }
  [[nodiscard]] const std::byte* row(std::size_t run) const {
    return rows + static_cast<std::ptrdiff_t>(run) * pitch;
  }
  /// Items of the line in which a run begins that go before it.
  [[nodiscard]] std::size_t lead(std::size_t run) const { return place_in_line(place(run)) >> dst_log2; }

  /// Begins a run. Whether it has lines.
  template <class Write>
  bool open(const Write& write) {
    const std::size_t run = begun++;
    const std::size_t misfit = place_in_line(place(run));
    const std::size_t before = lead(run);
    if (before << dst_log2 != misfit) {
      // Items cross lines: none can be written whole.
      write(place(run), row(run), items);
      return false;
    }
    is_open = true;
    to = place(run) - misfit;
    from = row(run) - (before << src_log2);
    left = whole_lines(before + items);
    if (begins && before != 0) {
      write(place(run), row(run), std::min(items_in_line() - before, items));
      if (left > 0) --left;
      to += line_bytes;
      from += items_in_line() << src_log2;
    }
    return left > 0;
  }

  /// What is behind the last line of the run begun.
  template <class Write>
  void close(const Write& write) {
    is_open = false;
    const std::size_t run = begun - 1;
    const std::size_t before = lead(run);
    const std::size_t tail = ((before + items) << dst_log2) % line_bytes >> dst_log2;
    const std::byte* const end = row(run) + (items << src_log2);
    if (!ends) {
      const std::size_t carried = items_in_line() << src_log2;
      std::memcpy(next_rows + static_cast<std::ptrdiff_t>(run) * pitch - carried, end - carried, carried);
    } else if (tail != 0 && !(begins && before + items < items_in_line() && before != 0)) {
      write(place(run) + ((items - tail) << dst_log2), end - (tail << src_log2), tail);
    }
  }
};

}  // namespace tenstride::copy
