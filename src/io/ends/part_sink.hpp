// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "io/ends/moved_bytes.hpp"
#include "io/ends/parts.hpp"
#include "io/ends/sink.hpp"

namespace tenstride::io {

/// Boxes of the destination that any threads write, as chunks are. Each takes memory when its first elements
/// come.
class PartSink final : public Sink {
 public:
  /// What is kept of finished units. By any thread. Empty functions: all are to be written, nothing is kept.
  struct Notes {
    /// Whether the unit is still to be written.
    std::function<bool(const Box& unit)> is_left{};
    std::function<void(const Box& unit, const PartSum& sum)> finish{};
  };
  /// `unit`: the extents of the units. All must stay until the end.
  PartSink(PartWriter& writer, const Dims& unit, Notes notes, MovedBytes& moved)
      : writer_(writer), unit_(unit), notes_(std::move(notes)), moved_(moved) {}

  [[nodiscard]] std::vector<Unit> units(const Box& tile, Index number) override;
  [[nodiscard]] Dims unit() const override { return unit_; }
  [[nodiscard]] bool has_thread() const noexcept override { return false; }
  Tensor open(Unit& unit) override;
  void write(Unit& unit, const PartSum& sum) override;

 private:
  PartWriter& writer_;
  Dims unit_;
  Notes notes_;
  MovedBytes& moved_;
  std::mutex mutex_;
  /// Memory of units that were written, all of one size.
  std::vector<Storage> spare_;
};

}  // namespace tenstride::io
