// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/progress.hpp"

#include <gtest/gtest.h>

namespace tenstride::io {
namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

/// A quarter of 4 GiB in two seconds, in the first of two passes.
Progress example() {
  Progress progress;
  progress.bytes_done = GiB;
  progress.bytes = 4 * GiB;
  progress.tiles_done = 3;
  progress.tiles = 12;
  progress.passes = 2;
  progress.seconds = 2;
  progress.seconds_foretold = 9;
  return progress;
}

TEST(Progress, KnowsTheSpeedAndTheTimeLeft) {
  Progress progress = example();
  EXPECT_EQ(bytes_per_second(progress), static_cast<double>(GiB) / 2);
  EXPECT_EQ(seconds_left(progress), 6);
  progress.bytes_earlier = GiB / 2;  // half as much in this run
  EXPECT_EQ(bytes_per_second(progress), static_cast<double>(GiB) / 4);
  EXPECT_EQ(seconds_left(progress), 12);
  progress.bytes_earlier = GiB;
  EXPECT_EQ(bytes_per_second(progress), std::nullopt);
  EXPECT_EQ(seconds_left(progress), 7);  // as foretold
  progress.seconds = 10;
  EXPECT_EQ(seconds_left(progress), 0);
  progress.seconds_foretold = 0;
  EXPECT_EQ(seconds_left(progress), std::nullopt);
  progress.bytes_done = progress.bytes;
  EXPECT_EQ(seconds_left(progress), 0);
  EXPECT_EQ(seconds_left(Progress{}), 0);  // of nothing all is done
}

TEST(Progress, IsALine) {
  Progress progress = example();
  EXPECT_EQ(progress_text(progress), "25%, 1.0 GiB of 4.0 GiB, 0.54 GB/s, 6 s left, pass 1 of 2");
  progress.passes = 1;
  progress.bytes_done = progress.bytes_earlier = 0;
  EXPECT_EQ(progress_text(progress), "0%, 0 B of 4.0 GiB, 7 s left");
  progress.seconds_foretold = 0;
  EXPECT_EQ(progress_text(progress), "0%, 0 B of 4.0 GiB");
  progress.bytes_done = progress.bytes - 1;  // not yet all
  EXPECT_TRUE(progress_text(progress).starts_with("99%, "));
  progress.bytes_done = progress.bytes;
  EXPECT_EQ(progress_text(progress), "100%, 4.0 GiB of 4.0 GiB, 2.15 GB/s, 0 s left");
}

TEST(Progress, SaysTimesInTwoUnits) {
  Progress progress;
  progress.bytes = 10;
  const auto text = [&](double seconds) {
    progress.seconds_foretold = seconds;
    return progress_text(progress);
  };
  EXPECT_EQ(text(0.2), "0%, 0 B of 10 B, 1 s left");
  EXPECT_EQ(text(59), "0%, 0 B of 10 B, 59 s left");
  EXPECT_EQ(text(59.5), "0%, 0 B of 10 B, 1 min 00 s left");
  EXPECT_EQ(text(65), "0%, 0 B of 10 B, 1 min 05 s left");
  EXPECT_EQ(text(3599), "0%, 0 B of 10 B, 59 min 59 s left");
  EXPECT_EQ(text(7389), "0%, 0 B of 10 B, 2 h 03 min left");
  EXPECT_EQ(text(4 * 86400 + 5 * 3600), "0%, 0 B of 10 B, 4 d 05 h left");
  EXPECT_EQ(text(1e300), "0%, 0 B of 10 B, 11574 d 01 h left");
}

TEST(Progress, IsABarThatFits) {
  const Progress progress = example();
  EXPECT_EQ(progress_bar(progress, 100),
            "[=========>                             ]  25%  1.0 GiB of 4.0 GiB  0.54 GB/s  6 s left  pass "
            "1 of 2");
  EXPECT_EQ(progress_bar(progress, 80),
            "[====>              ]  25%  1.0 GiB of 4.0 GiB  0.54 GB/s  6 s left  pass 1 of 2");
  EXPECT_EQ(progress_bar(progress, 60), "[===>        ]  25%  1.0 GiB of 4.0 GiB  0.54 GB/s  6 s left");
  EXPECT_EQ(progress_bar(progress, 40), "[===>         ]  25%  1.0 GiB of 4.0 GiB");
  EXPECT_EQ(progress_bar(progress, 17), "[==>       ]  25%");
  EXPECT_EQ(progress_bar(progress, 16), " 25%");
  EXPECT_EQ(progress_bar(progress, 0), " 25%");
}

TEST(Progress, BarIsAsWideAsItMayBe) {
  for (const std::uint64_t done : {std::uint64_t{0}, GiB - 1, 2 * GiB, 4 * GiB, 5 * GiB}) {
    Progress progress = example();
    progress.bytes_done = done;
    for (std::size_t columns = 4; columns < 200; ++columns) {
      const std::string bar = progress_bar(progress, columns);
      EXPECT_LE(bar.size(), columns) << bar;
      EXPECT_EQ(bar.starts_with('['), columns >= 17) << bar;
    }
  }
}

TEST(Progress, IsALineOfJson) {
  Progress progress = example();
  EXPECT_EQ(
      progress_json(ProgressEvent::progress, progress),
      R"({"event":"progress","bytes_done":1073741824,"bytes":4294967296,"tiles_done":3,"tiles":12,"pass":1,)"
      R"("passes":2,"seconds":2.0,"seconds_left":6.0,"bytes_per_second":536870912.0})");
  progress.seconds = 1.23456;
  progress.bytes_done = 0;
  progress.seconds_foretold = 0;
  EXPECT_EQ(
      progress_json(ProgressEvent::start, progress),
      R"({"event":"start","bytes_done":0,"bytes":4294967296,"tiles_done":3,"tiles":12,"pass":1,"passes":2,)"
      R"("seconds":1.235,"seconds_left":null,"bytes_per_second":null})");
  EXPECT_TRUE(progress_json(ProgressEvent::done, progress).starts_with(R"({"event":"done",)"));
  EXPECT_TRUE(progress_json(ProgressEvent::interrupted, progress).starts_with(R"({"event":"interrupted",)"));
}

TEST(Progress, JsonCarriesAnyMessage) {
  const std::string line = progress_json(ProgressEvent::error, Progress{}, "a \"b\"\n\xFF");
  EXPECT_EQ(
      line,
      R"({"event":"error","bytes_done":0,"bytes":0,"tiles_done":0,"tiles":0,"pass":1,"passes":1,"seconds":0.0,)"
      "\"seconds_left\":0.0,\"bytes_per_second\":null,\"message\":\"a \\\"b\\\"\\n\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace tenstride::io
