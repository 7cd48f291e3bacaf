// SPDX-License-Identifier: Apache-2.0
#include "base/cache_file.hpp"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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

std::string read_cache(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text(std::size_t{64} << 10, '\0');  // more is none of ours
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void write_cache(const std::string& path, std::string_view text) {
  if (path.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  std::string written = path + ".XXXXXX";
  const int descriptor = mkstemp(written.data());
  if (descriptor < 0) return;
  const bool is_whole = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(descriptor) != 0 || !is_whole || std::rename(written.c_str(), path.c_str()) != 0)
    std::remove(written.c_str());
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
