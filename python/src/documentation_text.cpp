// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "documentation.hpp"

namespace tenstride::python {

std::string_view operation_text(std::string_view name) {
  static const std::map<std::string_view, std::string_view> texts{
      {"permute",
       "A view with the axes in another order: axis i is the old axis dims[i].\n\n"
       "Refuses what does not list each axis once (RuntimeError) or names none there is (IndexError).\n\n"
       ">>> torch.zeros(2, 3, 4).permute(2, 0, 1).shape\n"
       "torch.Size([4, 2, 3])\n"},
  };
  const auto found = texts.find(name);
  return found == texts.end() ? std::string_view() : found->second;
}

}  // namespace tenstride::python
