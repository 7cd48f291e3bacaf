// SPDX-License-Identifier: Apache-2.0
// Runs of a packed block on their way to the destination through a conversion.
#pragma once

#include <array>
#include <cstddef>

#include "copy/convert/convert.hpp"
#include "copy/outgoing_runs.hpp"

namespace tenstride::copy {

/// `OutgoingRuns` whose rows hold elements of the source: each is converted as it is written.
class OutgoingConverted {
 public:
  /// What is written at a time.
  static constexpr std::size_t piece_lines = 16;

  explicit OutgoingConverted(const CopyPlan& plan);

  /// Takes runs on their way that are told in bytes of the destination.
  void begin(const OutgoingRuns& bytes);
  [[nodiscard]] std::size_t lines() const { return runs_.lines(); }
  /// Writes so many lines or more.
  void write(std::size_t lines);
  void drain();
  /// Writes such runs by ordinary stores.
  void write_through_cache(const OutgoingRuns& bytes);

 private:
  [[nodiscard]] OutgoingRuns in_items(OutgoingRuns runs) const;
  bool next();
  /// Items by ordinary stores.
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
