// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include <array>
#include <optional>

#include "base/message.hpp"
#include "direct.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ledger.hpp"
#include "quick_numbers.hpp"
#include "tensor_slots.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// A side of an operator: what it is, and what keeps it alive.
struct Side {
  Value value;
  [[nodiscard]] Operand operand() const {
    return value.tensor() != nullptr ? Operand(*value.tensor()) : Operand(*value.number());
  }
};

/// Nothing where Python is to ask the other side.
std::optional<Side> side_of(PyObject* object) {
  const bool is_known = is_tensor(object) || PyLong_Check(object) != 0 || PyFloat_Check(object) != 0 ||
                        PyComplex_Check(object) != 0 ||
                        PyObject_HasAttrString(object, "__array_interface__") != 0;
  if (!is_known) return std::nullopt;
  Given given;
  Side side{to_value(object, given)};
  if (side.value.tensor() == nullptr && side.value.number() == nullptr) return std::nullopt;
  return side;
}

bool is_large(PyObject* object) {
  return is_tensor(object) && tensor_of(object).numel() >= elements_without_gil;
}

template <auto operation>
PyObject* binary(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    const std::optional<Side> a = side_of(left);
    const std::optional<Side> b = side_of(right);
    if (!a || !b) Py_RETURN_NOTIMPLEMENTED;
    const LedgerPlaces places;
    return new_tensor(without_gil(is_large(left) || is_large(right),
                                  [&] { return operation(a->operand(), b->operand()); }));
  });
}

/// The same of a tensor and what the short way may take.
template <elementwise::BinaryOp quick, auto operation>
PyObject* quick_or_binary(PyObject* left, PyObject* right) {
  PyObject* result = quick_binary(quick, left, right);
  if (is_done(result)) return result;
  return binary<operation>(left, right);
}

template <auto operation>
PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<operation>(left, right);
}

template <auto operation>
PyObject* unary(PyObject* self) {
  return guarded([&] {
    const LedgerPlaces places;
    return new_tensor(without_gil(is_large(self), [&] { return operation(tensor_of(self)); }));
  });
}

/// The sign is refused as PyTorch refuses it: not as its function is.
Tensor inverted(const Tensor& x) {
  if (is_floating_point(x.dtype()) || is_complex(x.dtype())) {
    throw TypeError(detail::message("~: dtype ", name(x.dtype()), " must be an integer's or bool (shape ",
                                    x.shape(), ")"));
  }
  return bitwise_not(x);
}

template <auto operation>
PyObject* in_place(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    const std::optional<Side> value = side_of(other);
    if (!value) Py_RETURN_NOTIMPLEMENTED;
    const LedgerPlaces places;
    without_gil(is_large(self), [&] { operation(tensor_of(self), value->operand()); });
    Py_INCREF(self);
    return self;
  });
}

template <elementwise::BinaryOp quick, auto operation>
PyObject* quick_or_in_place(PyObject* self, PyObject* other) {
  PyObject* result = quick_in_place(quick, self, other);
  if (is_done(result)) return result;
  return in_place<operation>(self, other);
}

PyObject* in_place_power(PyObject* self, PyObject* other, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return in_place<[](Tensor& x, const Operand& y) { pow_(x, y); }>(self, other);
}

PyObject* positive_itself(PyObject* self) {
  return guarded([&] {
    static_cast<void>(positive(tensor_of(self)));  // refuses bools
    Py_INCREF(self);
    return self;
  });
}

template <typename Function>
PyType_Slot slot(int id, Function* function) {
  return {id, reinterpret_cast<void*>(function)};
}

}  // namespace

std::span<const PyType_Slot> number_slots() {
  using O = const Operand&;
  static const std::array slots{
      slot(Py_nb_add, quick_or_binary<elementwise::BinaryOp::add, [](O a, O b) { return add(a, b); }>),
      slot(Py_nb_subtract, quick_or_binary<elementwise::BinaryOp::sub, [](O a, O b) { return sub(a, b); }>),
      slot(Py_nb_multiply, quick_or_binary<elementwise::BinaryOp::mul, [](O a, O b) { return mul(a, b); }>),
      slot(Py_nb_true_divide,
           quick_or_binary<elementwise::BinaryOp::div, [](O a, O b) { return div(a, b); }>),
      slot(Py_nb_floor_divide, binary<[](O a, O b) { return floor_divide(a, b); }>),
      slot(Py_nb_remainder, binary<[](O a, O b) { return remainder(a, b); }>),
      slot(Py_nb_power, power<[](O a, O b) { return pow(a, b); }>),
      slot(Py_nb_and, binary<[](O a, O b) { return bitwise_and(a, b); }>),
      slot(Py_nb_or, binary<[](O a, O b) { return bitwise_or(a, b); }>),
      slot(Py_nb_xor, binary<[](O a, O b) { return bitwise_xor(a, b); }>),
      slot(Py_nb_negative, unary<[](const Tensor& x) { return neg(x); }>),
      slot(Py_nb_absolute, unary<[](const Tensor& x) { return abs(x); }>),
      slot(Py_nb_invert, unary<inverted>),
      slot(Py_nb_positive, positive_itself),
      slot(Py_nb_inplace_add,
           quick_or_in_place<elementwise::BinaryOp::add, [](Tensor& x, O y) { add_(x, y); }>),
      slot(Py_nb_inplace_subtract,
           quick_or_in_place<elementwise::BinaryOp::sub, [](Tensor& x, O y) { sub_(x, y); }>),
      slot(Py_nb_inplace_multiply,
           quick_or_in_place<elementwise::BinaryOp::mul, [](Tensor& x, O y) { mul_(x, y); }>),
      slot(Py_nb_inplace_true_divide,
           quick_or_in_place<elementwise::BinaryOp::div, [](Tensor& x, O y) { div_(x, y); }>),
      slot(Py_nb_inplace_floor_divide, in_place<[](Tensor& x, O y) { floor_divide_(x, y); }>),
      slot(Py_nb_inplace_remainder, in_place<[](Tensor& x, O y) { remainder_(x, y); }>),
      slot(Py_nb_inplace_power, in_place_power),
      slot(Py_nb_inplace_and, in_place<[](Tensor& x, O y) { bitwise_and_(x, y); }>),
      slot(Py_nb_inplace_or, in_place<[](Tensor& x, O y) { bitwise_or_(x, y); }>),
      slot(Py_nb_inplace_xor, in_place<[](Tensor& x, O y) { bitwise_xor_(x, y); }>),
  };
  return slots;
}

}  // namespace tenstride::python
