// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/scalar_checked.hpp"
#include "calls.hpp"
#include "cpython.hpp"
#include "defaults.hpp"
#include "ints.hpp"
#include "made.hpp"
#include "memory/watch.hpp"
#include "quick.hpp"
#include "quick_numbers.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "types.hpp"

/// The short ways of small factories, and of arithmetic by its names.
namespace tenstride::python {
namespace {

using Arguments = PyObject* const*;

/// Elements that a factory writes on the spot.
constexpr Index max_filled = 4096;

/// A fresh tensor of the sizes given as ints, where it is small, on the cpu and nobody watches.
std::optional<Dims> small_sizes(Arguments arguments, Py_ssize_t count) {
  if (detail::watch != nullptr || device_of_scope()) return std::nullopt;
  std::optional<Dims> sizes = read_sizes(arguments, count);
  if (!sizes) return sizes;
  Index elements = 1;
  for (const Index one : *sizes) {
    if (one < 0 || one > max_filled) return std::nullopt;
    elements *= one;
    if (elements > max_filled) return std::nullopt;
  }
  return sizes;
}

/// The default type, or what `dtype=` alone says by name.
std::optional<DType> named_dtype(Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names == nullptr) return default_dtype();
  if (NB_TUPLE_GET_SIZE(names) != 1 ||
      PyUnicode_CompareWithASCIIString(NB_TUPLE_GET_ITEM(names, 0), "dtype") != 0) {
    return std::nullopt;
  }
  return find_dtype(arguments[count]);
}

PyObject* empty(Arguments arguments, Py_ssize_t count, PyObject* names) {
  const std::optional<Dims> sizes = small_sizes(arguments, count);
  if (!sizes) return nullptr;
  const std::optional<DType> type = named_dtype(arguments, count, names);
  if (!type) return nullptr;
  return made([&] { return uninitialized(*sizes, *type, Device::cpu, "empty"); });
}

PyObject* zeros(Arguments arguments, Py_ssize_t count, PyObject* names) {
  const std::optional<Dims> sizes = small_sizes(arguments, count);
  if (!sizes) return nullptr;
  const std::optional<DType> type = named_dtype(arguments, count, names);
  if (!type) return nullptr;
  return made([&] {
    Tensor result = uninitialized(*sizes, *type, Device::cpu, "zeros");
    if (result.numel() > 0) std::memset(result.mutable_storage_data(), 0, result.nbytes());
    return result;
  });
}

PyObject* ones(Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || default_dtype() != DType::float32) return nullptr;
  const std::optional<Dims> sizes = small_sizes(arguments, count);
  if (!sizes) return nullptr;
  return made([&] {
    Tensor result = uninitialized(*sizes, DType::float32, Device::cpu, "ones");
    std::fill_n(result.mutable_data<float>(), result.numel(), 1.0F);
    return result;
  });
}

/// `full((2, 3), 1.5)`: float32 of a float, int64 of an int.
PyObject* full(Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || count != 2) return nullptr;
  if (PyTuple_Check(arguments[0]) == 0 && PyList_Check(arguments[0]) == 0) return nullptr;
  const std::optional<Dims> sizes = small_sizes(arguments, 1);
  if (!sizes) return nullptr;
  const auto filled = [&](DType type, auto value) {
    return made([&] {
      Tensor result = uninitialized(*sizes, type, Device::cpu, "full");
      std::fill_n(result.mutable_data<decltype(value)>(), result.numel(), value);
      return result;
    });
  };
  Index integer = 0;
  if (read_int(arguments[1], integer)) return filled(DType::int64, std::int64_t{integer});
  if (PyFloat_CheckExact(arguments[1]) == 0 || default_dtype() != DType::float32) return nullptr;
  const double real = number_of_float(arguments[1]);
  if (detail::overflows_real<float>(real)) return nullptr;  // refused by the table's way
  return filled(DType::float32, static_cast<float>(real));
}

template <auto short_way, auto op>
PyObject* with_other(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || count != 1) return nullptr;
  return short_way(op, self, arguments[0]);
}

}  // namespace

void define_quick_functions() {
  using elementwise::BinaryOp;
  using elementwise::Comparison;
  put_in_front("empty", empty);
  put_in_front("zeros", zeros);
  put_in_front("ones", ones);
  put_in_front("full", full);
  put_in_front("add", with_other<quick_binary, BinaryOp::add>);
  put_in_front("sub", with_other<quick_binary, BinaryOp::sub>);
  put_in_front("mul", with_other<quick_binary, BinaryOp::mul>);
  put_in_front("div", with_other<quick_binary, BinaryOp::div>);
  put_in_front("add_", with_other<quick_in_place, BinaryOp::add>);
  put_in_front("sub_", with_other<quick_in_place, BinaryOp::sub>);
  put_in_front("mul_", with_other<quick_in_place, BinaryOp::mul>);
  put_in_front("div_", with_other<quick_in_place, BinaryOp::div>);
  put_in_front("eq", with_other<quick_compare, Comparison::eq>);
  put_in_front("ne", with_other<quick_compare, Comparison::ne>);
  put_in_front("lt", with_other<quick_compare, Comparison::lt>);
  put_in_front("le", with_other<quick_compare, Comparison::le>);
  put_in_front("gt", with_other<quick_compare, Comparison::gt>);
  put_in_front("ge", with_other<quick_compare, Comparison::ge>);
}

}  // namespace tenstride::python
