// SPDX-License-Identifier: Apache-2.0
#include "numpy_functions.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "ledger.hpp"
#include "tenstride/error.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/numpy.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;
using numpy::Order;

/// NumPy's AxisError is both an IndexError and a ValueError. Lives as long as the process.
PyObject* axis_error = nullptr;

[[noreturn]] void raise_axis(const AxisError& error) {
  const nb::object raised = nb::steal(PyObject_CallFunction(axis_error, "s", error.what()));
  if (!raised) throw nb::python_error();
  raised.attr("given") = error.given();
  raised.attr("lowest") = error.lowest();
  raised.attr("highest") = error.highest();
  PyErr_SetObject(axis_error, raised.ptr());
  throw nb::python_error();
}

/// A tensor, or what can be seen as one on the same memory.
Tensor taken(nb::handle given) {
  if (is_tensor(given.ptr())) return tensor_of(given.ptr());
  const nb::object array = import_foreign(given);
  if (is_tensor(array.ptr())) return tensor_of(array.ptr());
  throw TypeError(detail::message("an argument of type ", Py_TYPE(given.ptr())->tp_name,
                                  " must be a Tensor or an array"));
}

std::vector<Tensor> all_taken(nb::handle given) {
  std::vector<Tensor> tensors;
  if (is_tensor(given.ptr())) {
    const Tensor& whole = tensor_of(given.ptr());
    if (whole.dim() == 0)
      throw ValueError("concatenate: a list of arrays must be given (a tensor of rank 0)");
    return whole.unbind(0);
  }
  for (const nb::handle entry : given) tensors.push_back(taken(entry));
  return tensors;
}

/// An int counts as a list of one.
Dims to_dims(nb::handle given) {
  if (PyIndex_Check(given.ptr()) != 0) return {to_index(given.ptr())};
  Dims dims;
  for (const nb::handle entry : given) dims.push_back(to_index(entry.ptr()));
  return dims;
}

std::optional<Dims> maybe_dims(nb::handle given) {
  return given.is_none() ? std::nullopt : std::optional(to_dims(given));
}

Order to_order(const std::string& given) {
  if (given.size() == 1) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(given[0])));
    for (const Order order : {Order::C, Order::F, Order::A, Order::K}) {
      if (numpy::name(order)[0] == letter) return order;
    }
  }
  throw ValueError(detail::message("order '", given, "' must be 'C', 'F', 'A' or 'K'"));
}

DType to_type(nb::handle given, std::string_view operation) {
  const std::optional<DType> dtype = to_dtype(given, operation);
  if (!dtype) throw TypeError(detail::message(operation, ": a dtype must be given"));
  return *dtype;
}

std::vector<BasicIndex> to_basic(nb::handle key) {
  std::vector<BasicIndex> entries;
  const auto refuse = [] {
    throw IndexError(
        "index: only ints, slices, None and `...` can give a view; see x[...] for lists and masks", 0, 0, 0);
  };
  if (PyList_Check(key.ptr())) refuse();  // to NumPy a list is never a tuple of indices
  for (const TensorIndex& given : to_indices(key.ptr())) {
    const auto& entry = given.value();
    if (const Index* position = std::get_if<Index>(&entry)) {
      entries.emplace_back(*position);
    } else if (const Slice* slice = std::get_if<Slice>(&entry)) {
      entries.emplace_back(*slice);
    } else if (std::holds_alternative<NewAxis>(entry)) {
      entries.emplace_back(NewAxis{});
    } else if (std::holds_alternative<Ellipsis>(entry)) {
      entries.emplace_back(Ellipsis{});
    } else {
      refuse();
    }
  }
  return entries;
}

/// What `work` gives, without the GIL: it touches no Python object.
template <typename Work>
Tensor carried_out(const Work& work) {
  const LedgerPlaces places;
  try {
    const nb::gil_scoped_release released;
    return work();
  } catch (const AxisError& error) {
    raise_axis(error);
  }
}

template <typename Work>
nb::object result_of(const Work& work) {
  return nb::steal(new_tensor(carried_out(work)));
}

/// The very object that was given, where the work gives its tensor back.
template <typename Work>
nb::object made_or(nb::handle given, const Tensor& x, const Work& work) {
  Tensor result = carried_out(work);
  if (is_tensor(given.ptr()) && result.is_same(x)) return nb::borrow(given);
  return nb::steal(new_tensor(std::move(result)));
}

