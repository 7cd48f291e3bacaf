// SPDX-License-Identifier: Apache-2.0
// Tensors to try operations on, and their elements read one by one: the slow definitions of the tests.
#pragma once

#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "tenstride/ops/indexing.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::oracle {

using Number = std::complex<double>;

/// The element at an index, read where the layout says it lies.
inline Number value_at(const Tensor& x, const Dims& index) {
  const Index at = position(x.layout(), index) * static_cast<Index>(x.element_size());
  return visit(x.dtype(), [&]<class T>(std::type_identity<T>) {
    T value = load_element<T>(x.storage_data() + at);
    if (x.is_conj()) value = conjugate(value);
    return convert_element<Number>(x.is_neg() ? negate(value) : value);
  });
}

inline void each_index(const Dims& shape, const std::function<void(const Dims&)>& f) {
  const Index count = count_elements(shape);
  for (Index n = 0; n < count; ++n) f(unravel(n, shape));
}

/// All elements in row-major order.
inline std::vector<Number> values(const Tensor& x) {
  std::vector<Number> result;
  each_index(x.shape(), [&](const Dims& index) { result.push_back(value_at(x, index)); });
  return result;
}

/// Row-major, 0, 1, 2, … modulo 113; bool modulo 2; complex with an imaginary part modulo 7.
inline Tensor numbered(const Dims& shape, DType dtype = DType::float32) {
  Tensor result = empty(shape, {.dtype = dtype});
  visit(dtype, [&]<class T>(std::type_identity<T>) {
    for (Index n = 0; n < result.numel(); ++n) {
      const double modulus = dtype == DType::bool_ ? 2 : 113;
      const Number number(std::fmod(static_cast<double>(n), modulus), static_cast<double>(n % 7));
      const T value = is_complex(dtype) ? convert_element<T>(number) : convert_element<T>(number.real());
      store_element<T>(result.mutable_storage_data() + n * static_cast<Index>(sizeof(T)), value);
    }
  });
  return result;
}

/// The layouts that always give trouble.
inline std::vector<Tensor> odd_tensors(DType dtype = DType::float32) {
  std::vector<Tensor> result;
  result.push_back(numbered({}, dtype));
  result.push_back(numbered({0}, dtype));
  result.push_back(numbered({5}, dtype));
  result.push_back(numbered({3, 0, 2}, dtype));
  result.push_back(numbered({3, 4}, dtype));
  result.push_back(numbered({3, 4}, dtype).transpose(0, 1));
  result.push_back(numbered({2, 3, 4}, dtype));
  result.push_back(numbered({2, 3, 4}, dtype).permute({2, 0, 1}));
  result.push_back(numbered({24}, dtype).as_strided({3, 1, 4}, {5, 7, 1}, 2));  // size 1, odd stride
  result.push_back(numbered({3, 1}, dtype).expand({2, 3, 4}));                  // repeated
  result.push_back(numbered({4, 6}, dtype).slice(1, 1, 5));                     // padded rows
  result.push_back(numbered({4, 6}, dtype).index({Slice{{}, {}, -1}, Slice{{}, {}, -2}}));
  result.push_back(numbered({2, 4, 5, 3}, dtype).permute({0, 3, 1, 2}));  // channels_last
  return result;
}

/// The whole message of what is thrown; "nothing thrown" otherwise.
template <class F>
std::string message_of(F&& f) {
  try {
    static_cast<void>(f());
  } catch (const Error& error) {
    return std::string(name(error.kind())) + ": " + error.what();
  }
  return "nothing thrown";
}

}  // namespace tenstride::oracle
