// SPDX-License-Identifier: Apache-2.0
// Runs of a packed block on their way to the destination through a conversion.
#pragma once

#include <array>
#include <cstddef>

#include "copy/convert.hpp"
#include "copy/pack.hpp"
#include "plan/nest.hpp"

namespace tenstride::copy {

/// What `OutgoingRuns` is for elements that are converted: rows of the buffer hold those of the source, of
/// which a line's worth of the destination's stands before each row.
class OutgoingConverted {
 public:
  /// What is written at a time.
  static constexpr std::size_t piece_lines = 16;

  OutgoingConverted(const CopyPlan& plan, const detail::Nest& nest);

  /// Takes runs of `items` each of the nest on their way.
  void begin(const OutgoingRuns& runs, std::size_t items);
  [[nodiscard]] std::size_t lines() const {
    return left_ + (runs_.count - runs_.begun) * (runs_.bytes / OutgoingRuns::line + 1);
  }
  /// Writes such runs by ordinary stores.
  void write_through_cache(const OutgoingRuns& runs, std::size_t items);
  /// Writes so many lines or more.
  void write(std::size_t lines);
  void drain();

 private:
  bool next();
  /// Items by ordinary stores.
  void write_items(std::byte* to, const std::byte* from, std::size_t items);
  void write_lines(std::size_t count);

  const Kernels& kernels_;
  RowConverter converter_;
  Stores stores_;
  std::size_t dst_item_;
  std::size_t src_item_;
  std::size_t elements_;
  std::size_t items_in_line_;
  OutgoingRuns runs_;
  std::size_t items_ = 0;
  /// The lines of the run begun.
  bool is_open_ = false;
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::size_t left_ = 0;
  alignas(64) std::array<std::byte, RowConverter::longest * 16 + spill_bytes> converted_;
};

}  // namespace tenstride::copy
