// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "tenstride/ledger.hpp"

namespace tenstride::detail {

/// The script's line where there is one, else the caller's.
inline ScriptPlace place_of(const LedgerEntry& entry) {
  if (entry.script) return *entry.script;
  return {entry.caller.file_name(), entry.caller.function_name(), entry.caller.line()};
}
/// The file without its folders: they differ from machine to machine.
inline std::string_view file_text(const ScriptPlace& place) {
  const std::string_view path = place.file;
  return path.substr(path.rfind('/') + 1);
}
/// "train.cpp:12"; "place unknown" where there is none.
inline std::string place_text(const LedgerEntry& entry) {
  const ScriptPlace place = place_of(entry);
  if (place.line == 0) return "place unknown";
  return message(file_text(place), ":", place.line);
}

}  // namespace tenstride::detail
