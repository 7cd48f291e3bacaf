// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tenstride::cli {
namespace {

/// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

/// "-photo.jpg": one dash, and a name of several letters with a dot that follows no digit alone.
bool is_file_with_dash(std::string_view word) {
  return word.size() > 2 && word[0] == '-' && word[1] != '-' &&
         word.find_first_not_of("-0123456789.e") < word.rfind('.') &&
         word.rfind('.') != std::string_view::npos && word.find('=') == std::string_view::npos;
}

/// The library's words for the same as options of the program.
std::string in_options(std::string message) {
  constexpr std::string_view own = "(Overwrite::refuse)";
  if (const std::size_t at = message.find(own); at != std::string::npos)
    message.replace(at, own.size(), "(--force replaces it)");
  return message;
}

}  // namespace

bool wants_json(Words words) {
  return std::any_of(words.begin(), words.end(), [](std::string_view word) { return word == "--json"; });
}

std::string wrong_call_text(Words words, const std::vector<std::string>& commands, const std::string& said) {
  if (!words.empty() && words[0][0] != '-' &&
      std::find(commands.begin(), commands.end(), words[0]) == commands.end()) {
    return "no command '" + std::string(words[0]) + "'; there are " + listed(commands);
  }
  for (const char* const word : words) {
    if (!is_file_with_dash(word)) continue;
    return said + " ('" + word + "' begins as an option does; a file of that name is ./" + word + ")";
  }
  return said;
}

int fail(const std::string& given, int exit_code, bool as_json) {
  const std::string message = in_options(given);
  std::cerr << "tenstride: " << message << '\n';
  if (as_json) {
    const nlohmann::ordered_json told{{"error", message}, {"exit_code", exit_code}};
    std::cout << told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
  return exit_code;
}

}  // namespace tenstride::cli
