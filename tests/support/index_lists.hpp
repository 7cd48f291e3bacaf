// SPDX-License-Identifier: Apache-2.0
// Index tensors and expected elements, written as lists.
#pragma once

#include <initializer_list>
#include <vector>

#include "support/ops_oracle.hpp"

namespace tenstride::index_lists {

/// A tensor of the numbers, converted to the type.
inline Tensor integers(const Dims& shape, const std::vector<Index>& numbers, DType dtype = DType::int64) {
  Tensor result = empty(shape, {.dtype = dtype});
  visit(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      store_element<T>(result.mutable_storage_data() + i * sizeof(T), convert_element<T>(numbers[i]));
    }
  });
  return result;
}

inline Tensor mask(const Dims& shape, const std::vector<Index>& numbers) {
  return integers(shape, numbers, DType::bool_);
}

/// What `values` gives.
inline std::vector<oracle::Number> numbers(std::initializer_list<double> list) {
  return {list.begin(), list.end()};
}

}  // namespace tenstride::index_lists
