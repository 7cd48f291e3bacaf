// SPDX-License-Identifier: Apache-2.0
#include "quick.hpp"

#include <array>
#include <cstring>

#include "calls.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ints.hpp"
#include "types.hpp"
#include "watch.hpp"

/// Where somebody watches what is called (a ledger, NoScramble), what it would be told goes the long way,
/// which knows the line of Python.
namespace tenstride::python {
namespace {

using Arguments = PyObject* const*;

template <typename Make>
PyObject* made(const Make& make) {
  return guarded([&] { return make_tensor(make); });
}

/// A method that takes `least` to `most` ints and gives a view. `view` is told the tensor, the ints and how
/// many they are.
template <std::size_t least, std::size_t most, auto view>
PyObject* of_ints(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const auto given = static_cast<std::size_t>(count);
  if (names != nullptr || given < least || given > most) return nullptr;
  std::array<Index, most + 1> ints;
  for (std::size_t i = 0; i < given; ++i) {
    if (!read_int(arguments[i], ints[i])) return nullptr;
  }
  return made([&] { return view(std::as_const(tensor_of(self)), ints.data(), given); });
}

/// A method that takes sizes or axes, spelled out or in brackets.
template <auto view>
PyObject* of_sizes(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr) return nullptr;
  const std::optional<Dims> sizes = read_sizes(arguments, count);
  if (!sizes) return nullptr;
  return made([&] { return view(std::as_const(tensor_of(self)), *sizes); });
}

/// A method that takes one tensor.
template <auto view>
PyObject* of_tensor(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || count != 1 || !is_tensor(arguments[0])) return nullptr;
  return made([&] { return view(std::as_const(tensor_of(self)), std::as_const(tensor_of(arguments[0]))); });
}

/// A method without arguments that gives an int, a bool or a tuple.
template <auto query>
PyObject* plain(PyObject* self, Arguments, Py_ssize_t count, PyObject* names) {
  if (count != 0 || names != nullptr) return nullptr;
  return guarded([&]() -> PyObject* { return query(tensor_of(self)); });
}

PyObject* one_of(const Tensor& tensor, const Dims& dims, Arguments arguments, Py_ssize_t count,
                 PyObject* names) {
  Index axis = 0;
  if (count != 1 || names != nullptr || !read_int(arguments[0], axis)) return nullptr;
  const Index rank = tensor.dim();
  if (axis < -rank || axis >= rank) return nullptr;
  return PyLong_FromLongLong(dims[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)]);
}

PyObject* size(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (count != 0 || names != nullptr) return one_of(tensor, tensor.shape(), arguments, count, names);
  return guarded([&] { return new_size(tensor.shape()); });
}
PyObject* stride(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (count != 0 || names != nullptr) return one_of(tensor, tensor.strides(), arguments, count, names);
  return guarded([&] { return new_tuple(tensor.strides()); });
}

/// Copies that keep the GIL anyway, and that nobody is to be told of.
bool is_small_copy(const Tensor& tensor) {
  return detail::watch == nullptr && tensor.numel() < elements_without_gil;
}

PyObject* contiguous(PyObject* self, Arguments, Py_ssize_t count, PyObject* names) {
  if (count != 0 || names != nullptr) return nullptr;
  const Tensor& tensor = tensor_of(self);
  if (tensor.is_contiguous()) {
    Py_INCREF(self);
    return self;
  }
  if (!is_small_copy(tensor)) return nullptr;
  return made([&] { return tensor.contiguous(); });
}

PyObject* clone(PyObject* self, Arguments, Py_ssize_t count, PyObject* names) {
  if (count != 0 || names != nullptr || !is_small_copy(tensor_of(self))) return nullptr;
  return made([&] { return std::as_const(tensor_of(self)).clone(); });
}

PyObject* view(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (detail::watch != nullptr) return nullptr;
  return of_sizes<[](const Tensor& x, const Dims& sizes) { return x.view(sizes); }>(self, arguments, count,
                                                                                    names);
}

/// `reshape` where it is a view; a copy goes the long way, which gives up the GIL.
PyObject* reshape(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (detail::watch != nullptr || !(tensor.is_contiguous() || is_small_copy(tensor))) return nullptr;
  return of_sizes<[](const Tensor& x, const Dims& sizes) { return x.reshape(sizes); }>(self, arguments, count,
                                                                                       names);
}

