// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/disk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/disk/fit.hpp"
#include "io/disk/rates_file.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/variable.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/io/disk.hpp"

namespace tenstride::io {
namespace {

using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::Variable;

constexpr double mib = 1 << 20;
constexpr double small = 1 << 14;
constexpr std::size_t file_bytes = std::size_t{4} << 20;

DiskRates example() {
  return {.read_bytes_per_second = 2.25e9,
          .write_bytes_per_second = 2.5e9,
          .seconds_per_request = 8.5e-6,
          .contention = 0.75,
          .page = 512};
}

/// The speeds that a disk of these rates has, by the definition of DiskRates.
detail::DiskSpeeds speeds_of(const DiskRates& rates) {
  const auto speed = [&](double bytes_per_second, double nbytes) {
    return nbytes / (nbytes / bytes_per_second + rates.seconds_per_request);
  };
  detail::DiskSpeeds speeds;
  speeds.large_reads = speed(rates.read_bytes_per_second, mib);
  speeds.large_writes = speed(rates.write_bytes_per_second, mib);
  const auto mixed = [&](double nbytes) {
    const double reading = nbytes / speed(rates.read_bytes_per_second, nbytes);
    const double writing = nbytes / speed(rates.write_bytes_per_second, nbytes);
    return 2 * nbytes / (std::max(reading, writing) + rates.contention * std::min(reading, writing));
  };
  speeds.large_mixed = mixed(mib);
  speeds.small_mixed = mixed(small);
  return speeds;
}

TEST(DiskRates, AreFittedAsInTheHeader) {
  const DiskRates rates = detail::fit_rates({2e9, 2e9, 2e9, 1e9}, mib, small);
  EXPECT_NEAR(rates.read_bytes_per_second, 2.03e9, 1e7);
  EXPECT_DOUBLE_EQ(rates.write_bytes_per_second, rates.read_bytes_per_second);
  EXPECT_NEAR(rates.seconds_per_request, 8.3e-6, 1e-7);
  EXPECT_DOUBLE_EQ(rates.contention, 1);
}

TEST(DiskRates, ComeBackFromTheSpeedsTheyGive) {
  for (const double read : {1e8, 2e9, 7e9}) {
    for (const double write : {1e8, 2.4e9}) {
      for (const double request : {1e-6, 8.5e-6, 8e-3}) {
        for (const double contention : {0.0, 0.5, 1.0, 1.8}) {
          // A request of 8 ms is a rotating disk; it has no speed of gigabytes.
          if (request > 1e-3 && std::max(read, write) > 1e9) continue;
          const DiskRates given{read, write, request, contention, 4096};
          const DiskRates fitted = detail::fit_rates(speeds_of(given), mib, small);
          EXPECT_NEAR(fitted.read_bytes_per_second, read, read * 1e-9);
          EXPECT_NEAR(fitted.write_bytes_per_second, write, write * 1e-9);
          EXPECT_NEAR(fitted.seconds_per_request, request, request * 1e-9);
          EXPECT_NEAR(fitted.contention, contention, 1e-9);
        }
      }
    }
  }
}

TEST(DiskRates, StaySensibleWithNoise) {
  // Small requests faster than large ones, and mixed ones slower than one after another, or faster than
  // either.
  DiskRates rates = detail::fit_rates({1e9, 1e9, 0.5e9, 2e9}, mib, small);
  EXPECT_DOUBLE_EQ(rates.seconds_per_request, 1e-7);
  EXPECT_DOUBLE_EQ(rates.contention, 3);
  EXPECT_NEAR(rates.read_bytes_per_second, 1e9, 1e6);
  rates = detail::fit_rates({1e9, 1e9, 4e9, 1e6}, mib, small);
  EXPECT_DOUBLE_EQ(rates.contention, 0);
  EXPECT_NEAR(rates.read_bytes_per_second, 1e10, 1);
}

TEST(DiskRates, AreKeptAsALineForEachDisk) {
  const std::string line = detail::disk_line("254:0 ef53 0.1.0", example());
  EXPECT_EQ(line,
            "254:0 ef53 0.1.0 read 2.25e+09 write 2.5e+09 request 8.5e-06 contention 0.75 page 512 end\n");
  EXPECT_EQ(detail::find_disk(line, "254:0 ef53 0.1.0"), example());
  EXPECT_EQ(detail::find_disk(line, "254:1 ef53 0.1.0"), std::nullopt);
  EXPECT_EQ(detail::find_disk(line, "254:0 ef53 0.1.1"), std::nullopt);
  EXPECT_EQ(detail::find_disk(line, "54:0 ef53 0.1.0"), std::nullopt);
  DiskRates other = example();
  other.contention = 1;
  std::string text = detail::replace_disk(line, "254:1 ef53 0.1.0", other);
  EXPECT_EQ(text, line + detail::disk_line("254:1 ef53 0.1.0", other));
  other.page = 4096;
  text = detail::replace_disk(text, "254:0 ef53 0.1.0", other);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_EQ(detail::find_disk(text, "254:0 ef53 0.1.0"), other);
}

TEST(DiskRates, PassOverDamagedLines) {
  const std::string key = "254:0 ef53 0.1.0";
  const std::string line = detail::disk_line(key, example());
  for (std::size_t length = 0; length < line.size(); ++length) {
    const std::string cut = line.substr(0, length);
    EXPECT_EQ(detail::find_disk(cut, key), std::nullopt) << length;
    EXPECT_EQ(detail::find_disk(line + cut, key), example()) << length;
    EXPECT_EQ(detail::replace_disk(cut + "\n", key, example()), line) << length;
    EXPECT_EQ(detail::find_disk(cut + "\n" + line, key), example()) << length;
  }
  const auto replaced = [&](std::string_view old, std::string_view with) {
    std::string other = line;
    other.replace(other.find(old), old.size(), with);
    return detail::find_disk(other, key);
  };
  EXPECT_EQ(replaced("read 2", "read -2"), std::nullopt);
  EXPECT_EQ(replaced("read 2.25e+09", "read nan"), std::nullopt);
  EXPECT_EQ(replaced("write 2.5e+09", "write inf"), std::nullopt);
  EXPECT_EQ(replaced("request 8.5e-06", "request 0"), std::nullopt);
  EXPECT_EQ(replaced("contention 0", "contention 4"), std::nullopt);
  EXPECT_EQ(replaced("page 512", "page 0"), std::nullopt);
  EXPECT_EQ(replaced("page 512", "page 0.5"), std::nullopt);
  EXPECT_EQ(replaced(" end", " end."), std::nullopt);
  EXPECT_EQ(replaced(" end", "  end"), std::nullopt);
}

TEST(DiskRates, BelongToTheDiskOfAPath) {
  const Scratch scratch;
  const std::string folder = scratch.folder().string();
  const std::string key = detail::disk_key(folder);
  EXPECT_EQ(std::ranges::count(key, ' '), 2);
  EXPECT_EQ(detail::disk_key(scratch.file("there", "x")), key);
  EXPECT_EQ(detail::disk_key(scratch.path("not there yet")), key);
  EXPECT_NE(detail::disk_key("/proc/self/status"), key);
  EXPECT_EQ(detail::disk_key(scratch.path("no/folder")), "");
  EXPECT_EQ(detail::disk_key("not there yet"), detail::disk_key("."));
}

TEST(DiskRates, AreMeasuredInPlausibleNumbers) {
  const Scratch scratch;
  for (const DiskAccess access : {DiskAccess::automatic, DiskAccess::buffered}) {
    const DiskRates rates = measure_disk(scratch.folder().string(), access, file_bytes);
    for (const double speed : {rates.read_bytes_per_second, rates.write_bytes_per_second}) {
      EXPECT_GT(speed, 1e4);
      EXPECT_LT(speed, 1e13);
    }
    EXPECT_GE(rates.seconds_per_request, 1e-7);
    EXPECT_LT(rates.seconds_per_request, 10);
    EXPECT_GE(rates.contention, 0);
    EXPECT_LE(rates.contention, 3);
    EXPECT_EQ(rates.page == 1, access == DiskAccess::buffered);
  }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(DiskRates, RefuseWhereNothingCanBeMeasured) {
  const Scratch scratch;
  const auto refused = [](const std::string& folder) {
    return refusal<FileError>([&] { return measure_disk(folder, DiskAccess::automatic, file_bytes); });
  };
  const std::string none = scratch.path("none");
  EXPECT_EQ(refused(none), "measure_disk: \"" + none +
                               "\" must be a folder that can be written to (No such file or directory)");
  const std::string file = scratch.file("file", "x");
  EXPECT_EQ(refused(file),
            "measure_disk: \"" + file + "\" must be a folder that can be written to (Not a directory)");
  EXPECT_EQ(refusal<ValueError>([&] { return measure_disk(scratch.folder(), DiskAccess::buffered, 100); }),
            "measure_disk: 100 bytes must be at least 2097152");
  EXPECT_EQ(refusal<FileError>(
                [&] { return measure_disk(scratch.folder(), DiskAccess::buffered, std::size_t{1} << 63); }),
            "measure_disk: \"" + scratch.folder().string() +
                "\" must have room for 9223372036854775808 bytes (File too large)");
}

TEST(DiskRates, AreKnownOnceTheyWereMeasured) {
  const Scratch scratch;
  const Scratch cache_folder;
  const std::string folder = scratch.folder().string();
  const Variable cache("XDG_CACHE_HOME", cache_folder.folder().c_str());
  EXPECT_EQ(disk_rates_file(), cache_folder.path("tenstride/disks"));
  EXPECT_EQ(known_disk(folder).rates, DiskRates{});
  EXPECT_FALSE(known_disk(folder).is_measured);
  EXPECT_TRUE(cache_folder.names().empty());
  std::filesystem::create_directory(cache_folder.path("tenstride"));
  const std::string other = detail::disk_line("999:9 1 0.0.1", example());
  static_cast<void>(cache_folder.file("tenstride/disks", other + "nonsense\n"));
  const DiskRates measured = refresh_disk(folder);
  EXPECT_EQ(known_disk(folder).rates, measured);
  EXPECT_TRUE(known_disk(folder).is_measured);
  EXPECT_TRUE(known_disk(folder + "/to be written").is_measured);
  EXPECT_FALSE(known_disk("/proc/self/status").is_measured);
  EXPECT_EQ(read_bytes(disk_rates_file()), other + detail::disk_line(detail::disk_key(folder), measured));
}

TEST(DiskRates, AreNotKeptWithoutACache) {
  const Variable cache("XDG_CACHE_HOME", nullptr);
  {
    const Variable home("HOME", "/home/someone");
    EXPECT_EQ(disk_rates_file(), "/home/someone/.cache/tenstride/disks");
  }
  const Variable home("HOME", nullptr);
  EXPECT_EQ(disk_rates_file(), "");
  EXPECT_FALSE(known_disk("/").is_measured);
}

}  // namespace
}  // namespace tenstride::io