void define_order(nb::module_& module) {
  module.def(
      "reshape",
      [](nb::handle a, nb::handle shape, const std::string& order, nb::handle copy) {
        const Tensor x = taken(a);
        const Dims sizes = to_dims(shape);
        const Order how = to_order(order);
        const CopyRule rule = to_copy_rule(copy, "reshape");
        return result_of([&] { return numpy::reshape(x, sizes, how, rule); });
      },
      nb::arg("a"), nb::arg("shape"), nb::arg("order"), nb::arg("copy").none());
  module.def("ravel", [](nb::handle a, const std::string& order) {
    const Tensor x = taken(a);
    const Order how = to_order(order);
    return result_of([&] { return numpy::ravel(x, how); });
  });
  module.def("flatten", [](nb::handle a, const std::string& order) {
    const Tensor x = taken(a);
    const Order how = to_order(order);
    return result_of([&] { return numpy::flatten(x, how); });
  });
  module.def("copy", [](nb::handle a, const std::string& order) {
    const Tensor x = taken(a);
    const Order how = to_order(order);
    return result_of([&] { return numpy::copy(x, how); });
  });
  module.def("ascontiguousarray", [](nb::handle a) {
    const Tensor x = taken(a);
    return made_or(a, x, [&] { return numpy::ascontiguousarray(x); });
  });
  module.def("asfortranarray", [](nb::handle a) {
    const Tensor x = taken(a);
    return made_or(a, x, [&] { return numpy::asfortranarray(x); });
  });
  module.def(
      "asarray",
      [](nb::handle a, const std::string& order, nb::handle copy) {
        const Tensor x = taken(a);
        const Order how = to_order(order);
        const CopyRule rule = to_copy_rule(copy, "asarray");
        return made_or(a, x, [&] { return numpy::asarray(x, how, rule); });
      },
      nb::arg("a"), nb::arg("order"), nb::arg("copy").none());
  module.def("astype", [](nb::handle a, nb::handle dtype, const std::string& order, bool copy) {
    const Tensor x = taken(a);
    const DType type = to_type(dtype, "astype");
    const Order how = to_order(order);
    const CopyRule rule = copy ? CopyRule::always : CopyRule::if_needed;
    return made_or(a, x, [&] { return numpy::astype(x, type, how, rule); });
  });
  module.def("empty_like", [](nb::handle a, const std::string& order) {
    const Tensor x = taken(a);
    const Order how = to_order(order);
    return result_of([&] { return numpy::empty_like(x, how); });
  });
}

void define_axes(nb::module_& module) {
  module.def(
      "transpose",
      [](nb::handle a, nb::handle axes) {
        const Tensor x = taken(a);
        const std::optional<Dims> order = maybe_dims(axes);
        return result_of([&] { return order ? numpy::transpose(x, *order) : numpy::transpose(x); });
      },
      nb::arg("a"), nb::arg("axes").none());
  module.def("matrix_transpose", [](nb::handle a) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::matrix_transpose(x); });
  });
  module.def("swapaxes", [](nb::handle a, Index axis1, Index axis2) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::swapaxes(x, axis1, axis2); });
  });
  module.def("moveaxis", [](nb::handle a, nb::handle source, nb::handle destination) {
    const Tensor x = taken(a);
    const Dims from = to_dims(source);
    const Dims to = to_dims(destination);
    return result_of([&] { return numpy::moveaxis(x, from, to); });
  });
  module.def("rollaxis", [](nb::handle a, Index axis, Index start) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::rollaxis(x, axis, start); });
  });
  module.def("expand_dims", [](nb::handle a, nb::handle axis) {
    const Tensor x = taken(a);
    const Dims axes = to_dims(axis);
    return result_of([&] { return numpy::expand_dims(x, axes); });
  });
  module.def(
      "squeeze",
      [](nb::handle a, nb::handle axis) {
        const Tensor x = taken(a);
        if (axis.is_none()) return made_or(a, x, [&] { return numpy::squeeze(x); });
        const Dims axes = to_dims(axis);
        const bool is_one = PyIndex_Check(axis.ptr()) != 0;
        return made_or(a, x, [&] { return is_one ? numpy::squeeze(x, axes[0]) : numpy::squeeze(x, axes); });
      },
      nb::arg("a"), nb::arg("axis").none());
  module.def("atleast_3d", [](nb::handle a) {
    const Tensor x = taken(a);
    return made_or(a, x, [&] { return numpy::atleast_3d(x); });
  });
  module.def("diagonal", [](nb::handle a, Index offset, Index axis1, Index axis2) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::diagonal(x, offset, axis1, axis2); });
  });
  module.def("broadcast_to", [](nb::handle a, nb::handle shape) {
    const Tensor x = taken(a);
    const Dims sizes = to_dims(shape);
    return result_of([&] { return numpy::broadcast_to(x, sizes); });
  });
}

