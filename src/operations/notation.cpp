// SPDX-License-Identifier: Apache-2.0
#include "operations/call.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/reduce_pattern.hpp"

/// einops' verbs.
namespace tenstride::detail {

std::vector<Operation> notation_operations() {
  return {
      {"rearrange(Tensor self, str pattern, *, int **axes_lengths) -> Tensor", function,
       OpClass::view_or_copy, [](Call& c) -> Value { return rearrange(c.self(), c.text(0), c.sizes()); },
       R"(The elements in another order of axes, by einops' notation; a view where one exists, else a copy.
Sizes that the pattern does not tell are given by name.

Raises RuntimeError where the pattern does not fit the shape.

>>> torch.rearrange(torch.zeros(2, 12), "b (h w) -> b w h", h=3).shape
torch.Size([2, 4, 3])
)"},
      {"repeat(Tensor self, str pattern, *, int **axes_lengths) -> Tensor", function, OpClass::view_or_copy,
       [](Call& c) -> Value { return repeat(c.self(), c.text(0), c.sizes()); }, ""},
      {"reduce(Tensor self, str pattern, str reduction, *, int **axes_lengths) -> Tensor", function, fresh,
       [](Call& c) -> Value { return reduce(c.self(), c.text(0), c.text(1), c.sizes()); },
       R"(Rearranges by einops' notation, and reduces the axes that the right side leaves out: 'sum', 'mean',
'min', 'max', 'prod', 'any' or 'all'. A fresh tensor.

Raises RuntimeError where the pattern does not fit the shape.

>>> torch.reduce(torch.arange(6).view(2, 3), "h w -> h", "sum")
tensor([ 3, 12])
)"},
  };
}

}  // namespace tenstride::detail
