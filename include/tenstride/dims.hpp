// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
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

  constexpr Dims() noexcept = default;
  constexpr Dims(std::initializer_list<Index> values) : Dims(values.begin(), values.size()) {}
  constexpr Dims(std::span<const Index> values) : Dims(values.data(), values.size()) {}
  Dims(const std::vector<Index>& values) : Dims(values.data(), values.size()) {}

  /// `count` entries of `value`. Example: `Dims::filled(3, 1) == Dims{1, 1, 1}`.
  static constexpr Dims filled(std::size_t count, Index value) {
    Dims result;
    result.resize(count, value);
    return result;
  }

  constexpr Dims(const Dims& other) : size_(other.size_) {
    if (other.heap_ == nullptr) {
      inline_ = other.inline_;  // a fixed 64 bytes: cheaper than a loop over size_
    } else {
      heap_ = new Index[max_rank];
      std::copy(other.begin(), other.end(), heap_);
    }
  }
  constexpr Dims(Dims&& other) noexcept : size_(other.size_), heap_(other.heap_), inline_(other.inline_) {
    other.heap_ = nullptr;
    other.size_ = 0;
  }
  constexpr Dims& operator=(const Dims& other) {
    if (this == &other) return *this;
    if (heap_ == nullptr && other.heap_ == nullptr) {
      size_ = other.size_;
      inline_ = other.inline_;
      return *this;
    }
    Dims copy(other);
    swap(copy);
    return *this;
  }
  constexpr Dims& operator=(Dims&& other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~Dims() { delete[] heap_; }

  constexpr void swap(Dims& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(heap_, other.heap_);
    std::swap(inline_, other.inline_);
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr Index* data() noexcept { return heap_ == nullptr ? inline_.data() : heap_; }
  [[nodiscard]] constexpr const Index* data() const noexcept {
    return heap_ == nullptr ? inline_.data() : heap_;
  }
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
    for (std::size_t i = size_; i < count; ++i) data()[i] = value;
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
    reserve_for(count);
    std::copy(values, values + count, data());
    size_ = static_cast<std::uint32_t>(count);
  }
  constexpr void reserve_for(std::size_t count) {
    if (count <= inline_capacity || heap_ != nullptr) {
      if (count > max_rank) detail::throw_rank_too_large(count);
      return;
    }
    if (count > max_rank) detail::throw_rank_too_large(count);
    heap_ = new Index[max_rank];
    std::copy(inline_.begin(), inline_.begin() + size_, heap_);
  }

  std::uint32_t size_ = 0;
  Index* heap_ = nullptr;
  std::array<Index, inline_capacity> inline_{};
};

}  // namespace tenstride
