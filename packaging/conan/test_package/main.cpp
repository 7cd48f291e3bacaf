// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <tenstride/factory.hpp>
#include <tenstride/tensor.hpp>
#include <tenstride/text.hpp>

int main() {
  const tenstride::Tensor x = tenstride::arange(12).view({3, 4}).permute({1, 0}).contiguous();
  std::printf("%s\n", tenstride::to_string(x.layout()).c_str());
}
