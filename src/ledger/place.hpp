// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "tenstride/ledger/ledger.hpp"

namespace tenstride::detail {

/// The line of the script if there is one, otherwise that of the C++ caller.
inline ScriptPlace place_of(const LedgerEntry& entry) {
  if (entry.script) return *entry.script;
  return {entry.caller.file_name(), entry.caller.function_name(), entry.caller.line()};
}
/// The name of the file without folders, which differ from machine to machine.
inline std::string_view file_text(const ScriptPlace& place) {
  const std::string_view path = place.file;
  return path.substr(path.rfind('/') + 1);
}
/// The place as text, such as "train.cpp:12"; "place unknown" where the line is 0.
inline std::string place_text(const LedgerEntry& entry) {
  const ScriptPlace place = place_of(entry);
  if (place.line == 0) return "place unknown";
  return message(file_text(place), ":", place.line);
}

}  // namespace tenstride::detail
