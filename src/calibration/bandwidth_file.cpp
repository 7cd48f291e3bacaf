// SPDX-License-Identifier: Apache-2.0
#include "calibration/bandwidth_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <mutex>
#include <optional>

#include "base/cache_file.hpp"
#include "base/message.hpp"
#include "tenstride/parallel/parallel.hpp"

/// The file in which measured bandwidths are stored.
namespace tenstride {
namespace {

using detail::fixed;
using detail::number;

struct Figure {
  std::string_view name;
  double Bandwidth::*value;
};
constexpr std::array<Figure, 6> figures{{{"cached", &Bandwidth::cached},
                                         {"memory", &Bandwidth::memory},
                                         {"fresh", &Bandwidth::fresh},
                                         {"transposed_share", &Bandwidth::transposed_share},
                                         {"transposed_cached_share", &Bandwidth::transposed_cached_share},
                                         {"call_seconds", &Bandwidth::call_seconds}}};

/// The first lines of the file: the version, processor and number of threads that the figures are valid for.
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
    const std::optional<double> value = detail::take_figure(text, figure.name);
    if (!value || *value <= 0) return std::nullopt;
    result.*figure.value = *value;
    if (!text.starts_with('\n')) return std::nullopt;
    text.remove_prefix(1);
  }
  if (text != "end\n") return std::nullopt;
  return result;
}

namespace {

std::optional<Bandwidth> read_stored() {
  return detail::bandwidth_from_file(detail::read_small_file(bandwidth_file()));
}

void store(const Bandwidth& bandwidth) {
  detail::write_cache(bandwidth_file(), detail::bandwidth_to_file(bandwidth));
}

/// Protects the figures of the process.
std::mutex& guard() {
  static std::mutex mutex;
  return mutex;
}
std::optional<Bandwidth>& of_process() {
  static std::optional<Bandwidth> figures_of_process;
  return figures_of_process;
}
const std::optional<Bandwidth>& known_to_process() {
  std::optional<Bandwidth>& known = of_process();
  if (!known || known->threads != num_threads()) known = read_stored();
  return known;
}

}  // namespace

std::string bandwidth_file() {
  return detail::cache_file("bandwidth");
}

std::optional<Bandwidth> known_bandwidth() {
  const std::lock_guard lock(guard());
  return known_to_process();
}

Bandwidth machine_bandwidth() {
  const std::lock_guard lock(guard());
  if (const std::optional<Bandwidth>& known = known_to_process()) return *known;
  const Bandwidth measured = measure_bandwidth();
  of_process() = measured;
  store(measured);
  return measured;
}

Bandwidth refresh_bandwidth() {
  const std::lock_guard lock(guard());
  const Bandwidth measured = measure_bandwidth();
  of_process() = measured;
  store(measured);
  return measured;
}

std::string to_text(const Bandwidth& bandwidth) {
  const auto rate = [](double bytes) { return fixed(bytes / 1e9, 2) + " GB/s\n"; };
  const auto share = [](double part) { return fixed(part * 100, 0) + " %\n"; };
  return "copy in the cache            " + rate(bandwidth.cached) +                    //
         "copy in memory               " + rate(bandwidth.memory) +                    //
         "copy into fresh memory       " + rate(bandwidth.fresh) +                     //
         "transpose in the cache       " + share(bandwidth.transposed_cached_share) +  //
         "transpose in memory          " + share(bandwidth.transposed_share) +         //
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
