// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <tenstride/layout/text.hpp>
#include <tenstride/tensor/factory.hpp>
#include <tenstride/tensor/tensor.hpp>

int main() {
  const tenstride::Tensor x = tenstride::arange(12).view({3, 4}).permute({1, 0}).contiguous();
  std::printf("%s\n", tenstride::to_string(x.layout()).c_str());
}
