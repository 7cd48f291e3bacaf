// SPDX-License-Identifier: Apache-2.0
// Which stores write what is in order: chosen by the processor, put into the plans of the engine.
#include "copy/stores.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "tenstride/run_plan.hpp"

namespace tenstride {
namespace {

using copy::Stores;

TEST(StoresInOrder, AreStreamingButOnSkylakesCoreForServers) {
  EXPECT_EQ(copy::stores_in_order("GenuineIntel", 6, 0x55), Stores::ordinary);   // Cascade Lake
  EXPECT_EQ(copy::stores_in_order("GenuineIntel", 6, 0x6a), Stores::streaming);  // Ice Lake
  EXPECT_EQ(copy::stores_in_order("GenuineIntel", 6, 0xcf), Stores::streaming);  // Emerald Rapids
  EXPECT_EQ(copy::stores_in_order("GenuineIntel", 15, 0x55), Stores::streaming);
  EXPECT_EQ(copy::stores_in_order("AuthenticAMD", 6, 0x55), Stores::streaming);
}

TEST(StoresInOrder, AreThoseThatTheEnvironmentNames) {
  const char* const name = std::getenv("TENSTRIDE_STORES");
  if (name != nullptr && std::string_view(name) == "ordinary") {
    EXPECT_EQ(copy::stores_in_order(), Stores::ordinary);
  } else if (name != nullptr && std::string_view(name) == "streaming") {
    EXPECT_EQ(copy::stores_in_order(), Stores::streaming);
  }
  const bool asks = options_here().streaming_in_order_above < PlanOptions().streaming_in_order_above;
  EXPECT_EQ(asks, copy::stores_in_order() == Stores::streaming);
}

TEST(StoresInOrder, AreAskedForInAPlan) {
  constexpr Index size = Index{4} << 20;
  const auto kernel = [](const Layout& dst, const Layout& src, DType to, Index bytes, Index above) {
    PlanOptions options;
    options.streaming_in_order_above = above;
    const CopyPlan made = plan(dst, to, src, DType::uint8, options);
    EXPECT_EQ(made.count * static_cast<Index>(item_size(to)), bytes);
    return made.streaming;
  };
  const Layout dense{{size}, {1}, 0};
  const Layout one{{size}, {0}, 0};
  const Layout rows{{1024, size / 1024}, {size / 512, 1}, 0};
  const Layout packed{{1024, size / 1024}, {size / 1024, 1}, 0};
  const Layout pixels{{size / 4, 4}, {1, size / 4}, 0};
  const Layout woven{{size / 4, 4}, {4, 1}, 0};
  for (const auto& [dst, src] :
       {std::pair{dense, dense}, {dense, one}, {packed, rows}, {woven, pixels}, {pixels, woven}}) {
    EXPECT_TRUE(kernel(dst, src, DType::uint8, size, size));
    EXPECT_FALSE(kernel(dst, src, DType::uint8, size, size + 1));
    EXPECT_TRUE(kernel(dst, src, DType::float32, 4 * size, 4 * size));
  }
}

}  // namespace
}  // namespace tenstride
