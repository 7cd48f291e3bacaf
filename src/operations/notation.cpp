// SPDX-License-Identifier: Apache-2.0
#include "operations/call.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/reduce_pattern.hpp"

/// einops' verbs.
namespace tenstride::detail {

std::vector<Operation> notation_operations() {
  return {
      {"rearrange", function, OpClass::view_or_copy, "pattern | **",
       [](Call& c) -> Value { return rearrange(c.self(), c.text(0), c.sizes()); }},
      {"repeat", function, OpClass::view_or_copy, "pattern | **",
       [](Call& c) -> Value { return repeat(c.self(), c.text(0), c.sizes()); }},
      {"reduce", function, OpClass::fresh, "pattern reduction | **",
       [](Call& c) -> Value { return reduce(c.self(), c.text(0), c.text(1), c.sizes()); }},
  };
}

}  // namespace tenstride::detail
