// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "converting.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "ledger.hpp"
#include "made.hpp"
#include "tenstride/convert.hpp"
#include "types.hpp"
#include "values.hpp"

/// Arrays in another order of axes and of another type, in one pass.
namespace tenstride::python {
namespace {

namespace nb = nanobind;

std::vector<AxisSize> sizes_of(const nb::dict& given) {
  std::vector<AxisSize> sizes;
  for (const auto& [name, size] : given) sizes.push_back({nb::cast<std::string>(name), to_index(size.ptr())});
  return sizes;
}

/// `given` is a tensor or a list of them; where `out` is none, the result is a new tensor.
nb::object convert_elements(nb::handle given, const std::string& pattern, const nb::dict& sizes,
                            nb::handle dtype, nb::handle scale_given, nb::handle shift_given, Index axis,
                            nb::handle out) {
  const std::vector<double> scale = scale_numbers(scale_given);
  const std::vector<double> shift = scale_numbers(shift_given);
  const std::vector<AxisSize> known = sizes_of(sizes);
  const ConvertOptions options{to_dtype(dtype, "convert"), {scale, shift, axis}, known};
  std::vector<Tensor> tensors;
  const bool is_list = !is_tensor(given.ptr());
  if (is_list) {
    for (const nb::handle one : given) tensors.push_back(tensor_of(one.ptr()));
  } else {
    tensors.push_back(tensor_of(given.ptr()));
  }
  Tensor result = out.is_none() ? Tensor() : tensor_of(out.ptr());
  {
    const LedgerPlaces places;
    const nb::gil_scoped_release released;
    const TensorList list(tensors);
    if (out.is_none()) {
      result = is_list ? convert(list, pattern, options) : convert(tensors[0], pattern, options);
    } else if (is_list) {
      convert_into(result, list, pattern, options);
    } else {
      convert_into(result, tensors[0], pattern, options);
    }
  }
  return nb::steal(new_tensor(std::move(result)));
}

}  // namespace

void define_converting_elements(nb::module_& module) {
  module.def("_convert_elements", convert_elements, nb::arg("given"), nb::arg("pattern"), nb::arg("sizes"),
             nb::arg("dtype").none(), nb::arg("scale").none(), nb::arg("shift").none(), nb::arg("axis"),
             nb::arg("out").none());
}

}  // namespace tenstride::python
