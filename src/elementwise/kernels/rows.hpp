// SPDX-License-Identifier: Apache-2.0
// How the tables of arithmetic and of comparisons find the loop of an operation and a type.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::elementwise {

/// Returns what Find gives for an operation and the type T that `type` names: `Find()<op, T>()`, a loop or
/// nullptr. `last` is the last operation there is.
template <class Row, auto last, class Find>
Row find_row(decltype(last) given, DType type, Find) {
  return visit(type, [&]<class T>(std::type_identity<T>) -> Row {
    static constexpr auto rows = []<std::size_t... op>(std::index_sequence<op...>) {
      return std::array<Row, sizeof...(op)>{
          Find().template operator()<static_cast<decltype(last)>(op), T>()...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(last) + 1>());
    return rows[static_cast<std::size_t>(given)];
  });
}

template <class Row>
Row or_else(Row fast, Row portable) {
  return fast != nullptr ? fast : portable;
}

}  // namespace tenstride::elementwise
