// SPDX-License-Identifier: Apache-2.0
#include "numpy_functions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/message.hpp"
#include "errors.hpp"
#include "ledger.hpp"
#include "numpy_arguments.hpp"
#include "tenstride/base/error.hpp"
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

/// What `work` gives, with NumPy's kinds of exceptions: what does not fit is a ValueError.
template <typename Work>
decltype(auto) with_kinds_of_numpy(const Work& work) {
  try {
    return work();
  } catch (const AxisError& error) {
    raise_axis(error);
  } catch (const RankError& error) {
    throw ValueError(error.what());
  } catch (const ShapeError& error) {
    throw ValueError(error.what());
  }
}

/// The type of each parameter.
template <typename>
using AnyObject = nb::handle;

/// A function of Python objects with these names, all of which may be None.
template <typename Function, typename... Names>
void add_function(nb::module_& module, const char* name, const Function& function, const Names*... names) {
  module.def(
      name,
      [function](AnyObject<Names>... given) {
        return with_kinds_of_numpy([&] { return function(given...); });
      },
      nb::arg(names).none()...);
}

/// What `work` gives, without the GIL: it touches no Python object. A shape that no array has is a
/// ValueError.
template <typename Work>
Tensor carried_out(const Work& work) {
  const LedgerPlaces places;
  try {
    const nb::gil_scoped_release released;
    return work();
  } catch (const OverflowError& error) {
    throw ValueError(error.what());
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

template <typename Function>
void add_unary(nb::module_& module, const char* name, const Function& function) {
  const auto run = [function](nb::handle a) {
    const Tensor x = numpy_tensor(a);
    return result_of([&] { return function(x); });
  };
  add_function(module, name, run, "a");
}
template <typename Function>
void add_unary_or_self(nb::module_& module, const char* name, const Function& function) {
  const auto run = [function](nb::handle a) {
    const Tensor x = numpy_tensor(a);
    return made_or(a, x, [&] { return function(x); });
  };
  add_function(module, name, run, "a");
}
template <typename Function>
void add_ordered(nb::module_& module, const char* name, Order otherwise, const Function& function) {
  const auto run = [name, otherwise, function](nb::handle a, nb::handle order) {
    const Tensor x = numpy_tensor(a);
    const Order how = numpy_order(order, otherwise, name);
    return result_of([&] { return function(x, how); });
  };
  add_function(module, name, run, "a", "order");
}

void define_order(nb::module_& module) {
  add_function(
      module, "reshape",
      [](nb::handle a, nb::handle shape, nb::handle order, nb::handle copy) {
        const Tensor x = numpy_tensor(a);
        const Dims sizes = numpy_sizes(shape, "reshape");
        const Order how = numpy_order(order, Order::C, "reshape");
        const CopyRule rule = numpy_copy_rule(copy, "reshape");
        return result_of([&] { return numpy::reshape(x, sizes, how, rule); });
      },
      "a", "shape", "order", "copy");
  add_ordered(module, "ravel", Order::C, [](const Tensor& x, Order order) { return numpy::ravel(x, order); });
  add_ordered(module, "flatten", Order::C,
              [](const Tensor& x, Order order) { return numpy::flatten(x, order); });
  add_ordered(module, "copy", Order::K, [](const Tensor& x, Order order) { return numpy::copy(x, order); });
  add_unary_or_self(module, "ascontiguousarray", [](const Tensor& x) { return numpy::ascontiguousarray(x); });
  add_unary_or_self(module, "asfortranarray", [](const Tensor& x) { return numpy::asfortranarray(x); });
  add_function(
      module, "asarray",
      [](nb::handle a, nb::handle order, nb::handle copy) {
        const Tensor x = numpy_tensor(a);
        const Order how = numpy_order(order, Order::K, "asarray");
        const CopyRule rule = numpy_copy_rule(copy, "asarray");
        return made_or(a, x, [&] { return numpy::asarray(x, how, rule); });
      },
      "a", "order", "copy");
  add_function(
      module, "astype",
      [](nb::handle a, nb::handle dtype, nb::handle order, nb::handle copy) {
        const Tensor x = numpy_tensor(a);
        const DType type = numpy_dtype(dtype, "astype");
        const Order how = numpy_order(order, Order::K, "astype");
        const int is_asked = PyObject_IsTrue(copy.ptr());
        if (is_asked < 0) throw nb::python_error();
        const CopyRule rule = is_asked == 1 ? CopyRule::always : CopyRule::if_needed;
        return made_or(a, x, [&] { return numpy::astype(x, type, how, rule); });
      },
      "a", "dtype", "order", "copy");
  add_ordered(module, "empty_like", Order::K,
              [](const Tensor& x, Order order) { return numpy::empty_like(x, order); });
}

void define_axes(nb::module_& module) {
  add_function(
      module, "transpose",
      [](nb::handle a, nb::handle axes) {
        const Tensor x = numpy_tensor(a);
        if (axes.is_none()) return result_of([&] { return numpy::transpose(x); });
        const Dims order = numpy_sizes(axes, "transpose");
        return result_of([&] { return numpy::transpose(x, order); });
      },
      "a", "axes");
  add_unary(module, "matrix_transpose", [](const Tensor& x) { return numpy::matrix_transpose(x); });
  add_function(
      module, "swapaxes",
      [](nb::handle a, nb::handle axis1, nb::handle axis2) {
        const Tensor x = numpy_tensor(a);
        const Index first = to_index(axis1.ptr());
        const Index second = to_index(axis2.ptr());
        return result_of([&] { return numpy::swapaxes(x, first, second); });
      },
      "a", "axis1", "axis2");
  add_function(
      module, "moveaxis",
      [](nb::handle a, nb::handle source, nb::handle destination) {
        const Tensor x = numpy_tensor(a);
        const Dims from = numpy_axes(source);
        const Dims to = numpy_axes(destination);
        return result_of([&] { return numpy::moveaxis(x, from, to); });
      },
      "a", "source", "destination");
  add_function(
      module, "rollaxis",
      [](nb::handle a, nb::handle axis, nb::handle start) {
        const Tensor x = numpy_tensor(a);
        const Index moved = to_index(axis.ptr());
        const Index place = to_clamped_index(start.ptr());
        return result_of([&] { return numpy::rollaxis(x, moved, place); });
      },
      "a", "axis", "start");
  add_function(
      module, "expand_dims",
      [](nb::handle a, nb::handle axis) {
        const Tensor x = numpy_tensor(a);
        const Dims axes = numpy_axes(axis);
        return result_of([&] { return numpy::expand_dims(x, axes); });
      },
      "a", "axis");
  add_function(
      module, "squeeze",
      [](nb::handle a, nb::handle axis) {
        const Tensor x = numpy_tensor(a);
        if (axis.is_none()) return made_or(a, x, [&] { return numpy::squeeze(x); });
        refuse_bools(axis, "squeeze");
        const Dims axes = numpy_axes(axis);
        const bool is_one = PyIndex_Check(axis.ptr()) != 0 && axes.size() == 1;
        return made_or(a, x, [&] { return is_one ? numpy::squeeze(x, axes[0]) : numpy::squeeze(x, axes); });
      },
      "a", "axis");
  add_unary_or_self(module, "atleast_3d", [](const Tensor& x) { return numpy::atleast_3d(x); });
  add_function(
      module, "diagonal",
      [](nb::handle a, nb::handle offset, nb::handle axis1, nb::handle axis2) {
        const Tensor x = numpy_tensor(a);
        const Index by = to_index(offset.ptr());
        const Index first = to_index(axis1.ptr());
        const Index second = to_index(axis2.ptr());
        return result_of([&] { return numpy::diagonal(x, by, first, second); });
      },
      "a", "offset", "axis1", "axis2");
  add_function(
      module, "broadcast_to",
      [](nb::handle a, nb::handle shape) {
        const Tensor x = numpy_tensor(a);
        const Dims sizes = numpy_sizes(shape, "broadcast_to");
        return result_of([&] { return numpy::broadcast_to(x, sizes); });
      },
      "a", "shape");
}

void define_views(nb::module_& module) {
  add_function(
      module, "flip",
      [](nb::handle a, nb::handle axis) {
        const Tensor x = numpy_tensor(a);
        const std::optional<Dims> axes = maybe_numpy_axes(axis);
        return result_of([&] { return axes ? numpy::flip(x, *axes) : numpy::flip(x); });
      },
      "a", "axis");
  add_unary(module, "fliplr", [](const Tensor& x) { return numpy::fliplr(x); });
  add_unary(module, "flipud", [](const Tensor& x) { return numpy::flipud(x); });
  add_function(
      module, "rot90",
      [](nb::handle a, nb::handle k, nb::handle axes) {
        const Tensor x = numpy_tensor(a);
        const Index quarters = periodic_int(k, 4);
        if (PyLong_Check(axes.ptr()) != 0) throw TypeError("rot90: axes must be two ints, not one");
        const Dims plane = clamped_ints(axes);
        return result_of([&] { return numpy::rot90(x, quarters, plane); });
      },
      "a", "k", "axes");
  add_function(
      module, "sliding_window_view",
      [](nb::handle a, nb::handle window_shape, nb::handle axis) {
        const Tensor x = numpy_tensor(a);
        refuse_bools(window_shape, "sliding_window_view");
        const Dims window = clamped_ints(window_shape);
        const std::optional<Dims> axes = maybe_numpy_axes(axis);
        return result_of([&] { return numpy::sliding_window_view(x, window, axes); });
      },
      "a", "window_shape", "axis");
  add_function(
      module, "index",
      [](nb::handle a, nb::handle key) {
        const Tensor x = numpy_tensor(a);
        const std::vector<BasicIndex> entries = numpy_index(key);
        return result_of([&] { return numpy::index(x, entries); });
      },
      "a", "key");
  add_function(
      module, "view",
      [](nb::handle a, nb::handle dtype) {
        const Tensor x = numpy_tensor(a);
        const DType type = numpy_dtype(dtype, "view");
        return result_of([&] { return numpy::view_dtype(x, type); });
      },
      "a", "dtype");
  add_function(
      module, "as_strided",
      [](nb::handle a, nb::handle shape, nb::handle strides) {
        const Tensor x = numpy_tensor(a);
        const Dims sizes = shape.is_none() ? x.shape() : numpy_axes(shape);
        const Dims steps = strides.is_none() ? numpy::byte_strides(x) : numpy_axes(strides);
        return result_of([&] { return numpy::as_strided(x, sizes, steps); });
      },
      "a", "shape", "strides");
  add_unary_or_self(module, "real", [](const Tensor& x) { return numpy::real(x); });
  add_unary(module, "imag", [](const Tensor& x) { return numpy::imag(x); });
}

numpy::PadMode to_pad_mode(const std::string& mode) {
  using numpy::PadMode;
  static constexpr std::pair<std::string_view, PadMode> modes[] = {
      {"constant", PadMode::constant},   {"edge", PadMode::edge}, {"reflect", PadMode::reflect},
      {"symmetric", PadMode::symmetric}, {"wrap", PadMode::wrap}, {"empty", PadMode::empty}};
  for (const auto& [name, value] : modes) {
    if (mode == name) return value;
  }
  throw ValueError(detail::message("pad: mode '", mode,
                                   "' must be 'constant', 'edge', 'reflect', 'symmetric', "
                                   "'wrap' or 'empty'"));
}

void define_copies(nb::module_& module) {
  add_function(
      module, "copyto",
      [](nb::handle dst, nb::handle src) {
        Tensor destination = numpy_destination(dst);
        const Tensor source = numpy_source(src, destination.dtype());
        carried_out([&] { return numpy::copyto(destination, source); });
      },
      "dst", "src");
  add_function(
      module, "concatenate",
      [](nb::handle arrays, nb::handle axis) {
        const std::vector<Tensor> tensors = numpy_tensors(arrays, "concatenate");
        refuse_bools(axis, "concatenate");
        const std::optional<Index> along =
            axis.is_none() ? std::nullopt : std::optional(to_index(axis.ptr()));
        return result_of([&] { return numpy::concatenate(tensors, along); });
      },
      "arrays", "axis");
  add_function(
      module, "stack",
      [](nb::handle arrays, nb::handle axis) {
        const std::vector<Tensor> tensors = numpy_tensors(arrays, "stack");
        const Index along = to_index(axis.ptr());
        return result_of([&] { return numpy::stack(tensors, along); });
      },
      "arrays", "axis");
  add_function(
      module, "tile",
      [](nb::handle a, nb::handle reps) {
        const Tensor x = numpy_tensor(a);
        const Dims counts = numpy_axes(reps);
        return result_of([&] { return numpy::tile(x, counts); });
      },
      "a", "reps");
  add_function(
      module, "repeat",
      [](nb::handle a, nb::handle repeats, nb::handle axis) {
        const Tensor x = numpy_tensor(a);
        refuse_bools(axis, "repeat");
        const std::optional<Index> along =
            axis.is_none() ? std::nullopt : std::optional(to_index(axis.ptr()));
        if (PyLong_Check(repeats.ptr()) == 0) {
          const Tensor counts = numpy_tensor(repeats);
          return result_of([&] { return numpy::repeat(x, counts, along); });
        }
        const Index count = to_index(repeats.ptr());
        return result_of([&] { return numpy::repeat(x, count, along); });
      },
      "a", "repeats", "axis");
  add_function(
      module, "pad",
      [](nb::handle a, nb::handle widths, nb::handle mode, nb::handle values) {
        const Tensor x = numpy_tensor(a);
        const Dims flat = numpy_axes(widths);
        std::vector<numpy::PadWidth> pairs;
        for (std::size_t i = 0; i + 1 < flat.size(); i += 2) pairs.push_back({flat[i], flat[i + 1]});
        const numpy::PadMode how = to_pad_mode(nb::cast<std::string>(mode));
        const std::vector<Tensor> numbers = numpy_tensors(values, "pad");
        return result_of([&] { return numpy::pad(x, pairs, how, numbers); });
      },
      "a", "pad_width", "mode", "constant_values");
  add_function(
      module, "roll",
      [](nb::handle a, nb::handle shift, nb::handle axis) {
        const Tensor x = numpy_tensor(a);
        // A shift by all elements moves none, along each axis, too.
        const Dims shifts = periodic_ints(shift, std::max<Index>(x.numel(), 1));
        const std::optional<Dims> axes = maybe_numpy_axes(axis);
        return result_of([&] { return numpy::roll(x, shifts, axes); });
      },
      "a", "shift", "axis");
}

void define_questions(nb::module_& module) {
  add_function(
      module, "is_c_contiguous", [](nb::handle a) { return numpy::is_c_contiguous(numpy_tensor(a)); }, "a");
  add_function(
      module, "is_f_contiguous", [](nb::handle a) { return numpy::is_f_contiguous(numpy_tensor(a)); }, "a");
  add_function(
      module, "strides",
      [](nb::handle a) { return nb::steal(new_tuple(numpy::byte_strides(numpy_tensor(a)))); }, "a");
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
  define_questions(functions);
}

}  // namespace tenstride::python
