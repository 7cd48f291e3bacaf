// SPDX-License-Identifier: Apache-2.0
// What the ranks hold, against the recorded answers of PyTorch's DTensor (tests/record/record_dtensor.py).
#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/recorded.hpp"
#include "tenstride/distribution/local_view.hpp"

namespace tenstride::distributed {
namespace {

using nlohmann::json;
using testing::recorded_dims;

Distribution distribution_of(const json& line) {
  std::vector<Placement> placements;
  for (const json& text : line["placements"]) placements.push_back(parse_placement(text.get<std::string>()));
  return distribute(recorded_dims(line["shape"]), {recorded_dims(line["mesh"])}, placements);
}

/// Whether a placement of the result is one that tenstride has, too; DTensor's StridedShard is BlockCyclic
/// here.
bool is_known(const json& placements) {
  return std::none_of(placements.begin(), placements.end(),
                      [](const json& text) { return text.get<std::string>().starts_with("Strided"); });
}

TEST(DTensor, HoldsWhatADistributionHolds) {
  std::size_t count = 0;
  for (const json& line : testing::recorded("dtensor.jsonl.gz")) {
    if (line.contains("view") || line.contains("permute")) continue;
    const Distribution spread = distribution_of(line);
    for (Index rank = 0; rank < spread.mesh.size(); ++rank) {
      const json& own = line["locals"][static_cast<std::size_t>(rank)];
      EXPECT_EQ(count_elements(spread.held_by(rank).local_shape()), static_cast<Index>(own.size())) << line;
    }
    EXPECT_EQ(json(oracle::all_held_positions(spread)), line["locals"]) << line;
    ++count;
  }
  EXPECT_EQ(count, 248U);
}

TEST(DTensor, PermutesToTheSamePlacements) {
  std::size_t count = 0;
  for (const json& line : testing::recorded("dtensor.jsonl.gz")) {
    if (!line.contains("permute")) continue;
    const Distribution moved = permute(distribution_of(line), recorded_dims(line["permute"]));
    json placements = json::array();
    for (const Placement& placement : moved.placements) placements.push_back(to_string(placement));
    EXPECT_EQ(placements, line["gives"]) << line;
    ++count;
  }
  EXPECT_EQ(count, 660U);
}

TEST(DTensor, ViewsNothingLocallyThatADistributionDoesNot) {
  std::size_t local = 0;
  std::size_t refused = 0;
  std::size_t communicated = 0;
  std::size_t refused_but_local = 0;
  std::size_t communicated_but_local = 0;
  for (const json& line : testing::recorded("dtensor.jsonl.gz")) {
    if (!line.contains("view")) continue;
    const Distribution from = distribution_of(line);
    const std::optional<Distribution> viewed = try_local_view(from, recorded_dims(line["view"]));
    if (line.contains("raises")) {
      ++refused;
      refused_but_local += viewed ? 1U : 0U;
    } else if (line["communicates"] > 0) {
      ++communicated;
      communicated_but_local += viewed ? 1U : 0U;
    } else {
      ++local;
      ASSERT_TRUE(viewed) << line;
      // A local view keeps each rank's elements as they are.
      EXPECT_EQ(json(oracle::all_held_positions(*viewed)), line["locals"]) << line;
      if (!is_known(line["gives"])) continue;
      json placements = json::array();
      for (const Placement& placement : viewed->placements) placements.push_back(to_string(placement));
      EXPECT_EQ(placements, line["gives"]) << line << ' ' << viewed->to_string();
    }
  }
  EXPECT_EQ(local, 529U);
  EXPECT_EQ(refused, 388U);
  EXPECT_EQ(communicated, 131U);
  EXPECT_EQ(refused_but_local, 109U);
  EXPECT_EQ(communicated_but_local, 29U);
}

}  // namespace
}  // namespace tenstride::distributed
