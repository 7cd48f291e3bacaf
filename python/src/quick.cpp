// SPDX-License-Identifier: Apache-2.0
#include "quick.hpp"

#include <optional>

#include "calls.hpp"
#include "errors.hpp"
#include "ledger.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

/// Whether `view((2, 3))` is the same as `view(2, 3)`.
enum class Brackets : unsigned char { refused, taken };

/// The arguments where all are ints by position and at most as many as a Dims holds without a heap; nothing
/// otherwise.
struct Ints {
  std::optional<Dims> dims;
  Ints(PyObject* const* arguments, Py_ssize_t count, PyObject* names, Brackets brackets) {
    if (names != nullptr || count > 8) return;
    if (brackets == Brackets::taken && count == 1 &&
        (PyTuple_Check(arguments[0]) || PyList_Check(arguments[0]))) {
      PyObject* list = arguments[0];
      count = PySequence_Fast_GET_SIZE(list);
      if (count > 8) return;
      arguments = PySequence_Fast_ITEMS(list);
    }
    Dims found;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!PyLong_CheckExact(arguments[i])) return;
      int overflow = 0;
      const long long value = PyLong_AsLongLongAndOverflow(arguments[i], &overflow);
      if (overflow != 0) return;
      found.push_back(value);
    }
    dims = found;
  }
};

constexpr std::size_t any = 8;

/// A method that takes `least` to `most` ints and gives a view.
template <std::size_t least, std::size_t most, auto view>
PyObject* of_ints(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> PyObject* {
    const Ints ints(arguments, count, names, most == any ? Brackets::taken : Brackets::refused);
    if (!ints.dims || ints.dims->size() < least || ints.dims->size() > most) return nullptr;
    const LedgerPlaces places;
    return make_tensor([&] { return view(tensor_of(self), *ints.dims); });
  });
}

/// A method without arguments that gives an int, a bool or a tuple.
template <auto query>
PyObject* plain(PyObject* self, PyObject* const*, Py_ssize_t count, PyObject* names) {
  if (count != 0 || names != nullptr) return nullptr;
  return guarded([&]() -> PyObject* { return query(tensor_of(self)); });
}

PyObject* one_of(const Tensor& tensor, const Dims& dims, PyObject* const* arguments, Py_ssize_t count,
                 PyObject* names) {
  if (count != 1 || names != nullptr || !PyLong_CheckExact(arguments[0])) return nullptr;
  const long long axis = PyLong_AsLongLong(arguments[0]);
  const auto rank = static_cast<long long>(tensor.dim());
  if (axis < -rank || axis >= rank) return nullptr;
  return PyLong_FromLongLong(dims[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)]);
}

PyObject* size(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (count != 0 || names != nullptr) return one_of(tensor, tensor.shape(), arguments, count, names);
  return guarded([&] { return new_size(tensor.shape()); });
}
PyObject* stride(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const Tensor& tensor = tensor_of(self);
  if (count != 0 || names != nullptr) return one_of(tensor, tensor.strides(), arguments, count, names);
  return guarded([&] { return new_tuple(tensor.strides()); });
}

PyObject* contiguous(PyObject* self, PyObject* const*, Py_ssize_t count, PyObject* names) {
  if (count != 0 || names != nullptr || !tensor_of(self).is_contiguous()) return nullptr;
  Py_INCREF(self);
  return self;
}

/// `reshape` where it is a view; a copy goes the long way, which gives up the GIL.
PyObject* reshape(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> PyObject* {
    const Ints ints(arguments, count, names, Brackets::taken);
    if (!ints.dims || !tensor_of(self).is_contiguous()) return nullptr;
    const LedgerPlaces places;
    return make_tensor([&] { return std::as_const(tensor_of(self)).reshape(*ints.dims); });
  });
}

/// `flatten` of a contiguous tensor is a view; of one axis alone it is the tensor itself, and goes the long
/// way.
PyObject* flatten(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    const Ints ints(arguments, count, names, Brackets::refused);
    if (!ints.dims || ints.dims->size() > 2 || tensor.dim() < 2 || !tensor.is_contiguous()) return nullptr;
    const auto wrap = [&](Index axis) { return axis < 0 ? axis + tensor.dim() : axis; };
    const Index first = ints.dims->empty() ? 0 : (*ints.dims)[0];
    const Index last = ints.dims->size() < 2 ? -1 : (*ints.dims)[1];
    if (wrap(first) == wrap(last)) return nullptr;
    const LedgerPlaces places;
    return make_tensor([&] { return tensor.flatten(first, last); });
  });
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
  return guarded([&] { return make_tensor([&] { return view(std::as_const(tensor_of(self))); }); });
}
/// One that PyTorch gives as the very same object where there is nothing to turn.
template <auto view>
PyObject* attribute_or_self(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    Tensor result = view(tensor);
    if (tensor.dim() != 0 || !result.is_same(tensor)) return new_tensor(std::move(result));
    Py_INCREF(self);
    return self;
  });
}

}  // namespace

void define_quick_methods() {
  using T = const Tensor&;
  using D = const Dims&;
  put_in_front("view", of_ints<1, any, [](T x, D d) { return x.view(d); }>);
  put_in_front("reshape", reshape);
  put_in_front("permute", of_ints<1, any, [](T x, D d) { return x.permute(d); }>);
  put_in_front("expand", of_ints<1, any, [](T x, D d) { return x.expand(d); }>);
  put_in_front("transpose", of_ints<2, 2, [](T x, D d) { return x.transpose(d[0], d[1]); }>);
  put_in_front("swapaxes", of_ints<2, 2, [](T x, D d) { return x.transpose(d[0], d[1]); }>);
  put_in_front("unsqueeze", of_ints<1, 1, [](T x, D d) { return x.unsqueeze(d[0]); }>);
  put_in_front("squeeze", of_ints<0, 1, [](T x, D d) { return d.empty() ? x.squeeze() : x.squeeze(d[0]); }>);
  put_in_front("select", of_ints<2, 2, [](T x, D d) { return x.select(d[0], d[1]); }>);
  put_in_front("narrow", of_ints<3, 3, [](T x, D d) { return x.narrow(d[0], d[1], d[2]); }>);
  put_in_front("t", of_ints<0, 0, [](T x, D) { return x.t(); }>);
  put_in_front("contiguous", contiguous);
  put_in_front("flatten", flatten);
  put_in_front("size", size);
  put_in_front("stride", stride);
  put_in_front("dim", plain<[](T x) { return PyLong_FromLongLong(x.dim()); }>);
  put_in_front("numel", plain<[](T x) { return PyLong_FromLongLong(x.numel()); }>);
  put_in_front("storage_offset", plain<[](T x) { return PyLong_FromLongLong(x.storage_offset()); }>);
  put_in_front("is_contiguous", plain<[](T x) { return PyBool_FromLong(x.is_contiguous() ? 1 : 0); }>);
  put_in_front("shape", shape);
  put_in_front("dtype", dtype);
  put_in_front("ndim", ndim);
  put_in_front("T", attribute<[](T x) { return x.T(); }>);
  put_in_front("mT", attribute_or_self<[](T x) { return x.mT(); }>);
  put_in_front("data_ptr", plain<[](T x) { return PyLong_FromVoidPtr(const_cast<void*>(x.data_ptr())); }>);
}

}  // namespace tenstride::python
