// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/dtype_exact.hpp"

#include <limits>
#include <type_traits>

#include "tenstride/base/element.hpp"

namespace tenstride {

bool is_exact(DType from, DType to) {
  if (from == to || from == DType::bool_) return true;
  if (is_complex(from)) return is_complex(to) && item_size(from) <= item_size(to);
  const DType part = component_type(to);
  const auto digits = [](DType type) {
    return visit(type, []<class T>(std::type_identity<T>) -> int {
      if constexpr (std::numeric_limits<T>::is_specialized) return std::numeric_limits<T>::digits;
      return 0;
    });
  };
  if (is_integer(from) && is_integer(part)) {
    const bool loses_sign =
        kind(from) == DTypeKind::signed_integer && kind(part) == DTypeKind::unsigned_integer;
    return !loses_sign && digits(from) <= digits(part);
  }
  if (is_integer(from))
    return (part == DType::float32 || part == DType::float64) && digits(from) <= digits(part);
  if (from == part) return true;
  if (!is_floating_point(part)) return false;
  return part == DType::float64 || (part == DType::float32 && item_size(from) < 4);
}

}  // namespace tenstride
