// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/outgoing_converted.hpp"

#include <algorithm>
#include <cstring>

namespace tenstride::copy {
namespace {

constexpr std::size_t line = OutgoingRuns::line;

}  // namespace

OutgoingConverted::OutgoingConverted(const CopyPlan& plan, const detail::Nest& nest)
    : kernels_(kernels()),
      converter_(plan, kernels_),
      stores_(streaming_stores(plan.streams)),
      dst_item_(static_cast<std::size_t>(nest.dst_item / nest.elements)),
      src_item_(static_cast<std::size_t>(nest.src_item / nest.elements)),
      elements_(static_cast<std::size_t>(nest.elements)),
      items_in_line_(line / dst_item_) {}

void OutgoingConverted::begin(const OutgoingRuns& runs, std::size_t items) {
  runs_ = runs;
  items_ = items * elements_;
  is_open_ = false;
  left_ = 0;
}

void OutgoingConverted::write_through_cache(const OutgoingRuns& runs, std::size_t items) {
  const std::size_t count = items * elements_;
  for (std::size_t r = 0; r < runs.count; ++r) {
    std::byte* const to = runs.dst + runs.places[r];
    const std::byte* const from = runs.rows + static_cast<std::ptrdiff_t>(r) * runs.pitch;
    for (std::size_t done = 0; done < count; done += RowConverter::longest) {
      const std::size_t part = std::min(count - done, RowConverter::longest);
      converter_(to + done * dst_item_, from + done * src_item_, part, 0, 0);
    }
  }
}

void OutgoingConverted::write(std::size_t lines) {
  while (lines > 0 && (left_ > 0 || next())) {
    const std::size_t part = std::min(lines, left_);
    write_lines(part);
    lines -= part;
  }
}

void OutgoingConverted::drain() {
  while (left_ > 0 || next()) write_lines(left_);
}

bool OutgoingConverted::next() {
  for (;;) {
    if (is_open_) {
      is_open_ = false;
      std::byte* const place = runs_.dst + runs_.places[runs_.begun - 1];
      const std::byte* const row = runs_.rows + static_cast<std::ptrdiff_t>(runs_.begun - 1) * runs_.pitch;
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(place) % line / dst_item_;
      const std::size_t tail = (shift + items_) % items_in_line_;
      if (!runs_.ends) {
        std::memcpy(runs_.next_rows + static_cast<std::ptrdiff_t>(runs_.begun - 1) * runs_.pitch -
                        items_in_line_ * src_item_,
                    row + (items_ - items_in_line_) * src_item_, items_in_line_ * src_item_);
      } else if (tail != 0 && !(runs_.begins && shift != 0 && shift + items_ < items_in_line_)) {
        // Before the first item of a short run stand those that were carried.
        write_items(place + (items_ * dst_item_) - tail * dst_item_,
                    row + (items_ * src_item_) - tail * src_item_, tail);
      }
    }
    if (runs_.begun == runs_.count) return false;
    std::byte* const place = runs_.dst + runs_.places[runs_.begun];
    const std::byte* const row = runs_.rows + static_cast<std::ptrdiff_t>(runs_.begun) * runs_.pitch;
    ++runs_.begun;
    const std::size_t misfit = reinterpret_cast<std::uintptr_t>(place) % line;
    if (misfit % dst_item_ != 0) {
      // Items cross lines: none can be written whole.
      for (std::size_t done = 0; done < items_; done += RowConverter::longest) {
        write_items(place + done * dst_item_, row + done * src_item_,
                    std::min(items_ - done, RowConverter::longest));
      }
      continue;
    }
    is_open_ = true;
    const std::size_t shift = misfit / dst_item_;
    to_ = place - misfit;
    from_ = row - shift * src_item_;
    left_ = (shift + items_) / items_in_line_;
    if (runs_.begins && shift != 0) {
      write_items(place, row, std::min(items_in_line_ - shift, items_));
      if (left_ > 0) --left_;
      to_ += line;
      from_ += items_in_line_ * src_item_;
    }
    if (left_ > 0) return true;
  }
}

void OutgoingConverted::write_items(std::byte* to, const std::byte* from, std::size_t items) {
  converter_(converted_.data(), from, items, 0, 0);
  std::memcpy(to, converted_.data(), items * dst_item_);
}

void OutgoingConverted::write_lines(std::size_t count) {
  left_ -= count;
  while (count > 0) {
    const std::size_t lines = std::min(count, RowConverter::longest / items_in_line_);
    const std::size_t items = lines * items_in_line_;
    if (converter_.streams()) {
      converter_(to_, from_, items, 0, 0, stores_);
    } else {
      converter_(converted_.data(), from_, items, 0, 0);
      kernels_.stream_run(to_, converted_.data(), lines * line, MemoryStreams::one);
    }
    to_ += lines * line;
    from_ += items * src_item_;
    count -= lines;
  }
}

}  // namespace tenstride::copy