/// `flatten` of one axis alone is the tensor itself, and goes the long way.
PyObject* flatten(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  const Index rank = tensor.dim();
  std::array<Index, 2> axes{0, -1};
  if (detail::watch != nullptr || names != nullptr || count > 2 || rank < 2) return nullptr;
  if (!tensor.is_contiguous() && !is_small_copy(tensor)) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!read_int(arguments[i], axes[static_cast<std::size_t>(i)])) return nullptr;
  }
  const auto wrap = [rank](Index axis) { return axis < 0 ? axis + rank : axis; };
  if (wrap(axes[0]) == wrap(axes[1])) return nullptr;
  return made([&] { return tensor.flatten(axes[0], axes[1]); });
}

PyObject* unflatten(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  Index axis = 0;
  if (names != nullptr || count != 2 || !read_int(arguments[0], axis)) return nullptr;
  if (!PyTuple_Check(arguments[1]) && !PyList_Check(arguments[1])) return nullptr;
  const std::optional<Dims> sizes = read_sizes(arguments + 1, 1);
  if (!sizes) return nullptr;
  return made([&] { return std::as_const(tensor_of(self)).unflatten(axis, *sizes); });
}

PyObject* shape(PyObject* self, void*) {
  return guarded([&] { return new_size(tensor_of(self).shape()); });
}
PyObject* dtype(PyObject* self, void*) {
  return new_dtype(tensor_of(self).dtype());
}
PyObject* ndim(PyObject* self, void*) {
  return PyLong_FromLongLong(tensor_of(self).dim());
}
template <auto view>
PyObject* attribute(PyObject* self, void*) {
  return made([&] { return view(std::as_const(tensor_of(self))); });
}
/// One that PyTorch gives as the very same object where there is nothing to turn: rank 0.
template <auto view>
PyObject* attribute_or_self(PyObject* self, void*) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.dim() != 0) return made([&] { return view(tensor); });
  return guarded([&] {
    Tensor result = view(tensor);
    if (!result.is_same(tensor)) return new_tensor(std::move(result));
    Py_INCREF(self);
    return self;
  });
}

/// Elements that a factory writes on the spot.
constexpr Index most_filled = 4096;

/// A fresh tensor of the sizes given as ints, where it is small and nobody watches.
std::optional<Dims> small_sizes(Arguments arguments, Py_ssize_t count) {
  if (detail::watch != nullptr) return std::nullopt;
  std::optional<Dims> sizes = read_sizes(arguments, count);
  if (!sizes) return sizes;
  Index elements = 1;
  for (const Index one : *sizes) {
    if (one < 0 || one > most_filled) return std::nullopt;
    elements *= one;
    if (elements > most_filled) return std::nullopt;
  }
  return sizes;
}

/// float32, or what `dtype=` alone says by name.
std::optional<DType> named_dtype(Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names == nullptr) return DType::float32;
  if (PyTuple_GET_SIZE(names) != 1 ||
      PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype") != 0) {
    return std::nullopt;
  }
  return find_dtype(arguments[count]);
}

PyObject* empty(Arguments arguments, Py_ssize_t count, PyObject* names) {
  const std::optional<Dims> sizes = small_sizes(arguments, count);
  if (!sizes) return nullptr;
  const std::optional<DType> type = named_dtype(arguments, count, names);
  if (!type) return nullptr;
  return made([&] { return Tensor::fresh(*sizes, *type, Device::cpu, "empty"); });
}

PyObject* zeros(Arguments arguments, Py_ssize_t count, PyObject* names) {
  const std::optional<Dims> sizes = small_sizes(arguments, count);
  if (!sizes) return nullptr;
  const std::optional<DType> type = named_dtype(arguments, count, names);
  if (!type) return nullptr;
  return made([&] {
    Tensor result = Tensor::fresh(*sizes, *type, Device::cpu, "zeros");
    if (result.numel() > 0) std::memset(result.mutable_storage_data(), 0, result.nbytes());
    return result;
  });
}

