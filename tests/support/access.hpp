// SPDX-License-Identifier: Apache-2.0
// How the rows of a copy's destination lie in its source.
#pragma once

#include "plan/access.hpp"
#include "plan/nest.hpp"

namespace tenstride::testing {

inline detail::AccessKind kind_of(const Layout& dst, const Layout& src, DType type) {
  Nest nest;
  detail::normalise(dst, type, src, type, nest);
  detail::widen(nest);
  const Index bytes = numel(dst) * static_cast<Index>(item_size(type));
  return detail::access_of(nest, {type, type}, bytes, {}).kind;
}

}  // namespace tenstride::testing
