// SPDX-License-Identifier: Apache-2.0
#include "bandwidth_file.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>

#include "message.hpp"
#include "tenstride/io/atomic_file.hpp"
#include "tenstride/parallel.hpp"

/// The figures kept from run to run.
namespace tenstride {
namespace {

struct Figure {
  std::string_view name;
  double Bandwidth::*value;
};
constexpr std::array<Figure, 6> figures{{{"cached", &Bandwidth::cached},
                                         {"memory", &Bandwidth::memory},
                                         {"fresh", &Bandwidth::fresh},
                                         {"turned_share", &Bandwidth::turned_share},
                                         {"turned_cached_share", &Bandwidth::turned_cached_share},
                                         {"call_seconds", &Bandwidth::call_seconds}}};

/// Enough digits to come back as the same number.
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

/// What the figures hold for: the first lines of the file.
std::string heading(int threads) {
  std::string processor = "unknown";
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (!line.starts_with("model name") && !line.starts_with("CPU part")) continue;
    processor = line.substr(std::min(line.find(':'), line.size() - 1) + 1);
    break;
  }
  return detail::message("tenstride bandwidth 1, version " TENSTRIDE_VERSION "\nprocessor", processor,
                         "\nthreads ", threads, "\n");
}

}  // namespace

std::string detail::bandwidth_to_file(const Bandwidth& bandwidth) {
  std::string text = heading(bandwidth.threads);
  for (const Figure& figure : figures) {
    text += detail::message(figure.name, " ", number(bandwidth.*figure.value), "\n");
  }
  return text + "end\n";
}

std::optional<Bandwidth> detail::bandwidth_from_file(std::string_view text) {
  Bandwidth result;
  result.threads = num_threads();
  const std::string expected = heading(result.threads);
  if (!text.starts_with(expected)) return std::nullopt;
  text.remove_prefix(expected.size());
  for (const Figure& figure : figures) {
    if (!text.starts_with(figure.name)) return std::nullopt;
    text.remove_prefix(std::min(figure.name.size() + 1, text.size()));
    double& value = result.*figure.value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value) || value <= 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('\n')) return std::nullopt;
    text.remove_prefix(1);
  }
  if (text != "end\n") return std::nullopt;
  return result;
}

namespace {

std::optional<Bandwidth> kept() {
  const std::string path = bandwidth_file();
  if (path.empty()) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(4096, '\0');  // more is none of ours
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return detail::bandwidth_from_file(text);
}

/// A cache that cannot be written is no error: the figures are there all the same.
void keep(const Bandwidth& bandwidth) {
  const std::string path = bandwidth_file();
  if (path.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  try {
    const std::string text = detail::bandwidth_to_file(bandwidth);
    io::AtomicFile file(path, io::Overwrite::replace, "bandwidth");
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  } catch (const FileError&) {
  }
}

/// Guards the figures of the process.
std::mutex& guard() {
  static std::mutex mutex;
  return mutex;
}
std::optional<Bandwidth>& of_process() {
  static std::optional<Bandwidth> figures_of_process;
  return figures_of_process;
}

}  // namespace

std::string bandwidth_file() {
  const auto folder = [](const char* name) -> std::string_view {
    const char* const value = std::getenv(name);
    // A path that is not absolute is to be ignored, says the XDG Base Directory Specification.
    return value == nullptr || *value != '/' ? std::string_view() : std::string_view(value);
  };
  if (const std::string_view cache = folder("XDG_CACHE_HOME"); !cache.empty())
    return detail::message(cache, "/tenstride/bandwidth");
  if (const std::string_view home = folder("HOME"); !home.empty())
    return detail::message(home, "/.cache/tenstride/bandwidth");
  return {};
}

Bandwidth machine_bandwidth() {
  const std::lock_guard lock(guard());
  std::optional<Bandwidth>& known = of_process();
  if (known && known->threads == num_threads()) return *known;
  known = kept();
  if (known) return *known;
  known = measure_bandwidth();
  keep(*known);
  return *known;
}

Bandwidth refresh_bandwidth() {
  const std::lock_guard lock(guard());
  const Bandwidth measured = measure_bandwidth();
  of_process() = measured;
  keep(measured);
  return measured;
}

std::string to_text(const Bandwidth& bandwidth) {
  const auto rate = [](double bytes) { return fixed(bytes / 1e9, 2) + " GB/s\n"; };
  const auto share = [](double part) { return fixed(part * 100, 0) + " %\n"; };
  return "copy in the cache            " + rate(bandwidth.cached) +                //
         "copy in memory               " + rate(bandwidth.memory) +                //
         "copy into fresh memory       " + rate(bandwidth.fresh) +                 //
         "turned copy in the cache     " + share(bandwidth.turned_cached_share) +  //
         "turned copy in memory        " + share(bandwidth.turned_share) +         //
         "smallest copy                " + fixed(bandwidth.call_seconds * 1e9, 0) + " ns\n" +
         "threads                      " + std::to_string(bandwidth.threads) + "\n";
}

std::string to_json(const Bandwidth& bandwidth) {
  std::string text = "{";
  for (const Figure& figure : figures) {
    text += detail::message('"', figure.name, "\":", number(bandwidth.*figure.value), ",");
  }
  return text + detail::message("\"threads\":", bandwidth.threads, "}");
}

}  // namespace tenstride
