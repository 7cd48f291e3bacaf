// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../message.hpp"
#include "tenstride/caller.hpp"

namespace tenstride::detail {

/// The file without its folders: they differ from machine to machine.
inline std::string_view file_text(const Caller& caller) {
  const std::string_view path = caller.file_name();
  return path.substr(path.rfind('/') + 1);
}
/// "train.cpp:12"; "place unknown" where there is none.
inline std::string place_text(const Caller& caller) {
  if (caller.line() == 0) return "place unknown";
  return message(file_text(caller), ":", caller.line());
}

}  // namespace tenstride::detail
