// SPDX-License-Identifier: Apache-2.0
#include "quick.hpp"

#include <array>
#include <optional>
#include <vector>

#include "calls.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ints.hpp"
#include "made.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"
#include "types.hpp"

/// The short ways of views and of questions. Where somebody watches what is called (a ledger, NoScramble),
/// what it would be told goes the long way, which knows the line of Python.
namespace tenstride::python {
namespace {

using Arguments = PyObject* const*;

/// A method that takes `least` to `most` ints and gives a view. `view` is told the tensor, the ints and how
/// many they are.
template <std::size_t least, std::size_t most, auto view>
PyObject* of_ints(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const auto given = static_cast<std::size_t>(count);
  if (names != nullptr || given < least || given > most) return nullptr;
  std::array<Index, most + 1> ints;
  if (!read_ints(arguments, count, ints.data())) return nullptr;
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
  if (names != nullptr || detail::watch != nullptr) return nullptr;
  if (const std::optional<Dims> sizes = read_sizes(arguments, count)) {
    return made([&] { return std::as_const(tensor_of(self)).view(*sizes); });
  }
  const std::optional<DType> type = count == 1 ? find_dtype(arguments[0]) : std::nullopt;
  if (!type) return nullptr;
  return made([&] { return std::as_const(tensor_of(self)).view(*type); });
}

/// `reshape` to a view or a small copy. A copy that takes long goes the long way, which gives up the GIL.
PyObject* reshaped(const Tensor& tensor, const Dims& sizes) {
  if (detail::watch != nullptr) return nullptr;
  return guarded([&]() -> PyObject* {
    Layout layout = detail::blank(sizes.size(), tensor.storage_offset());
    if (detail::view_into(tensor.layout(), sizes, "reshape", layout)) {
      return make_tensor([&] { return with_layout(tensor, std::move(layout)); });
    }
    return is_small_copy(tensor) ? make_tensor([&] { return tensor.reshape(sizes); }) : nullptr;
  });
}

PyObject* reshape(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr) return nullptr;
  const std::optional<Dims> sizes = read_sizes(arguments, count);
  return sizes ? reshaped(tensor_of(self), *sizes) : nullptr;
}

PyObject* view_as(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (detail::watch != nullptr) return nullptr;
  return of_tensor<[](const Tensor& x, const Tensor& y) { return x.view_as(y); }>(self, arguments, count,
                                                                                  names);
}
PyObject* reshape_as(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || count != 1 || !is_tensor(arguments[0])) return nullptr;
  return reshaped(tensor_of(self), tensor_of(arguments[0]).shape());
}
PyObject* ravel(PyObject* self, Arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (count != 0 || names != nullptr || detail::watch != nullptr) return nullptr;
  if (!tensor.is_contiguous() && !is_small_copy(tensor)) return nullptr;
  return made([&] { return tensor.ravel(); });
}

/// `flatten` of one axis alone is the tensor itself, and goes the long way.
PyObject* flatten(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  const Index rank = tensor.dim();
  std::array<Index, 2> axes{0, -1};
  if (names != nullptr || count > 2 || rank < 2) return nullptr;
  if (!read_ints(arguments, count, axes.data())) return nullptr;
  const auto wrap = [rank](Index axis) { return axis < 0 ? axis + rank : axis; };
  if (wrap(axes[0]) == wrap(axes[1])) return nullptr;
  return guarded([&] { return reshaped(tensor, flatten_shape(tensor.shape(), axes[0], axes[1])); });
}

/// A tuple or list of ints.
std::optional<Dims> read_list(PyObject* object) {
  const bool is_list = PyTuple_Check(object) != 0 || PyList_Check(object) != 0;
  return is_list ? read_sizes(&object, 1) : std::nullopt;
}

