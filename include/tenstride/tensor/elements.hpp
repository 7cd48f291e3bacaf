// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <utility>

#include "tenstride/layout/coalesce.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/memory/storage.hpp"

namespace tenstride {

/// The elements of a tensor in their logical order, the last index fastest, whatever the strides: a
/// random-access range that keeps the memory. Made by `Tensor::elements`. Iterators need their range.
/// Example: `for (const float v : x.t().elements<float>()) …`
template <class T>
class Elements : public std::ranges::view_interface<Elements<T>> {
 public:
  /// Pre: T is what the storage holds, and the layout stays inside it.
  Elements(T* storage_data, Storage storage, const Layout& layout)
      : storage_(std::move(storage)),
        data_(storage_data),
        layout_(coalesce(layout)),
        count_(tenstride::numel(layout)) {
    if (layout_.rank() == 0) {
      layout_.shape.push_back(1);
      layout_.strides.push_back(1);
    }
  }

  class Iterator {
   public:
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using reference = T&;
    using pointer = T*;

    Iterator() = default;
    [[nodiscard]] T& operator*() const { return *element_; }
    [[nodiscard]] T* operator->() const { return element_; }
    [[nodiscard]] T& operator[](std::ptrdiff_t n) const { return *(*this + n); }
    Iterator& operator++() {
      ++position_;
      if (--left_ > 0) {
        element_ += step_;
      } else {
        seek();
      }
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator--(int) {
      const Iterator before = *this;
      --*this;
      return before;
    }
    Iterator& operator+=(std::ptrdiff_t n) {
      position_ += n;
      seek();
      return *this;
    }
    Iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
    friend Iterator operator+(Iterator it, std::ptrdiff_t n) { return it += n; }
    friend Iterator operator+(std::ptrdiff_t n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, std::ptrdiff_t n) { return it -= n; }
    friend std::ptrdiff_t operator-(const Iterator& a, const Iterator& b) {
      return a.position_ - b.position_;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.position_ == b.position_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.position_ <=> b.position_; }

   private:
    friend class Elements;
    Iterator(const Elements* all, Index position) : all_(all), position_(position) { seek(); }

    /// Finds the element of the position. Outside the range there is none.
    void seek() {
      if (position_ < 0 || position_ >= all_->count_) return;
      const Layout& layout = all_->layout_;
      const Index run = layout.shape.back();
      step_ = layout.strides.back();
      left_ = run - position_ % run;
      Index offset = layout.offset;
      Index rest = position_;
      for (std::size_t d = layout.rank(); d-- > 0; rest /= layout.shape[d]) {
        offset += rest % layout.shape[d] * layout.strides[d];
      }
      element_ = all_->data_ + offset;
    }

    const Elements* all_ = nullptr;
    T* element_ = nullptr;
    Index position_ = 0;
    Index step_ = 0;
    Index left_ = 0;  // elements up to the end of a run, this one included
  };

  [[nodiscard]] Iterator begin() const { return Iterator(this, 0); }
  [[nodiscard]] Iterator end() const { return Iterator(this, count_); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count_); }

 private:
  Storage storage_;
  T* data_;
  Layout layout_;  // fewest axes, at least one
  Index count_;
};

}  // namespace tenstride
