// SPDX-License-Identifier: Apache-2.0
// How many streams of memory a copy goes on with: chosen by the processor, and the same bytes either way.
#include "copy/streams.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "copy/processor.hpp"
#include "copy/small.hpp"
#include "tenstride/run_plan.hpp"

namespace tenstride {
namespace {

using copy::Streams;

TEST(Streams, AreOneOnProcessorsOfAmd) {
  EXPECT_EQ(copy::streams("AuthenticAMD"), Streams::one);
  EXPECT_EQ(copy::streams("GenuineIntel"), Streams::several);
  EXPECT_EQ(copy::streams(""), Streams::several);
}

TEST(Streams, AreThoseThatTheEnvironmentNames) {
  const char* const name = std::getenv("TENSTRIDE_STREAMS");
  const std::string_view asked = name == nullptr ? "" : name;
  const Streams own = copy::streams(copy::this_processor().vendor());
  EXPECT_EQ(copy::streams(), asked == "one" ? Streams::one : asked == "several" ? Streams::several : own);
}

TEST(Streams, DecideOnStripsAndCachedTiles) {
  const bool is_one = copy::streams() == Streams::one;
  const PlanOptions options = options_here();
  EXPECT_EQ(options.strip_bytes == 256, is_one);
  EXPECT_EQ(options.cached_tiles_below, is_one ? copy::most_cached_tiles : 0);
}

TEST(Processor, IsTheSameWheneverItIsAsked) {
  const copy::Processor first = copy::this_processor();
  const copy::Processor second = copy::this_processor();
  EXPECT_EQ(first.vendor(), second.vendor());
  EXPECT_EQ(first.family, second.family);
  EXPECT_EQ(first.model, second.model);
#if defined(__x86_64__)
  EXPECT_GE(first.family, 6U);  // the first with 64 bits
#endif
}

}  // namespace
}  // namespace tenstride
