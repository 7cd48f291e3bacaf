// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "tenstride/elementwise/operand.hpp"
#include "tenstride/operations/value.hpp"

/// How an operation is carried out: of a call whose arguments are values, and directly.
namespace tenstride::detail {

class Call;

/// An argument that was read without making a value of it. Its kind says which member holds it; the others
/// hold nothing.
struct Slot {
  bool is_given;
  bool is_real;  ///< of a number: whether it is `real`, else `integer`
  DType dtype;
  MemoryFormat format;
  Index integer;  ///< an int, or 1 for True
  double real;
  const Tensor* tensor;  ///< null for an operand that is a number
  const Dims* list;

  [[nodiscard]] Scalar number() const noexcept { return is_real ? Scalar(real) : Scalar(integer); }
};

/// What a slot is to hold: `ints` is an int or a list of them. Of those called so, a function may be told
/// that there is none.
enum class SlotKind : unsigned char {
  integer,
  maybe_integer,
  list,
  ints,
  tensor,
  operand,
  maybe_operand,
  number,
  real,
  flag,
  dtype,
  maybe_dtype,
  format
};

/// Gives a tensor, but where `is_itself` says so the tensor that it is called on.
struct MadeOrItself {
  bool (*is_itself)(Tensor* self, const Slot*);
  Tensor (*make)(Tensor* self, const Slot*);
};

/// The elements of a tensor as numbers in lists.
struct Lists {
  const Tensor* elements;
};

/// A C++ function that takes slots, for front ends that read their arguments themselves. Arguments that it
/// does not take are for the call of values, which says what is wrong with them.
struct Direct {
  static constexpr std::size_t most = 5;
  /// Of the operation's first `count` parameters.
  std::array<SlotKind, most> takes{};
  std::size_t count = 0;
  /// Whether these are all integers, the kind read most.
  bool are_integers = true;
  /// A tensor, several, an int, a truth, a number, numbers in lists, sizes, a type, a device, or what was
  /// written to the tensor. `self` is null for an operation without one.
  std::variant<Tensor (*)(Tensor* self, const Slot*), MadeOrItself,
               std::vector<Tensor> (*)(Tensor* self, const Slot*), Index (*)(Tensor* self, const Slot*),
               bool (*)(Tensor* self, const Slot*), Scalar (*)(Tensor* self, const Slot*),
               Lists (*)(Tensor* self, const Slot*), const Dims* (*)(Tensor* self, const Slot*),
               DType (*)(Tensor* self, const Slot*), Device (*)(Tensor* self, const Slot*),
               void (*)(Tensor* self, const Slot*)>
      function;
};

/// What an operation runs.
struct Run {
  template <typename Function>
  requires std::is_convertible_v<Function, Value (*)(Call&)>
  constexpr Run(Function function, std::span<const Direct> functions = {})
      : call(function), directs(functions) {}

  Value (*call)(Call&);
  /// Tried one after another.
  std::span<const Direct> directs;
};

}  // namespace tenstride::detail