void define_views(nb::module_& module) {
  module.def(
      "flip",
      [](nb::handle a, nb::handle axis) {
        const Tensor x = taken(a);
        const std::optional<Dims> axes = maybe_dims(axis);
        return result_of([&] { return axes ? numpy::flip(x, *axes) : numpy::flip(x); });
      },
      nb::arg("a"), nb::arg("axis").none());
  module.def("fliplr", [](nb::handle a) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::fliplr(x); });
  });
  module.def("flipud", [](nb::handle a) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::flipud(x); });
  });
  module.def("rot90", [](nb::handle a, Index k, nb::handle axes) {
    const Tensor x = taken(a);
    const Dims plane = to_dims(axes);
    return result_of([&] { return numpy::rot90(x, k, plane); });
  });
  module.def(
      "sliding_window_view",
      [](nb::handle a, nb::handle window_shape, nb::handle axis) {
        const Tensor x = taken(a);
        const Dims window = to_dims(window_shape);
        const std::optional<Dims> axes = maybe_dims(axis);
        return result_of([&] { return numpy::sliding_window_view(x, window, axes); });
      },
      nb::arg("a"), nb::arg("window_shape"), nb::arg("axis").none());
  module.def("index", [](nb::handle a, nb::handle key) {
    const Tensor x = taken(a);
    const std::vector<BasicIndex> entries = to_basic(key);
    return result_of([&] { return numpy::index(x, entries); });
  });
  module.def("view", [](nb::handle a, nb::handle dtype) {
    const Tensor x = taken(a);
    const DType type = to_type(dtype, "view");
    return result_of([&] { return numpy::view_dtype(x, type); });
  });
  module.def(
      "as_strided",
      [](nb::handle a, nb::handle shape, nb::handle strides) {
        const Tensor x = taken(a);
        const Dims sizes = shape.is_none() ? x.shape() : to_dims(shape);
        const Dims steps = strides.is_none() ? numpy::byte_strides(x) : to_dims(strides);
        return result_of([&] { return numpy::as_strided(x, sizes, steps); });
      },
      nb::arg("a"), nb::arg("shape").none(), nb::arg("strides").none());
  module.def("real", [](nb::handle a) {
    const Tensor x = taken(a);
    return made_or(a, x, [&] { return numpy::real(x); });
  });
  module.def("imag", [](nb::handle a) {
    const Tensor x = taken(a);
    return result_of([&] { return numpy::imag(x); });
  });
}

/// An array, or a number as a tensor of the type where that is not of a lower kind.
Tensor taken_or_number(nb::handle given, DType type) {
  Given held;
  const Value value = to_value(given.ptr(), held);
  if (value.number() == nullptr) return taken(given);
  const DType own = value.number()->dtype();
  const bool are_whole = is_integer(own) && is_integer(type);
  const bool is_higher = !are_whole && detail::facts(own).kind > detail::facts(type).kind;
  return full({}, *value.number(), {.dtype = is_higher ? own : type});
}

void define_copies(nb::module_& module) {
  module.def("copyto", [](nb::handle dst, nb::handle src) {
    Tensor destination = taken(dst);
    const Tensor source = taken_or_number(src, destination.dtype());
    carried_out([&] { return numpy::copyto(destination, source); });
  });
  module.def(
      "concatenate",
      [](nb::handle arrays, std::optional<Index> axis) {
        const std::vector<Tensor> tensors = all_taken(arrays);
        return result_of([&] { return numpy::concatenate(tensors, axis); });
      },
      nb::arg("arrays"), nb::arg("axis").none());
  module.def("stack", [](nb::handle arrays, Index axis) {
    const std::vector<Tensor> tensors = all_taken(arrays);
    return result_of([&] { return numpy::stack(tensors, axis); });
  });
  module.def("tile", [](nb::handle a, nb::handle reps) {
    const Tensor x = taken(a);
    const Dims counts = to_dims(reps);
    return result_of([&] { return numpy::tile(x, counts); });
  });
  module.def(
      "repeat",
      [](nb::handle a, Index repeats, std::optional<Index> axis) {
        const Tensor x = taken(a);
        return result_of([&] { return numpy::repeat(x, repeats, axis); });
      },
      nb::arg("a"), nb::arg("repeats"), nb::arg("axis").none());
  module.def(
      "roll",
      [](nb::handle a, nb::handle shift, nb::handle axis) {
        const Tensor x = taken(a);
        const Dims shifts = to_dims(shift);
        const std::optional<Dims> axes = maybe_dims(axis);
        return result_of([&] { return numpy::roll(x, shifts, axes); });
      },
      nb::arg("a"), nb::arg("shift"), nb::arg("axis").none());
}

}  // namespace

void define_numpy_functions(nb::module_& module) {
  nb::module_ functions = module.def_submodule("_numpy", "What stands behind `tenstride.numpy`.");
  const nb::object bases = nb::make_tuple(module.attr("AxisError"), nb::handle(PyExc_ValueError));
  axis_error = PyErr_NewExceptionWithDoc(
      "tenstride.numpy.AxisError", "An axis that is not there: an IndexError and a ValueError, as NumPy's.",
      bases.ptr(), nullptr);
  if (axis_error == nullptr) throw nb::python_error();
  functions.attr("AxisError") = nb::handle(axis_error);
  define_order(functions);
  define_axes(functions);
  define_views(functions);
  define_copies(functions);
  functions.def("is_c_contiguous", [](nb::handle a) { return numpy::is_c_contiguous(taken(a)); });
  functions.def("is_f_contiguous", [](nb::handle a) { return numpy::is_f_contiguous(taken(a)); });
  functions.def("strides", [](nb::handle a) { return nb::steal(new_tuple(numpy::byte_strides(taken(a)))); });
}

}  // namespace tenstride::python
