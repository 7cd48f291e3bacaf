// SPDX-License-Identifier: Apache-2.0
// A store queue that converts the runs of a packed block as it writes them.
#pragma once

#include <array>
#include <cstddef>

#include "copy/kernels/outgoing_runs.hpp"
#include "copy/row_converter.hpp"

namespace tenstride::copy {

/// `OutgoingRuns` whose rows hold elements of the source's type; each is converted as it is written.
class OutgoingConverted {
 public:
  /// The number of lines that are written between two pieces of packing.
  static constexpr std::size_t piece_lines = 16;

  OutgoingConverted(const Conversion& conversion, Stores stores);

  /// Queues runs, whose `items` counts bytes of the destination.
  void begin(const OutgoingRuns& bytes);
  /// An upper bound of the lines that are queued.
  [[nodiscard]] std::size_t lines() const { return runs_.lines(); }
  /// Writes at least this many of the queued lines.
  void write(std::size_t lines);
  /// Writes everything that is queued.
  void drain();
  /// Writes runs, given as for `begin`, by ordinary stores.
  void write_through_cache(const OutgoingRuns& bytes);

 private:
  [[nodiscard]] OutgoingRuns in_items(OutgoingRuns runs) const;
  bool next();
  /// Converts items by ordinary stores.
  void convert(std::byte* to, const std::byte* from, std::size_t items);
  void write_lines(std::size_t count);

  const Kernels& kernels_;
  RowConverter converter_;
  Stores stores_;
  unsigned dst_log2_;
  unsigned src_log2_;
  OutgoingRuns runs_;
  alignas(line_bytes) std::array<std::byte, RowConverter::longest * 16 + spill_bytes> converted_;
};

}  // namespace tenstride::copy
