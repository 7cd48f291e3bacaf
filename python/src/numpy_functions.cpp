// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/message.hpp"
#include "errors.hpp"
#include "ledger.hpp"
#include "module_parts.hpp"
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

/// A parameter: its name, and what reads it, which may also take the name of the function.
template <typename Read>
struct Parameter {
  Parameter(const char* given_name, Read given_read) : name(given_name), read(given_read) {}
  [[nodiscard]] auto operator()(nb::handle given, const char* function) const {
    if constexpr (std::is_invocable_v<Read, nb::handle, const char*>) {
      return read(given, function);
    } else {
      return read(given);
    }
  }
  const char* name;
  Read read;
};

Index an_index(nb::handle given) {
  return to_index(given.ptr());
}
template <Order otherwise>
Order order_or(nb::handle given, const char* function) {
  return numpy_order(given, otherwise, function);
}

enum class Gives { fresh, fresh_or_given };

/// A function of a tensor "a" and of what its further parameters are read as.
template <Gives gives = Gives::fresh, typename Function, typename... Read>
void add_read(nb::module_& module, const char* name, const Function& function,
              const Parameter<Read>&... parameters) {
  const auto run = [=](nb::handle a, AnyObject<Read>... given) {
    const Tensor x = numpy_tensor(a);
    const std::tuple read{parameters(given, name)...};
    const auto work = [&] {
      return std::apply([&](const auto&... each) { return function(x, each...); }, read);
    };
    if constexpr (gives == Gives::fresh) {
      return result_of(work);
    } else {
      return made_or(a, x, work);
    }
  };
  add_function(module, name, run, "a", parameters.name...);
}

void define_order(nb::module_& module) {
  const Parameter order("order", order_or<Order::K>);
  const Parameter row_major("order", order_or<Order::C>);
  const Parameter copy("copy", numpy_copy_rule);
  add_read(
      module, "reshape", [](const auto&... given) { return numpy::reshape(given...); },
      Parameter("shape", numpy_sizes), row_major, copy);
  add_read(
      module, "ravel", [](const auto&... given) { return numpy::ravel(given...); }, row_major);
  add_read(
      module, "flatten", [](const auto&... given) { return numpy::flatten(given...); }, row_major);
  add_read(
      module, "copy", [](const auto&... given) { return numpy::copy(given...); }, order);
  add_read<Gives::fresh_or_given>(module, "ascontiguousarray",
                                  [](const auto&... given) { return numpy::ascontiguousarray(given...); });
  add_read<Gives::fresh_or_given>(module, "asfortranarray",
                                  [](const auto&... given) { return numpy::asfortranarray(given...); });
  add_read<Gives::fresh_or_given>(
      module, "asarray", [](const auto&... given) { return numpy::asarray(given...); }, order, copy);
  const auto asked_copy = [](nb::handle given) {
    const int is_asked = PyObject_IsTrue(given.ptr());
    if (is_asked < 0) throw nb::python_error();
    return is_asked == 1 ? CopyRule::always : CopyRule::if_needed;
  };
  add_read<Gives::fresh_or_given>(
      module, "astype", [](const auto&... given) { return numpy::astype(given...); },
      Parameter("dtype", numpy_dtype), order, Parameter("copy", asked_copy));
  add_read(
      module, "empty_like", [](const auto&... given) { return numpy::empty_like(given...); }, order);
}

void define_axes(nb::module_& module) {
  add_read(
      module, "transpose",
      [](const Tensor& x, const std::optional<Dims>& axes) {
        return axes ? numpy::transpose(x, *axes) : numpy::transpose(x);
      },
      Parameter("axes", [](nb::handle axes, const char* function) {
        return axes.is_none() ? std::nullopt : std::optional(numpy_sizes(axes, function));
      }));
  add_read(module, "matrix_transpose",
           [](const auto&... given) { return numpy::matrix_transpose(given...); });
  add_read(
      module, "swapaxes", [](const auto&... given) { return numpy::swapaxes(given...); },
      Parameter("axis1", an_index), Parameter("axis2", an_index));
  add_read(
      module, "moveaxis", [](const auto&... given) { return numpy::moveaxis(given...); },
      Parameter("source", numpy_axes), Parameter("destination", numpy_axes));
  add_read(
      module, "rollaxis", [](const auto&... given) { return numpy::rollaxis(given...); },
      Parameter("axis", an_index),
      Parameter("start", [](nb::handle start) { return to_clamped_index(start.ptr()); }));
  add_read(
      module, "expand_dims", [](const auto&... given) { return numpy::expand_dims(given...); },
      Parameter("axis", numpy_axes));
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
  add_read<Gives::fresh_or_given>(module, "atleast_3d",
                                  [](const auto&... given) { return numpy::atleast_3d(given...); });
  add_read(
      module, "diagonal", [](const auto&... given) { return numpy::diagonal(given...); },
      Parameter("offset", an_index), Parameter("axis1", an_index), Parameter("axis2", an_index));
  add_read(
      module, "broadcast_to", [](const auto&... given) { return numpy::broadcast_to(given...); },
      Parameter("shape", numpy_sizes));
}

void define_views(nb::module_& module) {
  add_read(
      module, "flip",
      [](const Tensor& x, const std::optional<Dims>& axes) {
        return axes ? numpy::flip(x, *axes) : numpy::flip(x);
      },
      Parameter("axis", maybe_numpy_axes));
  add_read(module, "fliplr", [](const auto&... given) { return numpy::fliplr(given...); });
  add_read(module, "flipud", [](const auto&... given) { return numpy::flipud(given...); });
  add_read(
      module, "rot90", [](const auto&... given) { return numpy::rot90(given...); },
      Parameter("k", [](nb::handle k) { return periodic_int(k, 4); }), Parameter("axes", [](nb::handle axes) {
        if (PyLong_Check(axes.ptr()) != 0) throw TypeError("rot90: axes must be two ints, not one");
        return clamped_ints(axes);
      }));
  add_read(
      module, "sliding_window_view",
      [](const auto&... given) { return numpy::sliding_window_view(given...); },
      Parameter("window_shape",
                [](nb::handle shape, const char* function) {
                  refuse_bools(shape, function);
                  return clamped_ints(shape);
                }),
      Parameter("axis", maybe_numpy_axes));
  add_read(
      module, "index", [](const auto&... given) { return numpy::index(given...); },
      Parameter("key", numpy_index));
  add_read(
      module, "view", [](const auto&... given) { return numpy::view_dtype(given...); },
      Parameter("dtype", numpy_dtype));
  add_function(
      module, "as_strided",
      [](nb::handle a, nb::handle shape, nb::handle strides) {
        const Tensor x = numpy_tensor(a);
        const Dims sizes = shape.is_none() ? x.shape() : numpy_axes(shape);
        const Dims steps = strides.is_none() ? numpy::byte_strides(x) : numpy_axes(strides);
        return result_of([&] { return numpy::as_strided(x, sizes, steps); });
      },
      "a", "shape", "strides");
  add_read<Gives::fresh_or_given>(module, "real", [](const auto&... given) { return numpy::real(given...); });
  add_read(module, "imag", [](const auto&... given) { return numpy::imag(given...); });
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
  add_read(
      module, "tile", [](const auto&... given) { return numpy::tile(given...); },
      Parameter("reps", numpy_axes));
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
