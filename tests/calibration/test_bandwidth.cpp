// SPDX-License-Identifier: Apache-2.0
#include "tenstride/calibration/bandwidth.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calibration/bandwidth_file.hpp"
#include "support/scratch.hpp"
#include "support/variable.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::Variable;

Bandwidth example() {
  return {8e10, 2e10, 5e9, 0.75, 0.5, 3e-8, num_threads()};
}

LedgerEntry copy_of(Index bytes, const char* kernel, Index allocated = 0) {
  LedgerEntry entry;
  entry.bytes_read = bytes / 2;
  entry.bytes_written = bytes - bytes / 2;
  entry.bytes_allocated = allocated;
  entry.kernel = kernel;
  return entry;
}

TEST(Bandwidth, ForecastsByBytesAndKernel) {
  const Bandwidth at = example();
  EXPECT_EQ(forecast_seconds(copy_of(0, ""), at), 0);
  EXPECT_DOUBLE_EQ(forecast_seconds(copy_of(100000, "contiguous"), at), 3e-8 + 100000 / 8e10);
  EXPECT_DOUBLE_EQ(forecast_seconds(copy_of(100000, "tile"), at), 3e-8 + 100000 / 4e10);
  EXPECT_DOUBLE_EQ(forecast_seconds(copy_of(2000000000, "contiguous"), at), 3e-8 + 2e9 / 2e10);
  EXPECT_DOUBLE_EQ(forecast_seconds(copy_of(2000000000, "tile"), at), 3e-8 + 2e9 / 1.5e10);
  EXPECT_DOUBLE_EQ(forecast_seconds(copy_of(2000000000, "contiguous", 1000000000), at), 3e-8 + 2e9 / 5e9);
  LedgerEntry repeated = copy_of(2000, "rows");
  repeated.src = Layout{{10, 25}, {0, 1}, 0};
  EXPECT_DOUBLE_EQ(forecast_seconds(repeated, at), 3e-8 + 1100 / 8e10);
  double last = 0;
  for (Index bytes = 64; bytes < Index{1} << 34; bytes *= 2) {
    const double seconds = forecast_seconds(copy_of(bytes, "rows"), at);
    EXPECT_GT(seconds, last) << bytes;
    last = seconds;
  }
}

TEST(Bandwidth, ForecastsTheSumOfALedger) {
  const CopyLedger ledger;
  const Tensor x = zeros({300, 500}, {.device = Device::meta});
  (void)x.t().contiguous();
  double sum = 0;
  for (const LedgerEntry& entry : ledger.entries()) sum += forecast_seconds(entry, example());
  EXPECT_GT(sum, 0);
  EXPECT_DOUBLE_EQ(forecast_seconds(ledger, example()), sum);
}

TEST(Bandwidth, ComesBackFromItsFile) {
  const Bandwidth written = example();
  EXPECT_EQ(detail::bandwidth_from_file(detail::bandwidth_to_file(written)), written);
}

TEST(Bandwidth, TakesNothingFromADamagedOrForeignFile) {
  const std::string text = detail::bandwidth_to_file(example());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(detail::bandwidth_from_file(text.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(detail::bandwidth_from_file(text + "x"), std::nullopt);
  const auto replaced = [&](std::string_view old, std::string_view with) {
    std::string other = text;
    other.replace(other.find(old), old.size(), with);
    return detail::bandwidth_from_file(other);
  };
  EXPECT_EQ(replaced("processor", "processor another"), std::nullopt);
  EXPECT_EQ(replaced("threads ", "threads 9"), std::nullopt);
  EXPECT_EQ(replaced("bandwidth 1,", "bandwidth 2,"), std::nullopt);
  EXPECT_EQ(replaced("cached ", "cached -"), std::nullopt);
  EXPECT_EQ(replaced("memory ", "memory nan"), std::nullopt);
  EXPECT_EQ(replaced("fresh ", "fresh inf"), std::nullopt);
  EXPECT_EQ(replaced("memory ", "memory x"), std::nullopt);
}

TEST(Bandwidth, LiesInTheUsersCache) {
  const Variable home("HOME", "/home/someone");
  {
    const Variable cache("XDG_CACHE_HOME", "/elsewhere");
    EXPECT_EQ(bandwidth_file(), "/elsewhere/tenstride/bandwidth");
  }
  {
    const Variable cache("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(bandwidth_file(), "/home/someone/.cache/tenstride/bandwidth");
  }
  const Variable cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(bandwidth_file(), "/home/someone/.cache/tenstride/bandwidth");
  const Variable none("HOME", nullptr);
  EXPECT_EQ(bandwidth_file(), "");
}

TEST(Bandwidth, IsMeasuredKeptAndFoundAgain) {
  const testing::Scratch scratch;
  const Variable cache("XDG_CACHE_HOME", scratch.folder().c_str());
  const Bandwidth measured = refresh_bandwidth();
  for (const double figure : {measured.cached, measured.memory, measured.fresh, measured.transposed_share,
                              measured.transposed_cached_share, measured.call_seconds}) {
    EXPECT_GT(figure, 0);
  }
  EXPECT_LE(measured.transposed_share, 1);
  EXPECT_LE(measured.fresh, measured.memory);
  EXPECT_EQ(measured.threads, num_threads());
  EXPECT_EQ(machine_bandwidth(), measured);
  std::ifstream file(bandwidth_file());
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(detail::bandwidth_from_file(text.str()), measured);
  EXPECT_EQ(nlohmann::json::parse(to_json(measured))["memory"].get<double>(), measured.memory);
}

TEST(Bandwidth, ReadsWellAsText) {
  Bandwidth shown = example();
  shown.threads = 2;
  EXPECT_EQ(to_text(shown),
            "copy in the cache            80.00 GB/s\n"
            "copy in memory               20.00 GB/s\n"
            "copy into fresh memory       5.00 GB/s\n"
            "transpose in the cache       50 %\n"
            "transpose in memory          75 %\n"
            "smallest copy                30 ns\n"
            "threads                      2\n");
}

}  // namespace
}  // namespace tenstride
