// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "calibration/machine_calibration.hpp"
#include "cli.hpp"
#include "tenstride/calibration/bandwidth.hpp"
#include "tenstride/io/disk.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::cli {
namespace {

std::string kept_text(const std::string& file) {
  return file.empty() ? "not kept: neither XDG_CACHE_HOME nor HOME is set\n" : "kept in " + file + "\n";
}

/// Example: `fixed(2.345, 1, " us") == "2.3 us"`.
std::string fixed(double value, int digits, const std::string& unit) {
  char text[400];  // the largest double, with room
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text + unit;
}

/// "2.20 GB/s (half of it in runs of 19 kB, .80 in runs of 75 kB)"
std::string speed_text(double bytes_per_second, double seconds_per_request) {
  const double half = bytes_per_second * seconds_per_request;
  return fixed(bytes_per_second / 1e9, 2, " GB/s") + " (half of it in runs of " +
         fixed(half / 1e3, 1, " kB") + ", .80 in runs of " + fixed(4 * half / 1e3, 1, " kB") + ")\n";
}

std::string to_text(const DiskRates& rates) {
  const std::string way =
      rates.page == 1 ? std::string("through the page cache: this file system cannot go past it\n")
                      : "past the page cache, in multiples of " + std::to_string(rates.page) + " bytes\n";
  return "reading                      " +
         speed_text(rates.read_bytes_per_second, rates.seconds_per_request) +  //
         "writing                      " +
         speed_text(rates.write_bytes_per_second, rates.seconds_per_request) +  //
         "a request                    " + fixed(rates.seconds_per_request * 1e6, 1, " us\n") +
         "contention                   " +
         fixed(rates.contention, 2,
               " (1: reads and writes share the speed; 0: neither slows the other; above 1: together they "
               "lose some)\n") +
         way;
}

nlohmann::json to_json(const DiskRates& rates) {
  return {{"read_bytes_per_second", rates.read_bytes_per_second},
          {"write_bytes_per_second", rates.write_bytes_per_second},
          {"seconds_per_request", rates.seconds_per_request},
          {"contention", rates.contention},
          {"page", rates.page}};
}

int measure_disk(const BenchCommand& command) {
  const DiskRates measured = io::refresh_disk(command.disk);
  if (command.format == Format::json) {
    std::cout << to_json(measured).dump() << '\n';
  } else {
    std::cout << to_text(measured) << kept_text(io::disk_rates_file());
  }
  return done;
}

nlohmann::json to_json(const Machine& machine) {
  return {{"l1_bytes", machine.l1_bytes},
          {"l2_bytes", machine.l2_bytes},
          {"l3_bytes", machine.l3_bytes},
          {"permuted_bytes", machine.permuted_bytes},
          {"instructions", name(machine.instructions)},
          {"stores", name(machine.stores)},
          {"streams", name(machine.streams)},
          {"block_stores", name(machine.block_stores)}};
}

std::string to_lines(const Machine& machine) {
  const auto caches = [](Index bytes) {
    return bytes < (Index{1} << 20) ? std::to_string(bytes >> 10) + " KiB"
                                    : std::to_string(bytes >> 20) + " MiB";
  };
  return "L1, L2, L3 cache             " + caches(machine.l1_bytes) + ", " + caches(machine.l2_bytes) + ", " +
         caches(machine.l3_bytes) + "\n" + "instructions                 " +
         std::string(name(machine.instructions)) +
         ", bytes permuted at once: " + std::to_string(machine.permuted_bytes) + "\n" +
         "stores in order              " + std::string(name(machine.stores)) + "\n" +
         "streams of memory            " + std::string(name(machine.streams)) + "\n" +
         "stores of packed blocks      " + std::string(name(machine.block_stores)) + "\n";
}

int calibrate(const BenchCommand& command) {
  const Machine measured = refresh_machine();
  if (command.format == Format::json) {
    std::cout << to_json(measured).dump() << '\n';
  } else {
    std::cout << to_lines(measured) << kept_text(machine_file());
  }
  return done;
}

}  // namespace

int run(const BenchCommand& command) {
  if (command.calibrates) return calibrate(command);
  if (!command.disk.empty()) return measure_disk(command);
  if (command.threads > 0) set_num_threads(command.threads);
  const Bandwidth measured = refresh_bandwidth();
  if (command.format == Format::json) {
    std::cout << to_json(measured) << '\n';
    return done;
  }
  std::cout << to_text(measured) << kept_text(bandwidth_file());
  return done;
}

}  // namespace tenstride::cli
