// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>
#include <vector>

#include "tenstride/expression/expression.hpp"
#include "tenstride/ops/indexing.hpp"

/// Python's objects as the notation's values, and back. All functions want the GIL.
namespace tenstride::python {

/// The tensors among a call's arguments with the objects that hold them: what gives one of them back gives
/// the same object. They live as long, also where the list that has them loses them meanwhile.
using Given = std::vector<std::pair<const Tensor*, nanobind::object>>;

/// A Tensor becomes a value that refers to it for as long as `given` holds it. Throws TypeError for what the
/// notation does not know, and ValueError for lists that are too deep (`max_nesting`).
Value to_value(PyObject* object, Given& given);
/// The object with lists instead of all other sequences in it that are no arrays, strings or bytes (deque,
/// array.array, bytearray, memoryview, …): the data of `tensor`. The object itself where there are none.
nanobind::object with_lists(nanobind::handle object);
/// A new reference.
PyObject* from_value(const Value& value);
/// A bool, int, float or complex; a new reference.
PyObject* from_scalar(const Scalar& scalar);

/// Whether an object is a Tensor or says that it is an array (`__array_interface__`, `__dlpack__`).
bool is_array(PyObject* object);
/// What stands in brackets: `x[1:, ::2, None, ..., [0, 2], mask]`.
std::vector<TensorIndex> to_indices(PyObject* object);
/// A Python number, or one of NumPy's; nothing for any other object.
std::optional<Scalar> to_number(PyObject* object);
/// An int or what says it is one (`__index__`). Throws TypeError.
Index to_index(PyObject* object);
/// The same; one that does not fit 64 bits is the largest or the least that does.
Index to_clamped_index(PyObject* object);
/// Pre: it is a slice.
Slice to_slice(PyObject* object);
/// Warns, as PyTorch does, where a uint8 tensor serves as a mask. Throws where warnings are errors.
void warn_of_old_mask(const Tensor& index);
/// Sizes or axes: an int, or several. Throws TypeError.
Dims to_dims(nanobind::handle object);
/// The same by position: `permute(0, 2, 1)` or `permute((0, 2, 1))`.
Dims to_dims(const nanobind::args& arguments);

/// Numbers, lists of numbers, and tensors among them, as elements of `dtype` take them. Throws TypeError, and
/// ValueError for lists that are too deep (`max_nesting`).
Nested to_nested(PyObject* object, std::optional<DType> dtype = {});
/// The elements as Python's numbers in lists; a number for rank 0. Throws RuntimeError where there are none.
nanobind::object to_lists(const Tensor& x);

/// Is shown what no rule above knows (NumPy's arrays and the like); gives a Tensor, or None. See
/// `set_importer`.
void set_importer(nanobind::object importer);
/// What the importer makes of the object: a Tensor, or None.
nanobind::object import_foreign(nanobind::handle object);

}  // namespace tenstride::python
