// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tenstride/tensor/tensor.hpp"

/// What the operations of PyTorch's notation take and give.
namespace tenstride {

/// A stretch of a text, in bytes; `end` is one past the last.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend constexpr bool operator==(TextRange, TextRange) = default;
};

class Value;

namespace detail {
/// Python's None and `...` as values.
struct NoneType {};
struct EllipsisType {};
/// `x.storage()`: every element of a storage, indexed by position.
struct StorageElements {
  Tensor elements;
};
/// `x.untyped_storage()`: the same in bytes.
struct StorageBytes {
  Tensor bytes;
};
}  // namespace detail

/// What an expression can give. A tensor is held by reference, as Python's variables hold it.
class TENSTRIDE_API Value {
 public:
  enum class SequenceKind : unsigned char { list, tuple, size };
  struct Sequence {
    SequenceKind kind = SequenceKind::list;
    std::vector<Value> items;
  };
  using Variant = std::variant<detail::NoneType, Scalar, std::string, std::shared_ptr<Tensor>, Sequence,
                               DType, MemoryFormat, Device, Slice, detail::EllipsisType,
                               detail::StorageElements, detail::StorageBytes>;

  Value() = default;
  Value(Variant value) : value_(std::move(value)) {}
  Value(Tensor tensor) : value_(std::make_shared<Tensor>(std::move(tensor))) {}
  /// An array of another library as a tensor. In lists of numbers it stands for lists, a tensor for a number:
  /// `tensor([array])` has its axes and one more, `tensor([x])` one axis.
  static Value array_of(Tensor tensor);
  /// A torch.Size.
  static Value size_of(const Dims& dims);
  /// A tuple of numbers.
  static Value tuple_of(const Dims& dims);

  [[nodiscard]] const Variant& variant() const noexcept { return value_; }
  [[nodiscard]] bool is_none() const noexcept { return std::holds_alternative<detail::NoneType>(value_); }
  /// The tensor, or null where the value is something else.
  [[nodiscard]] const Tensor* tensor() const noexcept;
  [[nodiscard]] Tensor* tensor() noexcept;
  [[nodiscard]] bool is_array() const noexcept { return is_array_; }
  /// The number or the list, or null.
  [[nodiscard]] const Scalar* number() const noexcept { return std::get_if<Scalar>(&value_); }
  [[nodiscard]] const Sequence* sequence() const noexcept { return std::get_if<Sequence>(&value_); }
  /// As Python names the type: "Tensor", "int", "torch.Size", "NoneType".
  [[nodiscard]] std::string_view type_name() const;
  /// As Python's prompt shows it: "torch.Size([2, 3])", "'a'", "tensor([1, 2])".
  [[nodiscard]] std::string repr() const;
  /// As Python prints it: a string without quotes, the rest as `repr`.
  [[nodiscard]] std::string str() const;

  /// The step that made the tensor; nothing for a bound input and for what is no tensor.
  [[nodiscard]] std::optional<std::size_t> step() const noexcept { return step_; }
  void set_step(std::size_t step) noexcept { step_ = step; }

 private:
  Variant value_{detail::NoneType{}};
  std::optional<std::size_t> step_;
  bool is_array_ = false;
};

/// What a call did with memory, by PyTorch's catalogue. `fresh` is "new": a factory, or an element-wise
/// result. `view` shares the storage, `self` is the very same tensor, `copy` moved elements to a storage of
/// its own, `transfer` sent them to another device. `file` is a tensor that was opened.
enum class StepKind : unsigned char { fresh, view, self, copy, transfer, file };
/// "new", "view", "self", "copy", "transfer" or "file".
TENSTRIDE_API std::string_view name(StepKind kind);

}  // namespace tenstride