PyObject* ones(Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr) return nullptr;
  const std::optional<Dims> sizes = small_sizes(arguments, count);
  if (!sizes) return nullptr;
  return made([&] {
    Tensor result = Tensor::fresh(*sizes, DType::float32, Device::cpu, "ones");
    std::fill_n(result.mutable_data<float>(), result.numel(), 1.0F);
    return result;
  });
}

}  // namespace

void define_quick_methods() {
  using T = const Tensor&;
  using D = const Dims&;
  using I = const Index*;
  constexpr auto transpose = of_ints<2, 2, [](T x, I i, std::size_t) { return x.transpose(i[0], i[1]); }>;
  put_in_front("view", view);
  put_in_front("reshape", reshape);
  put_in_front("permute", of_sizes<[](T x, D d) { return x.permute(d); }>);
  put_in_front("expand", of_sizes<[](T x, D d) { return x.expand(d); }>);
  put_in_front("broadcast_to", of_sizes<[](T x, D d) { return x.broadcast_to(d); }>);
  put_in_front("transpose", transpose);
  put_in_front("swapaxes", transpose);
  put_in_front("swapdims", transpose);
  put_in_front("movedim", of_ints<2, 2, [](T x, I i, std::size_t) { return x.movedim(i[0], i[1]); }>);
  put_in_front("moveaxis", of_ints<2, 2, [](T x, I i, std::size_t) { return x.moveaxis(i[0], i[1]); }>);
  put_in_front("unsqueeze", of_ints<1, 1, [](T x, I i, std::size_t) { return x.unsqueeze(i[0]); }>);
  put_in_front(
      "squeeze",
      of_ints<0, 1, [](T x, I i, std::size_t count) { return count == 0 ? x.squeeze() : x.squeeze(i[0]); }>);
  put_in_front("select", of_ints<2, 2, [](T x, I i, std::size_t) { return x.select(i[0], i[1]); }>);
  put_in_front("narrow", of_ints<3, 3, [](T x, I i, std::size_t) { return x.narrow(i[0], i[1], i[2]); }>);
  put_in_front("diagonal", of_ints<0, 3, [](T x, I i, std::size_t count) {
                 return x.diagonal(count > 0 ? i[0] : 0, count > 1 ? i[1] : 0, count > 2 ? i[2] : 1);
               }>);
  put_in_front("unfold", of_ints<3, 3, [](T x, I i, std::size_t) { return x.unfold(i[0], i[1], i[2]); }>);
  put_in_front("t", of_ints<0, 0, [](T x, I, std::size_t) { return x.t(); }>);
  put_in_front("detach", of_ints<0, 0, [](T x, I, std::size_t) { return x.detach(); }>);
  put_in_front("expand_as", of_tensor<[](T x, T y) { return x.expand_as(y); }>);
  put_in_front("contiguous", contiguous);
  put_in_front("clone", clone);
  put_in_front("flatten", flatten);
  put_in_front("unflatten", unflatten);
  put_in_front("size", size);
  put_in_front("stride", stride);
  put_in_front("dim", plain<[](T x) { return PyLong_FromLongLong(x.dim()); }>);
  put_in_front("numel", plain<[](T x) { return PyLong_FromLongLong(x.numel()); }>);
  put_in_front("storage_offset", plain<[](T x) { return PyLong_FromLongLong(x.storage_offset()); }>);
  put_in_front("is_contiguous", plain<[](T x) { return PyBool_FromLong(x.is_contiguous() ? 1 : 0); }>);
  put_in_front("data_ptr", plain<[](T x) { return PyLong_FromVoidPtr(const_cast<void*>(x.data_ptr())); }>);
  put_in_front("shape", shape);
  put_in_front("dtype", dtype);
  put_in_front("ndim", ndim);
  put_in_front("T", attribute<[](T x) { return x.T(); }>);
  put_in_front("mT", attribute_or_self<[](T x) { return x.mT(); }>);
  put_in_front("H", attribute_or_self<[](T x) { return x.H(); }>);
  put_in_front("mH", attribute_or_self<[](T x) { return x.mH(); }>);
  put_in_front("data", attribute<[](T x) { return x.detach(); }>);
  put_in_front("empty", empty);
  put_in_front("zeros", zeros);
  put_in_front("ones", ones);
}

}  // namespace tenstride::python
