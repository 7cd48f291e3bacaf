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

#include "tenstride/base/index.hpp"

namespace tenstride {

/// The largest rank any operation accepts.
inline constexpr std::size_t max_rank = 64;

namespace detail {
/// Throws RankError: "dims: 65 entries given, must be at most 64 (the largest rank)".
[[noreturn]] TENSTRIDE_API void throw_rank_too_large(std::size_t rank);
}  // namespace detail

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 does not always see that above inline_capacity the entries have been put on the heap.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

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
  static constexpr Dims of_size(std::size_t count) { return Dims(Count{count}); }

  constexpr Dims(const Dims& other) : size_(other.size_) {
    start_lifetime();
    if (other.size_ <= inline_capacity) [[likely]] {
      copy_inline(other);
    } else {
      copy_heap(other);
    }
  }
  constexpr Dims(Dims&& other) noexcept : size_(other.size_) {
    start_lifetime();
    if (other.size_ <= inline_capacity) [[likely]] {
      copy_inline(other);
    } else {
      take_heap(other);
    }
  }
  constexpr Dims& operator=(const Dims& other) {
    if (this == &other) return *this;
    if (size_ <= inline_capacity && other.size_ <= inline_capacity) [[likely]] {
      size_ = other.size_;
      copy_inline(other);
    } else {
      Dims copy(other);
      take_over(copy);
    }
    return *this;
  }
  constexpr Dims& operator=(Dims&& other) noexcept {
    if (this == &other) return *this;
    if (size_ <= inline_capacity && other.size_ <= inline_capacity) [[likely]] {
      size_ = other.size_;
      copy_inline(other);
    } else {
      take_over(other);
    }
    return *this;
  }
  constexpr ~Dims() {
    if (size_ > inline_capacity) [[unlikely]] {
      delete[] heap_;
    }
  }

  constexpr void swap(Dims& other) noexcept {
    Dims kept(std::move(other));
    other = std::move(*this);
    *this = std::move(kept);
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr Index* data() noexcept { return size_ > inline_capacity ? heap_ : inline_; }
  [[nodiscard]] constexpr const Index* data() const noexcept {
    return size_ > inline_capacity ? heap_ : inline_;
  }
  /// The entries of a list that is known to have `count` of them, to be read or written: who walks several
  /// lists of one length asks once where they live. Pre: count == size().
  [[nodiscard]] constexpr Index* data_of(std::size_t count) noexcept {
    return count > inline_capacity ? heap_ : inline_;
  }
  [[nodiscard]] constexpr const Index* data_of(std::size_t count) const noexcept {
    return count > inline_capacity ? heap_ : inline_;
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
    const std::size_t at = size_;
    set_size(at + 1);
    data()[at] = value;
  }
  constexpr void pop_back() noexcept { set_size(size_ - std::size_t{1}); }
  constexpr void resize(std::size_t count, Index value = 0) {
    const std::size_t old = size_;
    set_size(count);
    Index* const entries = data();
    for (std::size_t i = old; i < count; ++i) entries[i] = value;
  }
  /// Becomes `{value}`.
  constexpr void become_one(Index value) noexcept {
    if (size_ > inline_capacity) [[unlikely]] {
      drop_heap();
    }
    size_ = 1;
    inline_[0] = value;
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
    pop_back();
  }

  constexpr operator std::span<const Index>() const noexcept { return {data(), size_}; }
  [[nodiscard]] std::vector<Index> to_vector() const { return {begin(), end()}; }

  friend constexpr bool operator==(const Dims& a, const Dims& b) noexcept {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  struct Count {
    std::size_t value;
  };
  constexpr explicit Dims(Count count) : size_(static_cast<std::uint32_t>(count.value)) {
    start_lifetime();
    if (count.value > inline_capacity) [[unlikely]] {
      size_ = 0;
      change_home(count.value);
    }
  }
  constexpr Dims(const Index* values, std::size_t count) {
    start_lifetime();
    if (count > inline_capacity) [[unlikely]] {
      fill_heap(values, count);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) inline_[i] = values[i];
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
  // What follows is rare, and kept out of the way of the rest.
  [[gnu::noinline, gnu::cold]] constexpr void fill_heap(const Index* values, std::size_t count) {
    change_home(count);
    std::copy(values, values + count, heap_);
  }
  [[gnu::noinline, gnu::cold]] constexpr void copy_heap(const Dims& other) {
    heap_ = new Index[max_rank];
    std::copy(other.begin(), other.end(), heap_);
  }
  constexpr void take_heap(Dims& other) noexcept {
    heap_ = other.heap_;
    other.size_ = 0;
    other.start_lifetime();
  }
  constexpr void drop_heap() noexcept {
    delete[] heap_;
    size_ = 0;
    start_lifetime();
  }
  /// Assignment where one of the two is on the heap. Pre: they are not the same.
  [[gnu::noinline, gnu::cold]] constexpr void take_over(Dims& other) noexcept {
    if (size_ > inline_capacity) drop_heap();
    size_ = other.size_;
    if (other.size_ <= inline_capacity) {
      copy_inline(other);
    } else {
      take_heap(other);
    }
  }
  /// The entries that both sizes have stay.
  constexpr void set_size(std::size_t count) {
    if ((size_ <= inline_capacity) == (count <= inline_capacity) && count <= max_rank) [[likely]] {
      size_ = static_cast<std::uint32_t>(count);
    } else {
      change_home(count);
    }
  }
  /// Moves the entries to the heap or back. Nothing is changed where it throws.
  [[gnu::noinline, gnu::cold]] constexpr void change_home(std::size_t count) {
    if (count > max_rank) detail::throw_rank_too_large(count);
    if (count > inline_capacity) {
      auto* const entries = new Index[max_rank];
      std::copy(inline_, inline_ + size_, entries);
      heap_ = entries;
    } else {
      Index* const entries = heap_;
      start_lifetime();
      std::copy(entries, entries + count, inline_);
      delete[] entries;
    }
    size_ = static_cast<std::uint32_t>(count);
  }

  /// Above inline_capacity the entries are on the heap, else inside: no other flag is kept.
  std::uint32_t size_ = 0;
  union {
    Index inline_[inline_capacity];
    Index* heap_;
  };
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace tenstride
