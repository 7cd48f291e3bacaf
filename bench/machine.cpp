// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace tenstride::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The value of the first line "key : value" of a file.
std::string entry(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

Json caches() {
  Json result = Json::array();
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string size = first_line(folder + "size");
    if (size.empty()) break;
    std::ostringstream text;
    text << 'L' << first_line(folder + "level") << ' ' << first_line(folder + "type") << ' ' << size
         << ", shared by cpus " << first_line(folder + "shared_cpu_list");
    result.push_back(text.str());
  }
  return result;
}

Json vectors() {
  Json result = Json::array();
  std::istringstream flags(entry("/proc/cpuinfo", "flags"));
  std::string flag;
  while (flags >> flag) {
    if (flag.starts_with("avx") || flag == "sse4_2" || flag == "f16c" || flag == "bmi2") {
      result.push_back(flag);
    }
  }
  return result;
}

/// "Debian GNU/Linux 12 (bookworm)"
std::string system_name() {
  std::ifstream file("/etc/os-release");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("PRETTY_NAME=")) return line.substr(13, line.size() - 14);
  }
  return "";
}

}  // namespace

Json machine() {
  utsname system{};
  uname(&system);
  return {{"processor", entry("/proc/cpuinfo", "model name")},
          {"processors", std::thread::hardware_concurrency()},
          {"caches", caches()},
          {"vectors", vectors()},
          {"memory", entry("/proc/meminfo", "MemTotal")},
          {"kernel", std::string(system.sysname) + " " + system.release + " " + system.machine},
          {"huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
          {"system", system_name()},
          {"compiler", TENSTRIDE_BENCH_COMPILER},
          {"flags", TENSTRIDE_BENCH_FLAGS}};
}

}  // namespace tenstride::bench
