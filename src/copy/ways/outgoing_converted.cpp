// SPDX-License-Identifier: Apache-2.0
#include "copy/ways/outgoing_converted.hpp"

#include <algorithm>
#include <bit>

namespace tenstride::copy {
namespace {

unsigned log2_of(DType type) {
  return static_cast<unsigned>(std::countr_zero(item_size(type)));
}

}  // namespace

OutgoingConverted::OutgoingConverted(const Conversion& conversion, Stores stores)
    : kernels_(kernels()),
      converter_(conversion, kernels_),
      stores_(stores),
      dst_log2_(log2_of(conversion.dst_type)),
      src_log2_(log2_of(conversion.src_type)) {}

OutgoingRuns OutgoingConverted::in_items(OutgoingRuns runs) const {
  runs.items >>= dst_log2_;
  runs.dst_log2 = dst_log2_;
  runs.src_log2 = src_log2_;
  return runs;
}

void OutgoingConverted::begin(const OutgoingRuns& bytes) {
  runs_ = in_items(bytes);
}

void OutgoingConverted::write_through_cache(const OutgoingRuns& bytes) {
  const OutgoingRuns runs = in_items(bytes);
  for (std::size_t r = 0; r < runs.count; ++r)
    convert(runs.dst + runs.offsets[r], runs.rows + static_cast<Index>(r) * runs.pitch, runs.items);
}

void OutgoingConverted::write(std::size_t lines) {
  while (lines > 0 && (runs_.left > 0 || next())) {
    const std::size_t part = std::min(lines, runs_.left);
    write_lines(part);
    lines -= part;
  }
}

void OutgoingConverted::drain() {
  while (runs_.left > 0 || next()) write_lines(runs_.left);
}

bool OutgoingConverted::next() {
  return runs_.next(
      [this](std::byte* to, const std::byte* from, std::size_t items) { convert(to, from, items); });
}

void OutgoingConverted::convert(std::byte* to, const std::byte* from, std::size_t items) {
  for (std::size_t done = 0; done < items; done += RowConverter::longest) {
    converter_(to + (done << dst_log2_), from + (done << src_log2_),
               std::min(items - done, RowConverter::longest), 0, 0);
  }
}

void OutgoingConverted::write_lines(std::size_t count) {
  const std::size_t in_line = runs_.items_in_line();
  runs_.left -= count;
  while (count > 0) {
    const std::size_t lines = std::min(count, RowConverter::longest / in_line);
    const std::size_t items = lines * in_line;
    if (converter_.streams()) {
      converter_(runs_.to, runs_.from, items, 0, 0, stores_);
    } else {
      converter_(converted_.data(), runs_.from, items, 0, 0);
      kernels_.stream_run(runs_.to, converted_.data(), lines * line_bytes, MemoryStreams::one);
    }
    runs_.to += lines * line_bytes;
    runs_.from += items << src_log2_;
    count -= lines;
  }
}

}  // namespace tenstride::copy
