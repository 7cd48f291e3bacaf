// SPDX-License-Identifier: Apache-2.0
#include "einops.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "ledger.hpp"
#include "sequences.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace nb = nanobind;

std::vector<AxisSize> axis_sizes(const nb::dict& given) {
  std::vector<AxisSize> sizes;
  for (const auto& [name, size] : given) {
    sizes.push_back({nb::cast<std::string>(name), to_index(size.ptr())});
  }
  return sizes;
}

std::vector<double> scale_numbers(nb::handle given) {
  if (given.is_none()) return {};
  std::vector<double> numbers;
  const auto add = [&numbers](PyObject* number) {
    numbers.push_back(PyFloat_AsDouble(number));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  };
  if (PyObject_HasAttrString(given.ptr(), "__iter__") == 0) {
    add(given.ptr());
  } else {
    each_of(given, add);
  }
  return numbers;
}

const Tensor& required_tensor(nb::handle given, std::string_view operation) {
  if (is_tensor(given.ptr())) return tensor_of(given.ptr());
  throw TypeError(detail::message(operation, ": ", name_of_type(given), " must be a Tensor"));
}

std::vector<Tensor> tensors_of(nb::handle list, std::string_view operation) {
  std::vector<Tensor> tensors;
  each_of(list, [&](PyObject* entry) {
    if (!is_tensor(entry)) throw TypeError(detail::message(operation, ": a list of tensors must be given"));
    tensors.push_back(tensor_of(entry));
  });
  return tensors;
}

nb::object moved(const std::function<Tensor()>& work) {
  const LedgerPlaces places;
  Tensor result;
  {
    const nb::gil_scoped_release released;
    result = work();
  }
  return nb::steal(new_tensor(std::move(result)));
}

namespace {

/// One tensor, or several that count as one with the list as its first axis.
template <typename Work>
nb::object verb(nb::handle given, std::string_view operation, const Work& work) {
  if (is_tensor(given.ptr())) {
    const Tensor tensor = tensor_of(given.ptr());
    nb::object result = moved([&] { return work(tensor); });
    // Where the pattern changes nothing the very same object comes back, as from einops.
    return tensor_of(result.ptr()).is_same(tensor) ? nb::borrow(given) : result;
  }
  const std::vector<Tensor> tensors = tensors_of(given, operation);
  return moved([&] { return work(TensorList(tensors)); });
}

nb::object rearranged(nb::handle given, const std::string& pattern, const nb::dict& lengths,
                      nb::handle copy) {
  const std::vector<AxisSize> sizes = axis_sizes(lengths);
  const CopyRule rule = to_copy_rule(copy, "rearrange");
  return verb(given, "rearrange", [&](const auto& x) { return rearrange(x, pattern, sizes, rule); });
}

nb::object repeated(nb::handle given, const std::string& pattern, const nb::dict& lengths, nb::handle copy) {
  const std::vector<AxisSize> sizes = axis_sizes(lengths);
  const CopyRule rule = to_copy_rule(copy, "repeat");
  return verb(given, "repeat", [&](const auto& x) { return repeat(x, pattern, sizes, rule); });
}

nb::object reduced(nb::handle given, const std::string& pattern, const std::string& reduction,
                   const nb::dict& lengths) {
  // In einops the other verbs are reductions, too, which leave out no axis.
  if (reduction == "rearrange") return rearranged(given, pattern, lengths, nb::none());
  if (reduction == "repeat") return repeated(given, pattern, lengths, nb::none());
  const std::vector<AxisSize> sizes = axis_sizes(lengths);
  const Reduction how = parse_reduction(reduction);
  return verb(given, "reduce", [&](const auto& x) { return reduce(x, pattern, how, sizes); });
}

nb::object packed(nb::handle given, const std::string& pattern) {
  const std::vector<Tensor> tensors = tensors_of(given, "pack");
  std::vector<Dims> shapes;
  const nb::object whole = moved([&] {
    Packed result = pack(tensors, pattern);
    shapes = std::move(result.shapes);
    return std::move(result.tensor);
  });
  nb::list sizes;
  for (const Dims& shape : shapes) sizes.append(nb::steal(new_tuple(shape)));
  return nb::make_tuple(whole, sizes);
}

nb::object unpacked(nb::handle given, nb::handle packed_shapes, const std::string& pattern) {
  std::vector<Dims> shapes;
  each_of(packed_shapes, [&](PyObject* shape) {
    Dims& sizes = shapes.emplace_back();
    each_of(shape, [&](PyObject* size) { sizes.push_back(to_index(size)); });
  });
  nb::list parts;
  for (Tensor& part : unpack(required_tensor(given, "unpack"), shapes, pattern)) {
    parts.append(nb::steal(new_tensor(std::move(part))));
  }
  return parts;
}

nb::object parsed_shape(nb::handle given, const std::string& pattern) {
  nb::dict sizes;
  for (const AxisSize& axis : parse_shape(required_tensor(given, "parse_shape"), pattern))
    sizes[axis.name.c_str()] = axis.size;
  return sizes;
}

}  // namespace

void define_einops(nb::module_& module) {
  module.def("_rearrange", rearranged, nb::arg("tensor"), nb::arg("pattern"), nb::arg("sizes"),
             nb::arg("copy").none());
  module.def("_reduce", reduced, nb::arg("tensor"), nb::arg("pattern"), nb::arg("reduction"),
             nb::arg("sizes"));
  module.def("_repeat", repeated, nb::arg("tensor"), nb::arg("pattern"), nb::arg("sizes"),
             nb::arg("copy").none());
  module.def("_pack", packed, nb::arg("tensors"), nb::arg("pattern"));
  module.def("_unpack", unpacked, nb::arg("tensor"), nb::arg("packed_shapes"), nb::arg("pattern"));
  module.def("_parse_shape", parsed_shape, nb::arg("x"), nb::arg("pattern"));
}

}  // namespace tenstride::python
