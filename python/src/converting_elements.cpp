// SPDX-License-Identifier: Apache-2.0
#include "einops.hpp"
#include "exchange.hpp"
#include "module_parts.hpp"
#include "tenstride/einops/convert.hpp"
#include "types.hpp"

/// Arrays in another order of axes and of another type, in one pass.
namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// `given` is a tensor or a list of them; where `out` is none, the result is a new tensor.
nb::object convert_elements(nb::handle given, const std::string& pattern, const nb::dict& sizes,
                            nb::handle dtype, nb::handle scale_given, nb::handle shift_given, Index axis,
                            nb::handle out) {
  const std::vector<double> scale = scale_numbers(scale_given);
  const std::vector<double> shift = scale_numbers(shift_given);
  const std::vector<AxisSize> known = axis_sizes(sizes);
  const ConvertOptions options{to_dtype(dtype, "convert"), {scale, shift, axis}, known};
  const Tensor destination = out.is_none() ? Tensor() : required_tensor(out, "convert");
  const auto converted = [&](const auto& sources) {
    if (out.is_none()) return convert(sources, pattern, options);
    Tensor result = destination;
    convert_into(result, sources, pattern, options);
    return result;
  };
  if (is_tensor(given.ptr())) {
    const Tensor x = tensor_of(given.ptr());
    return moved([&] { return converted(x); });
  }
  const std::vector<Tensor> tensors = tensors_of(given, "convert");
  return moved([&] { return converted(TensorList(tensors)); });
}

}  // namespace

void define_converting_elements(nb::module_& module) {
  module.def("_convert_elements", convert_elements, nb::arg("given"), nb::arg("pattern"), nb::arg("sizes"),
             nb::arg("dtype").none(), nb::arg("scale").none(), nb::arg("shift").none(), nb::arg("axis"),
             nb::arg("out").none());
}

}  // namespace tenstride::python
