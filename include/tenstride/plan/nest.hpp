// SPDX-License-Identifier: Apache-2.0
// The loop nest of a copy: the one form that plans and runners work on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride {

/// One loop; the strides of both sides in bytes, in plans of reductions in elements.
struct Loop {
  Index extent;
  Index dst_stride;
  Index src_stride;
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// The strides of one side: `&Loop::dst_stride` or `&Loop::src_stride`.
using Stride = Index Loop::*;

/// No loop of a nest.
inline constexpr std::size_t no_loop = max_rank;

/// Loops, outermost first. Up to 8 are stored in the object, more on the heap.
class Loops {
 public:
  static constexpr std::size_t inline_capacity = 8;

  Loops() noexcept {}
  Loops(const Loops& other) : size_(other.size_), heap_(other.heap_) { copy_inline(other); }
  Loops(Loops&& other) noexcept : size_(other.size_), heap_(std::move(other.heap_)) { copy_inline(other); }
  Loops& operator=(const Loops& other) {
    size_ = other.size_;
    heap_ = other.heap_;
    copy_inline(other);
    return *this;
  }
  Loops& operator=(Loops&& other) noexcept {
    size_ = other.size_;
    heap_ = std::move(other.heap_);
    copy_inline(other);
    return *this;
  }
  ~Loops() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] Loop* data() noexcept { return heap_.empty() ? inline_.data() : heap_.data(); }
  [[nodiscard]] const Loop* data() const noexcept { return heap_.empty() ? inline_.data() : heap_.data(); }
  [[nodiscard]] Loop* begin() noexcept { return data(); }
  [[nodiscard]] Loop* end() noexcept { return data() + size_; }
  [[nodiscard]] const Loop* begin() const noexcept { return data(); }
  [[nodiscard]] const Loop* end() const noexcept { return data() + size_; }
  [[nodiscard]] Loop& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] const Loop& operator[](std::size_t i) const noexcept { return data()[i]; }
  /// Pre: not empty.
  [[nodiscard]] Loop& back() noexcept { return data()[size_ - 1]; }
  [[nodiscard]] const Loop& back() const noexcept { return data()[size_ - 1]; }
  /// The loops [begin, end).
  [[nodiscard]] std::span<const Loop> part(std::size_t begin, std::size_t end) const noexcept {
    return {data() + begin, end - begin};
  }
  [[nodiscard]] std::span<const Loop> first(std::size_t count) const noexcept { return part(0, count); }

  friend bool operator==(const Loops& a, const Loops& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  void push_back(const Loop& loop) {
    if (size_ == inline_capacity && heap_.empty()) {
      heap_.assign(inline_.begin(), inline_.end());
      heap_.resize(max_rank);
    }
    data()[size_++] = loop;
  }
  /// Makes room for `count` loops. Returns their memory; `shrink` then says how many there are.
  Loop* reserve(std::size_t count) {
    if (count > inline_capacity) heap_.resize(max_rank);
    size_ = count;
    return data();
  }
  /// Pre: count <= size().
  void shrink(std::size_t count) noexcept { size_ = count; }

  /// The number of positions, of all loops or of the outermost `count`.
  [[nodiscard]] Index positions() const noexcept { return positions_of(size_); }
  [[nodiscard]] Index positions_of(std::size_t count) const noexcept {
    Index positions = 1;
    for (const Loop& loop : first(count)) positions *= loop.extent;
    return positions;
  }
  /// Whether items of `item` bytes are visited one directly behind the other on a side.
  [[nodiscard]] bool is_contiguous(Stride side, Index item) const noexcept {
    for (std::size_t d = size_; d-- > 0; item *= data()[d].extent) {
      if (data()[d].*side != item) return false;
    }
    return true;
  }
  /// Sets the strides of a side so that items of `item` bytes follow each other without gaps.
  void make_contiguous(Stride side, Index item) noexcept {
    for (std::size_t d = size_; d-- > 0; item *= data()[d].extent) data()[d].*side = item;
  }

 private:
  void copy_inline(const Loops& other) noexcept {
    for (std::size_t d = 0; d < size_ && d < inline_capacity; ++d) inline_[d] = other.inline_[d];
  }

  std::size_t size_ = 0;
  /// Only the first `size_` are initialized, to be fast.
  std::array<Loop, inline_capacity> inline_;
  std::vector<Loop> heap_;
};

/// Loops over items, which are elements, or contiguous elements that move as one. In normal form, which is
/// that of `CopyPlan::nest`, destination strides are positive and fall from loop to loop, neighbours that are
/// one loop on both sides are merged, and items are as large as they can be. There is at least one loop.
///
/// Example: float32 of shape (2,3,4) with all axes reversed in order, into a dense destination, has the loops
/// 4 (strides 24, 4), 3 (8, 16) and 2 (4, 48): extent (destination, source).
struct Nest {
  Nest() noexcept {}  // leaves the loops' memory as it is

  Loops loops;
  /// Bytes of an item on each side, and the number of its elements.
  Index dst_item = 0;
  Index src_item = 0;
  Index elements = 1;
  /// Bytes from storage element 0 of each side to the first item.
  Index dst_offset = 0;
  Index src_offset = 0;
  /// The loop along which scale and shift have a number for each index; the loops around it repeat the
  /// numbers.
  std::size_t scaled_loop = no_loop;

  [[nodiscard]] std::size_t size() const noexcept { return loops.size(); }
  [[nodiscard]] const Loop& operator[](std::size_t d) const noexcept { return loops[d]; }
  /// The innermost loop.
  [[nodiscard]] const Loop& inner() const noexcept { return loops.back(); }
};

}  // namespace tenstride
