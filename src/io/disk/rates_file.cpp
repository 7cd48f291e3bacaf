// SPDX-License-Identifier: Apache-2.0
#include "io/disk/rates_file.hpp"

#include "io/disk/fit.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/cache_file.hpp"
#include "base/message.hpp"
#include "tenstride/io/disk.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

struct Figure {
  std::string_view name;
  double DiskRates::*value;
  double lowest;
};
// What is lower was never measured: a disk of a byte a second, a request that takes no time.
constexpr std::array<Figure, 4> figures{{{" read", &DiskRates::read_bytes_per_second, 1},
                                         {" write", &DiskRates::write_bytes_per_second, 1},
                                         {" request", &DiskRates::seconds_per_request, 1e-12},
                                         {" contention", &DiskRates::contention, 0}}};
constexpr double max_page = 1 << 30;

std::string hexadecimal(unsigned long value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16);
  return {digits, end.ptr};
}

/// The rates of a line without its key and its '\n'; nothing for one that was not written whole.
std::optional<DiskRates> rates_of(std::string_view line) {
  DiskRates rates;
  for (const Figure& figure : figures) {
    const std::optional<double> value = tenstride::detail::take_figure(line, figure.name);
    if (!value || *value < figure.lowest) return std::nullopt;
    rates.*figure.value = *value;
  }
  const std::optional<double> page = tenstride::detail::take_figure(line, " page");
  if (!page || *page < 1 || *page > max_page || *page != std::floor(*page)) return std::nullopt;
  rates.page = static_cast<Index>(*page);
  if (rates.contention > detail::max_contention || line != " end") return std::nullopt;
  return rates;
}

/// The first line of the text, which loses it; a last line without '\n' is none.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// Where the key of a line ends: behind three words.
std::size_t key_length(std::string_view line) {
  std::size_t end = line.find(' ');
  for (int word = 1; word < 3 && end != std::string_view::npos; ++word) end = line.find(' ', end + 1);
  return end == std::string_view::npos ? line.size() : end;
}

}  // namespace

std::string detail::disk_key(const std::string& path) {
  std::string at = path;
  struct stat facts {};
  if (stat(at.c_str(), &facts) != 0) {
    at = std::filesystem::path(path).parent_path().string();
    if (at.empty()) at = ".";
    if (stat(at.c_str(), &facts) != 0) return {};
  }
  struct statfs kind {};
  if (statfs(at.c_str(), &kind) != 0) return {};
  return message(major(facts.st_dev), ':', minor(facts.st_dev), ' ',
                 hexadecimal(static_cast<unsigned long>(kind.f_type)), " " TENSTRIDE_VERSION);
}

std::string detail::disk_line(std::string_view key, const DiskRates& rates) {
  std::string line(key);
  for (const Figure& figure : figures) {
    line += message(figure.name, ' ', tenstride::detail::number(rates.*figure.value));
  }
  return line + message(" page ", rates.page, " end\n");
}

std::optional<DiskRates> detail::find_disk(std::string_view text, std::string_view key) {
  std::optional<DiskRates> found;
  while (const std::optional<std::string_view> line = take_line(text)) {
    const std::size_t length = key_length(*line);
    if (line->substr(0, length) != key) continue;
    if (const std::optional<DiskRates> rates = rates_of(line->substr(length))) found = rates;
  }
  return found;
}

std::string detail::replace_disk(std::string_view text, std::string_view key, const DiskRates& rates) {
  std::string replaced;
  while (const std::optional<std::string_view> line = take_line(text)) {
    const std::size_t length = key_length(*line);
    if (line->substr(0, length) == key || !rates_of(line->substr(length))) continue;
    replaced += message(*line, '\n');
  }
  return replaced + disk_line(key, rates);
}

std::string disk_rates_file() {
  return tenstride::detail::cache_file("disks");
}

KnownDisk known_disk(const std::string& path) {
  const std::string key = detail::disk_key(path);
  if (key.empty()) return {};
  const auto rates = detail::find_disk(tenstride::detail::read_small_file(disk_rates_file()), key);
  return rates ? KnownDisk{*rates, true} : KnownDisk{};
}

DiskRates refresh_disk(const std::string& folder) {
  const DiskRates rates = measure_disk(folder);
  // Of two processes that do this at a time, one may take the other's line away: that disk is measured anew
  // then.
  const std::string file = disk_rates_file();
  const std::string kept = tenstride::detail::read_small_file(file);
  tenstride::detail::write_cache(file, detail::replace_disk(kept, detail::disk_key(folder), rates));
  return rates;
}

}  // namespace tenstride::io
