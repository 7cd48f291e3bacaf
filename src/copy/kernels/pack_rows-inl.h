// SPDX-License-Identifier: Apache-2.0
// Packing rows that are copied, and the cursor over rows that permutations go along, too. Included once for
// each instruction set.
#if defined(TENSTRIDE_COPY_KERNELS_PACK_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSTRIDE_COPY_KERNELS_PACK_ROWS_INL
#undef TENSTRIDE_COPY_KERNELS_PACK_ROWS_INL
#else
#define TENSTRIDE_COPY_KERNELS_PACK_ROWS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "copy/kernels/pack.hpp"
#include "copy/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenstride::copy {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

/// Writes the next `count` lines of the runs by streaming stores, or as many as there are.
HWY_INLINE void write_lines(OutgoingRuns& out, std::size_t count) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  for (; count > 0; --count) {
    if (out.left == 0 && !out.next()) return;
    for (std::size_t part = 0; part < line_bytes; part += step) {
      hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(out.from) + part), d,
                 reinterpret_cast<std::uint8_t*>(out.to) + part);
    }
    out.from += line_bytes;
    out.to += line_bytes;
    --out.left;
  }
}

/// Copies a row of `width` to 2 * width bytes by two vectors, one at either end, which may overlap.
template <std::size_t width>
HWY_INLINE void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  const hn::FixedTag<std::uint8_t, width> d;
  const auto first = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from));
  const auto last = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + bytes - width));
  hn::StoreU(first, d, reinterpret_cast<std::uint8_t*>(to));
  hn::StoreU(last, d, reinterpret_cast<std::uint8_t*>(to + bytes - width));
}

/// Copies a row of one to two words in the same way.
template <class Word>
HWY_INLINE void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) {
  Word first{};
  Word last{};
  std::memcpy(&first, from, sizeof(Word));
  std::memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
  std::memcpy(to, &first, sizeof(Word));
  std::memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
}

/// Copies a row of 1 to 15 bytes.
HWY_INLINE void copy_short_row(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= 8) return copy_words<std::uint64_t>(to, from, bytes);
  if (bytes >= 4) return copy_words<std::uint32_t>(to, from, bytes);
  if (bytes >= 2) return copy_words<std::uint16_t>(to, from, bytes);
  *to = *from;
}

HWY_INLINE void copy_row(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 2 * widest) {
    for (; bytes > 2 * widest; bytes -= widest, to += widest, from += widest)
      copy_ends<widest>(to, from, widest);
  }
  if (bytes >= widest) return copy_ends<widest>(to, from, bytes);
  if constexpr (widest > 32) {
    if (bytes >= 32) return copy_ends<32>(to, from, bytes);
  }
  if constexpr (widest > 16) {
    if (bytes >= 16) return copy_ends<16>(to, from, bytes);
  }
  copy_short_row(to, from, bytes);
}

/// The rows that are packed together: how many, their bytes, and the bytes [lowest, lowest + span) of the
/// source that they span, from the first row on.
struct RowGroup {
  std::size_t count;
  std::size_t bytes;
  Index lowest;
  std::size_t span;
};

/// A cursor over the rows of a table, `RowGroup::count` at a time; the last group may overlap the one before.
/// Each step writes lines of the block before and prefetches the source.
class RowCursor {
 public:
  HWY_INLINE RowCursor(Pack& pack, const RowGroup& rows)
      : pack_(pack),
        table_(*pack.table),
        outgoing_(pack.out),
        rows_(rows),
        to_step_(static_cast<Index>(rows.count) * table_.buffer_step),
        from_step_(static_cast<Index>(rows.count) * table_.src_step),
        distance_(std::max<std::size_t>(prefetch_bytes / (table_.repeats * table_.bytes), 1)),
        panel_(pack.first_panel) {}

  /// Goes to the first group, or to the next one. Returns false after the last one.
  HWY_INLINE bool next() {
    if (left_ >= rows_.count) {
      move(to_step_, from_step_);
      left_ -= rows_.count;
    } else if (left_ > 0) {
      const auto rows = static_cast<Index>(left_);
      move(rows * table_.buffer_step, rows * table_.src_step);
      left_ = 0;
    } else if (panel_ < pack_.last_panel) {
      begin_panel();
    } else {
      pack_.out = outgoing_;
      return false;
    }
    for (std::size_t line = 0; line < rows_.span; line += line_bytes)
      __builtin_prefetch(prefetched_ + line, 0, 3);
    packed_ += rows_.bytes;
    if (packed_ >= step_bytes) {
      write_lines(outgoing_, packed_ / step_bytes * pack_.lines_per_step);
      packed_ %= step_bytes;
    }
    return true;
  }

  std::byte* to = nullptr;
  const std::byte* from = nullptr;

 private:
  HWY_INLINE void move(Index in_buffer, Index in_source) {
    to += in_buffer;
    from += in_source;
    prefetched_ += in_source;
  }

  HWY_NOINLINE void begin_panel() {
    from = pack_.src + table_.rows[panel_];
    to = pack_.buffer + table_.panel_offsets[panel_];
    left_ = table_.repeats - rows_.count;
    const std::size_t later = panel_ + distance_;
    if (later < table_.panels()) {
      prefetched_ = pack_.src + table_.rows[later];
    } else if (pack_.prefetch.next_table != nullptr) {
      const PackTable& after = *pack_.prefetch.next_table;
      prefetched_ =
          pack_.prefetch.next_src + after.rows[std::min(later - table_.panels(), after.panels() - 1)];
    } else {
      prefetched_ = from;
    }
    prefetched_ += rows_.lowest;
    ++panel_;
  }

  Pack& pack_;
  const PackTable& table_;
  OutgoingRuns outgoing_;
  RowGroup rows_;
  Index to_step_;
  Index from_step_;
  /// The prefetch distance, in panels.
  std::size_t distance_;
  std::size_t panel_;
  /// Rows of the panel behind the current group.
  std::size_t left_ = 0;
  const std::byte* prefetched_ = nullptr;
  std::size_t packed_ = 0;
};

inline void pack_rows(Pack& pack) {
  const std::size_t bytes = pack.table->bytes;
  for (RowCursor cursor(pack, {1, bytes, 0, bytes}); cursor.next();) copy_row(cursor.to, cursor.from, bytes);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::copy
HWY_AFTER_NAMESPACE();

#endif  // toggle
