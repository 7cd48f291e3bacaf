// SPDX-License-Identifier: Apache-2.0
#include "io/plan/boxes.hpp"

#include <gtest/gtest.h>

#include "support/copy_oracle.hpp"

namespace tenstride::io {
namespace {

using oracle::Random;

TEST(Boxes, TouchThePiecesThatTheyHaveIndicesOf) {
  Random random(47);
  for (int trial = 0; trial < 500; ++trial) {
    const auto rank = static_cast<std::size_t>(random.between(0, 4));
    Box box{Dims::filled(rank, 0), Dims::filled(rank, 1)}, part = box;
    Dims piece = box.extents;
    for (std::size_t d = 0; d < rank; ++d) {
      box.first[d] = random.between(0, 9);
      box.extents[d] = random.between(1, 9);
      piece[d] = random.between(1, 10);
      const Index skipped = random.between(0, box.extents[d] - 1);
      part.first[d] = box.first[d] + skipped;
      part.extents[d] = random.between(1, box.extents[d] - skipped);
    }
    const std::vector<Box> pieces = cut_box(box, piece);
    std::vector<Index> wanted;
    Index elements = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      elements += count_elements(pieces[i].extents);
      if (intersection(pieces[i], part)) wanted.push_back(static_cast<Index>(i));
    }
    EXPECT_EQ(elements, count_elements(box.extents));
    EXPECT_EQ(touched_pieces(box, piece, part), wanted);
  }
}

}  // namespace
}  // namespace tenstride::io
