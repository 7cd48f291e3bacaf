// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

namespace tenstride::python {

std::string_view operation_text(std::string_view name) {
  for (const auto family : {texts_of_views, texts_of_parts, texts_of_copies, texts_of_factories,
                            texts_of_queries, texts_of_arithmetic, texts_of_comparisons, texts_of_in_place,
                            texts_of_kinds, texts_of_scatter, texts_of_selection}) {
    const std::span<const OperationText> texts = family();
    const auto found = std::lower_bound(
        texts.begin(), texts.end(), name,
        [](const OperationText& entry, std::string_view wanted) { return entry.name < wanted; });
    if (found != texts.end() && found->name == name) return found->text;
  }
  return {};
}

}  // namespace tenstride::python
