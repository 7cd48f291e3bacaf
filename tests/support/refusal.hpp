// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <typeinfo>

namespace tenstride::testing {

/// The whole message of the Error that the call throws. Anything else that happens is said in words, which
/// compare unequal to any message: no exception, or one of another type (a derived one included).
/// Example: `EXPECT_EQ(refusal<AxisError>([] { transpose(x, 0, 9); }), "transpose: axis 9 must …")`.
template <typename Error, typename Call>
std::string refusal(Call&& call) {
  try {
    static_cast<void>(call());
  } catch (const std::exception& error) {
    if (typeid(error) == typeid(Error)) return error.what();
    return std::string("thrown as ") + typeid(error).name() + ": " + error.what();
  }
  return "not refused";
}

}  // namespace tenstride::testing
