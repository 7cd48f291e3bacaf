// SPDX-License-Identifier: Apache-2.0
#include "base/cache_file.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/message.hpp"

namespace tenstride::detail {

std::string cache_file(std::string_view name) {
  const auto folder = [](const char* variable) -> std::string_view {
    const char* const value = std::getenv(variable);
    // A path that is not absolute is to be ignored, says the XDG Base Directory Specification.
    return value == nullptr || *value != '/' ? std::string_view() : std::string_view(value);
  };
  if (const std::string_view cache = folder("XDG_CACHE_HOME"); !cache.empty())
    return message(cache, "/tenstride/", name);
  if (const std::string_view home = folder("HOME"); !home.empty())
    return message(home, "/.cache/tenstride/", name);
  return {};
}

std::string read_small_file(const std::string& path) {
  if (path.empty()) return {};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) return {};
  std::string text(std::size_t{64} << 10, '\0');  // more is none of ours
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

std::string number(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

std::string fixed(double value, int digits_behind) {
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, digits_behind);
  return {digits, end.ptr};
}

std::optional<double> take_figure(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with(' ')) return std::nullopt;
  const std::string_view digits = text.substr(name.size() + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text = digits.substr(static_cast<std::size_t>(end - digits.data()));
  return value;
}

}  // namespace tenstride::detail
