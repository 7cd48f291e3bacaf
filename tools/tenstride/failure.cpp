// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>

#include "base/nearest_name.hpp"
#include "input_path.hpp"
#include "json.hpp"
#include "standard_output.hpp"

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

/// By --json, also where the rest of the call is wrong.
bool wants_json(Words words) {
  return std::find(words.begin(), words.end(), std::string_view("--json")) != words.end();
}

/// Whether the result goes where errors as JSON otherwise go.
bool sends_data(Words words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    for (const std::string_view option : {"-o", "--output", "--output="}) {
      if (!word.starts_with(option)) continue;
      const bool is_apart = word == option && i + 1 < words.size();
      if (is_standard_output(std::string(is_apart ? words[i + 1] : word.substr(option.size())))) return true;
    }
  }
  return false;
}

/// Functions of the library whose names begin its errors.
constexpr std::array<std::string_view, 12> functions{
    "permute_file", "checksum_file", "measure_disk", "read_image", "open",     "write_png",
    "encode_png",   "save_npy",      "open_npy",     "load_npy",   "map_file", "plan_blocks"};

/// What the library says of its arguments, and the options that are meant.
struct Phrase {
  std::string_view library;
  std::string_view program;
};
constexpr std::array<Phrase, 7> phrases{
    {{"(Overwrite::refuse)", "(--force replaces it)"},
     {"(leave metadata_only out)", "(leave --metadata-only out)"},
     {"(leave dtype, scale, shift and rescale out)", "(leave --dtype, --scale, --shift and --rescale out)"},
     {"(give scale and shift as numbers of your own)", "(give --scale and --shift in place of --rescale)"},
     {"describe it by version 3", "describe it by version 3 (--zarr-format 3)"},
     {"(leave the version out)", "(leave --zarr-format out)"},
     {"scale them to 0..255 and use .to(uint8)", "scale them to 0..255 by --scale, with --dtype uint8"}}};

}  // namespace

std::string wrong_call_text(Words words, const std::vector<std::string>& commands, const std::string& said) {
  if (!words.empty() && words[0][0] != '-' &&
      std::find(commands.begin(), commands.end(), words[0]) == commands.end()) {
    const std::string text = "no command '" + std::string(words[0]) + "'; ";
    const std::optional<std::string> near = nearest_name(words[0], commands);
    return text + (near ? "did you mean '" + *near + "'?" : "there are " + listed(commands));
  }
  for (const char* const word : words) {
    if (!is_file_with_dash(word)) continue;
    return said + " ('" + word + "' begins as an option does; a file of that name is ./" + word + ")";
  }
  return said;
}

std::string in_words_of_program(const std::string& message, std::string_view command) {
  std::string text = message;
  const std::size_t colon = text.find(": ");
  if (colon != std::string::npos && !command.empty() &&
      std::find(functions.begin(), functions.end(), text.substr(0, colon)) != functions.end())
    text.replace(0, colon, command);
  for (const Phrase& phrase : phrases) {
    if (const std::size_t at = text.find(phrase.library); at != std::string::npos)
      text.replace(at, phrase.library.size(), phrase.program);
  }
  return with_given_names(text);
}

int fail(const std::string& given, int exit_code, Words words) {
  const std::string message = in_words_of_program(given, words.empty() ? "" : words[0]);
  const bool is_data_on_output = sends_data(words);
  if (!wants_json(words) || !is_data_on_output) std::cerr << "tenstride: " << message << '\n';
  if (wants_json(words)) {
    (is_data_on_output ? std::cerr : std::cout)
        << to_line({{"error", message}, {"exit_code", exit_code}}) << '\n';
  }
  return exit_code;
}

}  // namespace tenstride::cli