PyObject* unflatten(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  Index axis = 0;
  if (names != nullptr || count != 2 || !read_int(arguments[0], axis)) return nullptr;
  const std::optional<Dims> sizes = read_list(arguments[1]);
  if (!sizes) return nullptr;
  return made([&] { return std::as_const(tensor_of(self)).unflatten(axis, *sizes); });
}

PyObject* as_strided(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || count < 2 || count > 3) return nullptr;
  std::optional<Index> offset;
  if (count == 3 && !read_int(arguments[2], offset.emplace(0))) return nullptr;
  const std::optional<Dims> sizes = read_list(arguments[0]);
  const std::optional<Dims> steps = read_list(arguments[1]);
  if (!sizes || !steps) return nullptr;
  return made([&] { return std::as_const(tensor_of(self)).as_strided(*sizes, *steps, offset); });
}

/// `movedim` of axes one by one, or of lists of them.
template <auto of_axis, auto of_axes>
PyObject* move(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  if (names != nullptr || count != 2) return nullptr;
  const Tensor& tensor = tensor_of(self);
  Index from = 0;
  Index to = 0;
  if (read_int(arguments[0], from) && read_int(arguments[1], to)) {
    return made([&] { return of_axis(tensor, from, to); });
  }
  const std::optional<Dims> sources = read_list(arguments[0]);
  const std::optional<Dims> targets = read_list(arguments[1]);
  if (!sources || !targets) return nullptr;
  return made([&] { return of_axes(tensor, *sources, *targets); });
}

PyObject* squeeze(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  Index axis = 0;
  if (names != nullptr || count > 1) return nullptr;
  if (count == 0) return made([&] { return tensor.squeeze(); });
  if (read_int(arguments[0], axis)) return made([&] { return tensor.squeeze(axis); });
  const std::optional<Dims> axes = read_list(arguments[0]);
  if (!axes) return nullptr;
  return made([&] { return tensor.squeeze(*axes); });
}

/// What of a real tensor is the tensor itself.
template <auto view>
PyObject* of_complex(PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.is_complex()) return made([&] { return view(tensor); });
  Py_INCREF(self);
  return self;
}
PyObject* conj(PyObject* self, Arguments, Py_ssize_t count, PyObject* names) {
  if (count != 0 || names != nullptr) return nullptr;
  return of_complex<[](const Tensor& x) { return x.conj(); }>(self);
}
PyObject* real(PyObject* self, void*) {
  return of_complex<[](const Tensor& x) { return x.real(); }>(self);
}
PyObject* adjoint(PyObject* self, Arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (count != 0 || names != nullptr || tensor.dim() == 0) return nullptr;
  return made([&] { return tensor.adjoint(); });
}

PyObject* shape(PyObject* self, void*) {
  return guarded([&] { return new_size(tensor_of(self).shape()); });
}
PyObject* dtype(PyObject* self, void*) {
  return new_dtype(tensor_of(self).dtype());
}
PyObject* device(PyObject* self, void*) {
  return new_device(tensor_of(self).device());
}
template <auto query>
PyObject* count_of(PyObject* self, void*) {
  return PyLong_FromLongLong(static_cast<long long>(query(std::as_const(tensor_of(self)))));
}
template <auto view>
PyObject* attribute(PyObject* self, void*) {
  return made([&] { return view(std::as_const(tensor_of(self))); });
}
/// One that PyTorch gives as the very same object where there is nothing to transpose: rank 0.
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

