// SPDX-License-Identifier: Apache-2.0
// A small program of someone else's: it uses the layouts, a tensor and a copy, and prints what came out.
#include <cstdio>
#include <string>
#include <tenstride/factory.hpp>
#include <tenstride/layout.hpp>
#include <tenstride/tensor.hpp>
#include <tenstride/text.hpp>

int main() {
  const tenstride::Tensor x = tenstride::arange(12);
  const tenstride::Tensor y = x.view({3, 4}).permute({1, 0}).contiguous();
  const tenstride::Layout layout = y.layout();
  std::printf("%s\n", tenstride::to_string(layout).c_str());
  return tenstride::is_contiguous(layout) ? 0 : 1;
}
