// SPDX-License-Identifier: Apache-2.0
// Writing dense runs of one type into a tensor of any layout and element type.
#pragma once

#include "elementwise/dense_runs.hpp"

namespace tenstride::detail {

/// Writes dense runs into a tensor. Each thread has one of its own. Its address must not change.
class BlockWriter {
 public:
  /// Elements of type `given` are converted to `meeting`, then to the tensor's type, and conjugated and
  /// negated as its bits say.
  BlockWriter(std::byte* base, DType given, DType meeting, const Tensor& result)
      : base_(base),
        item_(static_cast<Index>(result.itemsize())),
        type_(result.dtype()),
        conjugates_(result.is_conj()),
        negates_(result.is_neg()) {
    DType at = given;
    for (const DType next : {meeting, type_}) {
      // A row kernel of truth values gives bytes of 0 and 1, which are bools.
      const bool is_truth = at == DType::uint8 && next == DType::bool_;
      if (next != at && !is_truth) steps_[step_count_++] = copy::kernels().convert(next, at);
      at = next;
    }
  }
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// Returns where to write the block's elements, one row after the other: directly in the tensor where that
  /// is possible, otherwise in a buffer.
  std::byte* begin(const RowBlock& given) {
    const RowBlock block = given.joined();
    is_direct_ = step_count_ == 0 && block.rows == 1 && (block.step == 1 || block.columns == 1);
    return is_direct_ ? base_ + block.position * item_ : buffers_[0].data();
  }

  /// Converts what was written there, and moves it into the tensor where it is in a buffer.
  void end(const RowBlock& given) {
    const RowBlock block = given.joined();
    const auto count = static_cast<std::size_t>(block.count());
    std::byte* const to = base_ + block.position * item_;
    if (is_direct_) {
      change_signs(to, count);
      return;
    }
    const bool is_run = block.rows == 1 && (block.step == 1 || block.columns == 1);
    std::size_t at = 0;
    for (std::size_t i = 0; i < step_count_; ++i) {
      std::byte* const next = i + 1 == step_count_ && is_run ? to : buffers_[1 - at].data();
      steps_[i](next, buffers_[at].data(), count, copy::Stores::ordinary);
      at = 1 - at;
      if (next == to) {
        change_signs(to, count);
        return;
      }
    }
    std::byte* from = buffers_[at].data();
    change_signs(from, count);
    for (Index i = 0; i < block.rows; ++i, from += block.columns * item_) {
      scatter(to + i * block.row_step * item_, from, block.step, block.columns);
    }
  }

 private:
  using Buffer = std::array<std::byte, static_cast<std::size_t>(BlockReader::bytes) + copy::spill_bytes>;

  void change_signs(std::byte* run, std::size_t count) const {
    if (conjugates_) conjugate_run(type_, run, run, count);
    if (negates_) negate_run(type_, run, run, count);
  }

  void scatter(std::byte* to, const std::byte* from, Index step, Index count) const {
    if (step == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(count * item_));
      return;
    }
    visit(type_, [&]<class T>(std::type_identity<T>) {
      constexpr auto item = static_cast<Index>(sizeof(T));
      for (Index i = 0; i < count; ++i) std::memcpy(to + i * step * item, from + i * item, sizeof(T));
    });
  }

  std::byte* base_;
  Index item_;
  DType type_;
  bool conjugates_;
  bool negates_;
  bool is_direct_ = false;
  std::array<copy::ConvertRow, 2> steps_{};
  std::size_t step_count_ = 0;
  alignas(64) std::array<Buffer, 2> buffers_;
};

}  // namespace tenstride::detail
