// SPDX-License-Identifier: Apache-2.0
// xtensor (https://xtensor.readthedocs.io) computes on the memory of a tensor, and a tensor is a view of an
// xtensor array.
#include <iostream>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>

#include "tenstride/core.hpp"

namespace {

std::vector<std::ptrdiff_t> plain(const tenstride::Dims& dims) {
  return {dims.begin(), dims.end()};
}

/// The elements of x, whatever its strides. Valid as long as x's storage.
auto as_xtensor(const tenstride::Tensor& x) {
  const auto reach = x.storage().nbytes() / sizeof(float) - static_cast<std::size_t>(x.storage_offset());
  return xt::adapt(x.data<float>(), reach, xt::no_ownership(), plain(x.shape()), plain(x.strides()));
}

/// A tensor on the elements of an array, which must outlive it.
tenstride::Tensor of_xtensor(xt::xarray<float>& a) {
  tenstride::Dims shape, strides;
  for (const auto size : a.shape()) shape.push_back(static_cast<tenstride::Index>(size));
  for (const auto stride : a.strides()) strides.push_back(stride);
  return tenstride::from_blob(a.data(), shape, strides, tenstride::DType::float32);
}

}  // namespace

int main() {
  const tenstride::Tensor x = tenstride::arange(24, {.dtype = tenstride::DType::float32}).view({2, 3, 4});
  const tenstride::Tensor permuted = x.permute({2, 0, 1});  // (4,2,3):(1,12,4)
  xt::xarray<float> sums = xt::sum(as_xtensor(permuted), {1});
  const tenstride::Tensor result = of_xtensor(sums);
  std::cout << "permuted  " << permuted.layout() << '\n' << "sums    " << result << '\n';
  return result.at<float>(3, 2) == permuted.at<float>(3, 0, 2) + permuted.at<float>(3, 1, 2) ? 0 : 1;
}
