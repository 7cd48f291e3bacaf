// SPDX-License-Identifier: Apache-2.0
// The first minutes with the library: a tensor, views of it, and the copies one can see coming.
#include <cstdio>

#include "tenstride/copy/copy.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

int main() {
  using namespace tenstride;
  const Tensor x = arange(24).view({2, 3, 4});
  const Tensor y = x.permute({2, 0, 1});
  std::printf("x  %s\n", to_string(x.layout()).c_str());
  std::printf("y  %s  shares the storage: %s\n", to_string(y.layout()).c_str(),
              y.shares_storage(x) ? "yes" : "no");

  // A view that is not possible is an answer, not yet an error.
  if (!try_view(y.layout(), {24})) {
    std::printf("y cannot be viewed as (24):\n%s\n", to_string(*why_not_view(y.layout(), {24}), 8).c_str());
  }

  // One pass: uint8 to float32, scaled to 0..1, axes permuted.
  const Tensor image = zeros({4, 6, 3}, {.dtype = DType::uint8});
  const std::array<double, 1> scale{1.0 / 255};
  const Tensor planes = convert(image.permute({2, 0, 1}), DType::float32, {.scale = scale});
  std::printf("planes  %s %s\n", to_string(planes.layout()).c_str(),
              std::string(name(planes.dtype())).c_str());
  return 0;
}
