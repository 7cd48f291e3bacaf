// SPDX-License-Identifier: Apache-2.0
// Eigen (https://eigen.tuxfamily.org) computes on the memory of a tensor, and a tensor is a view of a matrix.
#include <Eigen/Core>
#include <iostream>

#include "tenstride/core.hpp"

namespace {

using AnyStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

/// A matrix on the elements of x, whatever its strides. It is valid as long as x's storage.
Eigen::Map<const Eigen::MatrixXf, Eigen::Unaligned, AnyStride> as_eigen(const tenstride::Tensor& x) {
  const auto a = x.accessor<const float, 2>();
  // To Eigen the outer stride is that of columns.
  return {a.data(), a.size(0), a.size(1), AnyStride(a.stride(1), a.stride(0))};
}

/// A tensor on the elements of a matrix, which must outlive it.
tenstride::Tensor of_eigen(Eigen::MatrixXf& m) {
  return tenstride::from_blob(m.data(), {m.rows(), m.cols()}, {m.rowStride(), m.colStride()},
                              tenstride::DType::float32);
}

}  // namespace

int main() {
  const tenstride::Tensor x = tenstride::arange(24, {.dtype = tenstride::DType::float32}).view({4, 6});
  const tenstride::Tensor part = x.t().slice(0, 1, 6, 2);  // every other column, as rows: (3,4):(2,6)+1

  Eigen::MatrixXf product = as_eigen(part) * as_eigen(x);
  const tenstride::Tensor result = of_eigen(product);
  std::cout << "part    " << part.layout() << '\n'
            << "result  " << result.layout() << "  Eigen's columns first\n"
            << result << '\n';
  return result.at<float>(2, 5) == product(2, 5) && part.data<float>() == as_eigen(part).data() ? 0 : 1;
}
