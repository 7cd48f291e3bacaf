// SPDX-License-Identifier: Apache-2.0
// Turning long rows straight to memory, included once for each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL
#undef TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL
#else
#define TENSTRIDE_COPY_KERNELS_TRANSPOSE_LONG_ROWS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "copy/kernels/kernels.hpp"
#include "copy/kernels/transpose-inl.h"
#include "copy/kernels/transpose_stores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// While a line of each row is turned into one buffer, the columns in the other are written, and the same
/// part of the next page is asked for as this line is of its own. The last page has up to a page more; what
/// else this takes is asked for between the lines, as is the beginning of the next rows where it is no line's
/// start.
template <std::size_t item, bool keeps>
class PageTurner {
 public:
  explicit PageTurner(const Along& along)
      : all_(along.lines * columns + along.columns),
        blocks_(along.lines + (along.columns > 0 ? 1 : 0)),
        prefetches_near_(count <= Along::max_followed && along.prefetches_near),
        prefetches_by_rows_(along.prefetches_by_rows) {
    const std::size_t pages = std::max<std::size_t>(blocks_ / page_lines, 1);
    last_page_ = (pages - 1) * page_lines;
    for (std::size_t r = 0; r < count; ++r) {
      rows_[r] = along.rows[std::min(r, along.count - 1)];
      next_[r] = along.next[std::min(r, along.next_count - 1)];
    }
  }

  void transpose(const Along& along) {
    const bool is_edge = along.begins || along.ends;
    for (std::size_t l = 0; l <= blocks_; ++l) {
      // None of this is kept in memory, where it would be loaded again behind each store.
      const Asked<count> asked = asked_with(std::min(l, blocks_ - 1));
      const Outgoing<item, keeps> outgoing = l == 0 ? Outgoing<item, keeps>() : outgoing_of(along, l - 1);
      std::size_t written = l == 0 ? columns : (l - 1) * columns - first_of(l - 1);
      if (l > 0 && is_edge) {
        write_edges(along, l - 1);
        written = columns;
      }
      const auto go_on = [&](std::size_t end) HWY_ATTR __attribute__((always_inline)) {
        for (end = std::min(end, columns); written < end; ++written) outgoing.write(written, asked);
      };
      if (l < blocks_) {
        const std::size_t first = first_of(l);
        std::byte* const buffer = buffer_of(l);
        for (std::size_t r = 0; r < count; r += group) {
          for (std::size_t part = 0; part < line; part += widest) {
            transpose_square<item, widest>(buffer + part / item * bytes + r * item, bytes, rows_ + r,
                                           first * item + part, [&]() HWY_ATTR { go_on(written + pace); });
          }
        }
        prefetch_more(l);
      }
      go_on(columns);
    }
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t bytes = Along::column_bytes;
  static constexpr std::size_t columns = line / item;
  static constexpr std::size_t group = widest / item;
  static constexpr std::size_t count = bytes / item;  // as many lines as a line of each row makes
  static constexpr std::size_t turns = Asked<count>::turns;
  static constexpr std::size_t page_lines = Along::page_lines;
  static constexpr std::size_t calls = count / group * (line / widest) * calls_in_square<item, widest>;
  static constexpr std::size_t pace = (columns + calls - 1) / calls;
  static_assert(page_lines % (count / turns) == 0);

  [[nodiscard]] std::byte* buffer_of(std::size_t block) {
    return buffers_ + line + block % 2 * columns * bytes;
  }

  [[nodiscard]] Outgoing<item, keeps> outgoing_of(const Along& along, std::size_t block) {
    return {along, first_of(block), buffer_of(block)};
  }

  HWY_NOINLINE void write_edges(const Along& along, std::size_t block) {
    // What the block before had too is written.
    outgoing_of(along, block).write_edges(block * columns - first_of(block), asked_with(block));
  }

  /// The first column of a block: the last one ends with the rows.
  [[nodiscard]] std::size_t first_of(std::size_t block) const {
    return std::min(block * columns, all_ - columns);
  }

  /// Rows of less than a page: while a line of each is turned, the same line of each of the next is asked
  /// for.
  [[nodiscard]] bool is_short() const { return blocks_ < page_lines; }

  [[nodiscard]] std::size_t page_of(std::size_t block) const {
    return std::min(block / page_lines * page_lines, last_page_);
  }

  [[nodiscard]] Asked<count> asked_with(std::size_t block) const {
    if (prefetches_near_) return asked_of_each(block + Along::near_lines);
    if (is_short()) return asked_of_each(block + blocks_);
    const std::size_t page = page_of(block);
    // A block asks for lines of the rows in turn; row after row, of as many as its lines are pages of.
    const std::size_t in_turn = prefetches_by_rows_ ? 1 : turns;
    const std::size_t touched = std::max(in_turn, count / page_lines);
    const std::size_t place = (block - page) * (count / in_turn);
    Asked<count> asked;
    asked.rows =
        (page == last_page_ ? next_ : rows_) + std::min(place / page_lines * in_turn, count - touched);
    // The last byte of a line: where rows begin anywhere in one, its first lies in the line before.
    asked.at = ((page == last_page_ ? 0 : page + page_lines) + place % page_lines) * line + line - 1;
    asked.is_by_rows = prefetches_by_rows_;
    return asked;
  }

  /// A line of each row, or of those that come next.
  [[nodiscard]] Asked<count> asked_of_each(std::size_t block) const {
    const bool is_here = block < blocks_;
    Asked<count> asked;
    asked.rows = is_here ? rows_ : next_;
    asked.at = (is_here ? block : block - blocks_) * line + line - 1;
    asked.last_alternating = count - 1;
    asked.is_near = prefetches_near_;
    return asked;
  }

  /// The block's share of what the lines written do not suffice for.
  void prefetch_more(std::size_t block) const {
    if (prefetches_near_) return;
    const std::size_t page = page_of(block);
    const std::size_t place = block - page;
    if (page == last_page_) {
      const std::size_t transposed = blocks_ - page;
      if (reinterpret_cast<std::uintptr_t>(next_[0]) % line == 0) return;
      for (std::size_t k = place * count / transposed; k < (place + 1) * count / transposed; ++k)
        __builtin_prefetch(next_[k], 0, 2);
    } else if (page + page_lines == last_page_) {
      const std::size_t lines = last_page_ + page_lines;
      const std::size_t more = count * (blocks_ - lines);
      for (std::size_t k = place * more / page_lines; k < (place + 1) * more / page_lines; ++k)
        __builtin_prefetch(rows_[k % count] + (lines + k / count) * line + line - 1, 0, 2);
    }
  }

  std::size_t all_;
  std::size_t blocks_;
  bool prefetches_near_;
  bool prefetches_by_rows_;
  std::size_t last_page_;
  const std::byte* rows_[count];
  const std::byte* next_[count];
  // A shifted column is read from before its beginning on, and behind its end.
  alignas(line) std::byte buffers_[line + 2 * columns * bytes + line];
};

template <std::size_t item>
void transpose_along(const Along& along) {
  if (along.kept == nullptr) {
    PageTurner<item, false>(along).transpose(along);
  } else {
    PageTurner<item, true>(along).transpose(along);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
