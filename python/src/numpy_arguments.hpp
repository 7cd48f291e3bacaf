// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>
#include <vector>

#include "tenstride/ops/numpy.hpp"

/// Python's objects as the arguments of NumPy's functions: what NumPy takes, and its kinds of exceptions.
namespace tenstride::python {

/// A tensor, or what can be seen as one on the same memory. Throws TypeError.
Tensor numpy_tensor(nanobind::handle given);
/// Those of a list, or along axis 0 of a tensor.
std::vector<Tensor> numpy_tensors(nanobind::handle given, std::string_view operation);
/// Where a result of `copyto` goes: ValueError where it must not be written to.
Tensor numpy_destination(nanobind::handle given);
/// A tensor, or a number as one that goes into elements of `type` as NumPy assigns it: OverflowError for an
/// int outside of an integer type.
Tensor numpy_source(nanobind::handle given, DType type);

/// Axes, repeats or strides: an int, or several.
Dims numpy_axes(nanobind::handle given);
std::optional<Dims> maybe_numpy_axes(nanobind::handle given);
/// Throws TypeError for a bool, and for a tuple or list with one.
void refuse_bools(nanobind::handle given, std::string_view operation);
/// Sizes: no bools (TypeError), and ValueError for ints beyond 64 bits and for more than `max_rank`.
/// Example: `reshape(x, (True, -1))` is a TypeError.
Dims numpy_sizes(nanobind::handle given, std::string_view operation);
/// Ints of any size; what does not fit 64 bits is the largest or the least that does.
Dims clamped_ints(nanobind::handle given);
/// An int of any size; modulo `period` where it does not fit 64 bits.
Index periodic_int(nanobind::handle given, Index period);
Dims periodic_ints(nanobind::handle given, Index period);

/// A letter; None is `otherwise`. TypeError for what is no str.
numpy::Order numpy_order(nanobind::handle given, numpy::Order otherwise, std::string_view operation);
/// None, True, False or what counts as one of these; ValueError for a str.
CopyRule numpy_copy_rule(nanobind::handle given, std::string_view operation);
DType numpy_dtype(nanobind::handle given, std::string_view operation);

/// What stands in brackets: ints, slices, None and `...`. IndexError for the rest.
std::vector<BasicIndex> numpy_index(nanobind::handle key);

}  // namespace tenstride::python
