// SPDX-License-Identifier: Apache-2.0
#include "io/output/finished_units.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/output/resumable_file.hpp"
#include "support/scratch.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
namespace {

TEST(FinishedUnitsThreads, AreKeptWhileOthersAreFlushed) {
  constexpr std::size_t count = 400;
  const testing::Scratch scratch;
  const auto open = [&] {
    return ResumableFile({scratch.path("out"), count, Overwrite::refuse, Resume::if_there, "convert"},
                         {"in.zarr"}, 1);
  };
  Checksum all;
  {
    ResumableFile file = open();
    FinishedUnits units(file, 0);
    const ThreadScope threads(4);
    parallel_for(0, count, 1, [&](Index first, Index last) {
      for (Index unit = first; unit < last; ++unit) {
        const auto part = static_cast<std::size_t>(unit);
        units.finish(part, {{part, 1}});
      }
    });
    for (std::size_t part = 0; part < count; ++part) all += Checksum{{part, 1}};
    EXPECT_EQ(file.checksum(), all);
  }
  const ResumableFile file = open();
  EXPECT_TRUE(file.is_resumed());
  EXPECT_EQ(std::count(file.finished().begin(), file.finished().end(), true), count);
  EXPECT_EQ(file.checksum(), all);
}

}  // namespace
}  // namespace tenstride::io
