// SPDX-License-Identifier: Apache-2.0
// Tensors go to libtorch and back by DLPack (https://dmlc.github.io/dlpack): shape, strides and type go
// along, and whoever has the memory last frees it.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <iostream>

#include "tenstride/core.hpp"
#include "tenstride/io/dlpack.hpp"

namespace {

// Both libraries declare DLPack's structures; they are the same.
at::Tensor to_torch(const tenstride::Tensor& x) {
  tenstride::io::DlpackUnversioned managed = tenstride::io::to_dlpack_unversioned(x);
  return at::fromDLPack(reinterpret_cast<::DLManagedTensor*>(managed.release()));
}

tenstride::Tensor of_torch(const at::Tensor& x) {
  return tenstride::io::from_dlpack(reinterpret_cast<tenstride::io::DLManagedTensor*>(at::toDLPack(x)));
}

}  // namespace

int main() {
  const tenstride::Tensor x = tenstride::arange(6, {.dtype = tenstride::DType::float32}).view({2, 3}).t();
  at::Tensor torch = to_torch(x);
  torch.add_(1);  // seen by both
  const tenstride::Tensor product = of_torch(torch.matmul(torch.t()));
  std::cout << "x        " << x.layout() << "  libtorch's strides " << torch.strides() << '\n'
            << product << '\n';
  return x.at<float>(0, 0) == 1 && product.at<float>(2, 0) == 3 * 1 + 6 * 4 ? 0 : 1;
}
