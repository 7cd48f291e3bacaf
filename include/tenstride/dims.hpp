// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenstride/index.hpp"

namespace tenstride {

/// The largest rank any operation accepts.
inline constexpr std::size_t max_rank = 64;

namespace detail {
/// Throws RankError: "dims: 65 entries given, must be at most 64 (the largest rank)".
[[noreturn]] TENSTRIDE_API void throw_rank_too_large(std::size_t rank);
}  // namespace detail

/// A short list of Index: a shape, strides, an order of axes. Up to 8 entries live inside the object (no
/// heap), up to 64 are accepted. Behaves as a std::vector<Index> of limited length, also at compile time.
/// Example: `Dims{2, 3} == Dims{2, 3}`.
class Dims {
 public:
  using value_type = Index;
  using iterator = Index*;
  using const_iterator = const Index*;
  static constexpr std::size_t inline_capacity = 8;

  constexpr Dims() noexcept { start_lifetime(); }
  constexpr Dims(std::initializer_list<Index> values) : Dims(values.begin(), values.size()) {}
  constexpr Dims(std::span<const Index> values) : Dims(values.data(), values.size()) {}
  Dims(const std::vector<Index>& values) : Dims(values.data(), values.size()) {}

  /// `count` entries of `value`. Example: `Dims::filled(3, 1) == Dims{1, 1, 1}`.
  static constexpr Dims filled(std::size_t count, Index value) {
    Dims result;
    result.resize(count, value);
    return result;
  }

  /// `count` entries, to be written by the caller before they are read.
  static constexpr Dims of_size(std::size_t count) {
    Dims result;
    result.reserve_for(count);
    result.size_ = static_cast<std::uint32_t>(count);
    return result;
  }

  constexpr Dims(const Dims& other) : size_(other.size_) {
    if (!other.is_on_heap_) [[likely]] {
      start_lifetime();
      copy_inline(other);
      return;
    }
    heap_ = new Index[max_rank];
    is_on_heap_ = true;
    std::copy(other.begin(), other.end(), heap_);
  }
  constexpr Dims(Dims&& other) noexcept : size_(other.size_) {
    if (!other.is_on_heap_) [[likely]] {
      start_lifetime();
      copy_inline(other);
      return;
    }
    take_heap(other);
  }
  constexpr Dims& operator=(const Dims& other) {
    if (this == &other) return *this;
    if (!is_on_heap_ && !other.is_on_heap_) [[likely]] {
      size_ = other.size_;
      copy_inline(other);
      return *this;
    }
    Dims copy(other);
    return *this = std::move(copy);
  }
  constexpr Dims& operator=(Dims&& other) noexcept {
    if (this == &other) return *this;
    if (is_on_heap_) {
      delete[] heap_;
      is_on_heap_ = false;
      start_lifetime();
    }
    size_ = other.size_;
    if (other.is_on_heap_) {
      take_heap(other);
    } else {
      copy_inline(other);
    }
    return *this;
  }
  constexpr ~Dims() {
    if (is_on_heap_) delete[] heap_;
  }

  constexpr void swap(Dims& other) noexcept {
    Dims kept(std::move(other));
    other = std::move(*this);
    *this = std::move(kept);
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr Index* data() noexcept { return is_on_heap_ ? heap_ : inline_; }
  [[nodiscard]] constexpr const Index* data() const noexcept { return is_on_heap_ ? heap_ : inline_; }
  [[nodiscard]] constexpr Index* begin() noexcept { return data(); }
  [[nodiscard]] constexpr Index* end() noexcept { return data() + size_; }
  [[nodiscard]] constexpr const Index* begin() const noexcept { return data(); }
  [[nodiscard]] constexpr const Index* end() const noexcept { return data() + size_; }
  [[nodiscard]] constexpr auto rbegin() const noexcept { return std::make_reverse_iterator(end()); }
  [[nodiscard]] constexpr auto rend() const noexcept { return std::make_reverse_iterator(begin()); }

  [[nodiscard]] constexpr Index& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] constexpr const Index& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] constexpr Index& back() noexcept { return data()[size_ - 1]; }
  [[nodiscard]] constexpr const Index& back() const noexcept { return data()[size_ - 1]; }
  [[nodiscard]] constexpr Index& front() noexcept { return data()[0]; }
  [[nodiscard]] constexpr const Index& front() const noexcept { return data()[0]; }

  constexpr void push_back(Index value) {
    reserve_for(size_ + std::size_t{1});
    data()[size_++] = value;
  }
  constexpr void pop_back() noexcept { --size_; }
  constexpr void resize(std::size_t count, Index value = 0) {
    reserve_for(count);
    Index* const entries = data();
    for (std::size_t i = size_; i < count; ++i) entries[i] = value;
    size_ = static_cast<std::uint32_t>(count);
  }
  /// Puts `value` before entry `at`. Pre: at <= size().
  constexpr void insert(std::size_t at, Index value) {
    push_back(value);
    Index* entries = data();
    for (std::size_t i = size_ - std::size_t{1}; i > at; --i) entries[i] = entries[i - 1];
    entries[at] = value;
  }
  /// Takes out entry `at`. Pre: at < size().
  constexpr void erase(std::size_t at) noexcept {
    Index* entries = data();
    for (std::size_t i = at + 1; i < size_; ++i) entries[i - 1] = entries[i];
    --size_;
  }

  constexpr operator std::span<const Index>() const noexcept { return {data(), size_}; }
  [[nodiscard]] std::vector<Index> to_vector() const { return {begin(), end()}; }

  friend constexpr bool operator==(const Dims& a, const Dims& b) noexcept {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  constexpr Dims(const Index* values, std::size_t count) {
    start_lifetime();
    reserve_for(count);
    Index* const entries = data();
    for (std::size_t i = 0; i < count; ++i) entries[i] = values[i];
    size_ = static_cast<std::uint32_t>(count);
  }
  /// A constant must not hold indeterminate values; at run time the unused entries are left alone.
  constexpr void start_lifetime() noexcept {
    if (!std::is_constant_evaluated()) return;
    for (std::size_t i = 0; i < inline_capacity; ++i) inline_[i] = 0;
  }
  /// Whole registers: 4 entries or 8, never a loop over size_.
  constexpr void copy_inline(const Dims& other) noexcept {
    if (std::is_constant_evaluated()) {
      for (std::size_t i = 0; i < other.size_; ++i) inline_[i] = other.inline_[i];
    } else if (other.size_ <= 4) {
      std::memcpy(inline_, other.inline_, 4 * sizeof(Index));
    } else {
      std::memcpy(inline_, other.inline_, 8 * sizeof(Index));
    }
  }
  constexpr void take_heap(Dims& other) noexcept {
    heap_ = other.heap_;
    is_on_heap_ = true;
    other.is_on_heap_ = false;
    other.size_ = 0;
    other.start_lifetime();
  }
  constexpr void reserve_for(std::size_t count) {
    if (count <= inline_capacity) [[likely]] {
      return;
    }
    if (count > max_rank) detail::throw_rank_too_large(count);
    if (is_on_heap_) return;
    auto* const entries = new Index[max_rank];
    std::copy(inline_, inline_ + size_, entries);
    heap_ = entries;
    is_on_heap_ = true;
  }

  std::uint32_t size_ = 0;
  bool is_on_heap_ = false;
  union {
    Index inline_[inline_capacity];
    Index* heap_;
  };
};

}  // namespace tenstride
