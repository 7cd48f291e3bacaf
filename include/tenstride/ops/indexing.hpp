// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <variant>

#include "tenstride/tensor/tensor.hpp"

namespace tenstride {

/// `x.index({0, None})`: a new axis. PyTorch's C++ name.
inline constexpr NewAxis None{};

/// One entry of `x[...]`: an int, Slice, NewAxis, Ellipsis, bool, or a tensor of integers or bools.
/// Example: `x.index({Ellipsis{}, Slice{{}, {}, 2}, tensor({0, 2})})`.
class TensorIndex {
 public:
  using Value = std::variant<Index, Slice, NewAxis, Ellipsis, bool, Tensor>;

  template <std::integral T>
  requires(!std::same_as<T, bool>) TensorIndex(T value) : value_(static_cast<Index>(value)) {}
  TensorIndex(Slice value) : value_(value) {}
  TensorIndex(NewAxis value) : value_(value) {}
  TensorIndex(Ellipsis value) : value_(value) {}
  template <std::same_as<bool> T>
  TensorIndex(T value) : value_(static_cast<bool>(value)) {}
  TensorIndex(Tensor value) : value_(std::move(value)) {}

  [[nodiscard]] const Value& value() const noexcept { return value_; }
  /// Whether a view will do: everything but bools and tensors.
  [[nodiscard]] bool is_basic() const noexcept {
    return !std::holds_alternative<bool>(value_) && !std::holds_alternative<Tensor>(value_);
  }

 private:
  Value value_;
};

}  // namespace tenstride