/// A method that takes `least` to `most` ints, those left out being 0, and gives a tuple of views.
template <Py_ssize_t least, Py_ssize_t most, auto views>
PyObject* pieces(PyObject* self, Arguments arguments, Py_ssize_t count, PyObject* names) {
  std::array<Index, 2> ints{};
  if (names != nullptr || count < least || count > most) return nullptr;
  if (!read_ints(arguments, count, ints.data())) return nullptr;
  return guarded([&]() -> PyObject* {
    std::vector<Tensor> parts = views(std::as_const(tensor_of(self)), ints[0], ints[1]);
    nanobind::object tuple = nanobind::steal(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
    if (!tuple) throw nanobind::python_error();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      NB_TUPLE_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), new_tensor(std::move(parts[i])));
    }
    return tuple.release().ptr();
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
  put_in_front("movedim", move<[](T x, Index a, Index b) { return x.movedim(a, b); },
                               [](T x, D a, D b) { return x.movedim(a, b); }>);
  put_in_front("moveaxis", move<[](T x, Index a, Index b) { return x.moveaxis(a, b); },
                                [](T x, D a, D b) { return x.moveaxis(a, b); }>);
  put_in_front("unsqueeze", of_ints<1, 1, [](T x, I i, std::size_t) { return x.unsqueeze(i[0]); }>);
  put_in_front("squeeze", squeeze);
  put_in_front("select", of_ints<2, 2, [](T x, I i, std::size_t) { return x.select(i[0], i[1]); }>);
  put_in_front("narrow", of_ints<3, 3, [](T x, I i, std::size_t) { return x.narrow(i[0], i[1], i[2]); }>);
  put_in_front("diagonal", of_ints<0, 3, [](T x, I i, std::size_t count) {
                 return x.diagonal(count > 0 ? i[0] : 0, count > 1 ? i[1] : 0, count > 2 ? i[2] : 1);
               }>);
  put_in_front("unfold", of_ints<3, 3, [](T x, I i, std::size_t) { return x.unfold(i[0], i[1], i[2]); }>);
  put_in_front("t", of_ints<0, 0, [](T x, I, std::size_t) { return x.t(); }>);
  put_in_front("detach", of_ints<0, 0, [](T x, I, std::size_t) { return x.detach(); }>);
  put_in_front("alias", of_ints<0, 0, [](T x, I, std::size_t) { return x.alias(); }>);
  put_in_front("as_strided", as_strided);
  put_in_front("conj", conj);
  put_in_front("adjoint", adjoint);
  put_in_front("view_as", view_as);
  put_in_front("reshape_as", reshape_as);
  put_in_front("ravel", ravel);
  put_in_front("unbind", pieces<0, 1, [](T x, Index dim, Index) { return x.unbind(dim); }>);
  put_in_front("split", pieces<1, 2, [](T x, Index size, Index dim) { return x.split(size, dim); }>);
  put_in_front("chunk", pieces<1, 2, [](T x, Index count, Index dim) { return x.chunk(count, dim); }>);
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
  put_in_front("element_size", plain<[](T x) { return PyLong_FromSize_t(x.element_size()); }>);
  put_in_front("is_floating_point",
               plain<[](T x) { return PyBool_FromLong(x.is_floating_point() ? 1 : 0); }>);
  put_in_front("is_complex", plain<[](T x) { return PyBool_FromLong(x.is_complex() ? 1 : 0); }>);
  put_in_front("data_ptr", plain<[](T x) {
                 return PyLong_FromVoidPtr(x.numel() == 0 ? nullptr : const_cast<void*>(x.data_ptr()));
               }>);
  put_in_front("shape", shape);
  put_in_front("dtype", dtype);
  put_in_front("device", device);
  put_in_front("ndim", count_of<[](T x) { return x.dim(); }>);
  put_in_front("itemsize", count_of<[](T x) { return x.itemsize(); }>);
  put_in_front("nbytes", count_of<[](T x) { return x.nbytes(); }>);
  put_in_front("real", real);
  put_in_front("imag", attribute<[](T x) { return x.imag(); }>);
  put_in_front("T", attribute<[](T x) { return x.T(); }>);
  put_in_front("mT", attribute_or_self<[](T x) { return x.mT(); }>);
  put_in_front("H", attribute_or_self<[](T x) { return x.H(); }>);
  put_in_front("mH", attribute_or_self<[](T x) { return x.mH(); }>);
  put_in_front("data", attribute<[](T x) { return x.detach(); }>);
}

}  // namespace tenstride::python
