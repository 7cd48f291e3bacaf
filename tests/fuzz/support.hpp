// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets have in common. A target gives its input to the library as a user would. Everything
// that ends the process is a finding: a sanitizer, an exception that is no Error, and `require`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/error.hpp"

namespace tenstride::fuzz {

/// Ends the process where a property does not hold.
inline void require(bool holds, const std::string& property) {
  if (holds) return;
  std::fprintf(stderr, "property does not hold: %s\n", property.c_str());
  std::abort();
}

/// What the call gives; nothing where the library refuses it by an Error, which must say something.
template <typename Call>
auto accepted(Call&& call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) {
    require(error.what()[0] != '\0', "an error has a message");
    return std::nullopt;
  }
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file of an input that consists of several.
struct InputPart {
  std::string name;
  std::string bytes;

  bool operator==(const InputPart&) const = default;
};

/// An input of several files: a line `=== NAME` begins each. Such lines stay whole where bytes are inserted
/// or taken away, which lengths would not. Example: "=== zarr.json\n{}\n=== c/0\nabc" is {"zarr.json", "{}"},
/// {"c/0", "abc"}.
inline std::vector<InputPart> split_input(const std::string& input) {
  static constexpr std::string_view mark = "=== ";
  std::vector<InputPart> parts;
  std::size_t at = input.starts_with(mark) ? 0 : std::string::npos;
  while (at != std::string::npos) {
    const std::size_t name = at + mark.size();
    const std::size_t line_end = std::min(input.find('\n', name), input.size());
    const std::size_t bytes = std::min(line_end + 1, input.size());
    const std::size_t next = input.find("\n=== ", line_end);
    parts.push_back({input.substr(name, line_end - name),
                     input.substr(bytes, next == std::string::npos ? next : std::max(next, bytes) - bytes)});
    at = next == std::string::npos ? next : next + 1;
  }
  return parts;
}

}  // namespace tenstride::fuzz
