// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/memory_limit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "base/message.hpp"
#include "io/job/system_memory.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

using Number = std::optional<std::uint64_t>;

/// The number a text begins with, blanks before it left out; none of "max" and "unlimited".
Number leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? Number(value) : std::nullopt;
}

/// The number behind `key` in the line of the file that begins with it.
Number number_after(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return leading_number(std::string_view(line).substr(key.size()));
  }
  return std::nullopt;
}

Number number_in(const std::string& path) {
  return number_after(path, "");
}

/// What is left of a limit, where there is one.
std::uint64_t left_of(Number limit, std::uint64_t used) {
  if (!limit) return unlimited;
  return *limit > used ? *limit - used : 0;
}

/// What the names of a control group's files are, and of the lines in memory.stat that count cached files.
struct GroupFiles {
  std::array<const char*, 2> limits;
  const char* usage;
  std::array<const char*, 2> cached;
};
constexpr GroupFiles version_1{{"memory.limit_in_bytes", "memory.limit_in_bytes"},
                               "memory.usage_in_bytes",
                               {"total_inactive_file ", "total_active_file "}};
constexpr GroupFiles version_2{
    {"memory.max", "memory.high"}, "memory.current", {"inactive_file ", "active_file "}};

std::uint64_t left_of_group(const std::string& folder, const GroupFiles& files) {
  const std::uint64_t usage = number_in(folder + "/" + files.usage).value_or(0);
  std::uint64_t cached = 0;
  for (const char* key : files.cached) cached += number_after(folder + "/memory.stat", key).value_or(0);
  std::uint64_t left = unlimited;
  for (const char* limit : files.limits) {
    left = std::min(left, left_of(number_in(folder + "/" + limit), usage - std::min(usage, cached)));
  }
  return left;
}

/// The least of a group and those around it. In a container the path may be that outside of it; then only the
/// root is there, which is the container's own group.
std::uint64_t left_of_groups(const std::string& root, std::string path, const GroupFiles& files) {
  std::uint64_t left = left_of_group(root, files);
  while (path.size() > 1 && path.find("..") == std::string::npos) {
    left = std::min(left, left_of_group(root + path, files));
    path.resize(path.rfind('/'));
  }
  return left;
}

std::uint64_t left_by_groups(const SystemFolders& system) {
  std::uint64_t left = unlimited;
  std::ifstream file(system.processes + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "4:memory:/a/b", of version 2 "0::/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      left = std::min(left, left_of_groups(system.control_groups, path, version_2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = std::min(left, left_of_groups(system.control_groups + "/memory", path, version_1));
    }
  }
  return left;
}

std::uint64_t left_by_process(const SystemFolders& system) {
  const std::string limits = system.processes + "/self/limits";
  const std::string status = system.processes + "/self/status";
  const auto used = [&](const char* key) { return number_after(status, key).value_or(0) * 1024; };
  return std::min(left_of(number_after(limits, "Max address space"), used("VmSize:")),
                  left_of(number_after(limits, "Max data size"), used("VmData:")));
}

}  // namespace

std::uint64_t free_memory(const SystemFolders& system) {
  const Number available = number_after(system.processes + "/meminfo", "MemAvailable:");
  const std::uint64_t of_machine = available ? *available * 1024 : unlimited;
  return std::min({of_machine, left_by_groups(system), left_by_process(system)});
}

std::uint64_t free_memory() {
  return free_memory(SystemFolders{});
}

MemoryUse memory_use(const SystemFolders& system) {
  const std::string status = system.processes + "/self/status";
  const auto bytes = [&](const char* key) { return number_after(status, key).value_or(0) * 1024; };
  return {bytes("VmRSS:"), bytes("VmHWM:"), bytes("RssAnon:"), bytes("RssFile:"), bytes("RssShmem:")};
}

MemoryUse memory_use() {
  return memory_use(SystemFolders{});
}

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  const auto refuse = [&](std::string_view rule) {
    throw ValueError(
        tenstride::detail::message(option, ": \"", text, "\" must be ", rule,
                                   ", such as 4096, 512M or 1.5GiB (K, M, G and T are powers of 1024)"));
  };
  constexpr std::string_view not_a_number = "a number of bytes";
  const char* const last = text.data() + text.size();
  std::uint64_t whole = 0;
  auto [end, error] = std::from_chars(text.data(), last, whole);
  if (error == std::errc::result_out_of_range) refuse("below 2^64 bytes");
  if (error != std::errc()) refuse(not_a_number);
  double fraction = 0;
  if (end != last && *end == '.') {
    const auto parsed = std::from_chars(end, last, fraction, std::chars_format::fixed);
    if (parsed.ec != std::errc() || parsed.ptr == end + 1) refuse(not_a_number);
    end = parsed.ptr;
  }
  std::uint64_t unit = 1;
  if (end != last) {
    constexpr std::string_view units = "KMGT";
    const std::string_view suffix(end, static_cast<std::size_t>(last - end));
    const std::size_t power = units.find(static_cast<char>(suffix[0] & ~0x20));  // the capital letter
    if (power == std::string_view::npos || (suffix.size() > 1 && suffix.substr(1) != "iB"))
      refuse(not_a_number);
    unit <<= 10 * (power + 1);
  }
  if (whole > (unlimited - (unit - 1)) / unit) refuse("below 2^64 bytes");
  const auto part = static_cast<std::uint64_t>(fraction * static_cast<double>(unit));
  const std::uint64_t bytes = whole * unit + std::min(part, unit - 1);  // .9999… may have been rounded to 1
  if (bytes == 0) refuse("more than 0 bytes");
  return bytes;
}

}  // namespace tenstride::io
