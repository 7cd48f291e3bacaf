// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "tenstride/layout/reshape.hpp"

// Every refusal of reshape.hpp: the type, the whole message, the facts.
namespace tenstride {
namespace {

using testing::refusal;

const std::string famous_line =
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
    "two "
    "contiguous subspaces). Use .reshape(...) instead.\n";

TEST(ReshapeErrors, OfSizes) {
  const Layout matrix = row_major({2, 3});
  EXPECT_EQ(refusal<ShapeError>([&] {
              return view(matrix, {-1, -1});
            }),
            "view: sizes (-1,-1) must have at most one -1");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return view(matrix, {-2, 3});
            }),
            "view: sizes (-2,3) must be at least 0, or -1 for one to be inferred");
  EXPECT_EQ(refusal<ShapeError>([&] { return view(matrix, {5}); }),
            "view: sizes (5) make 5 elements and must make the tensor's 6 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return view(matrix, {-1, 4});
            }),
            "view: sizes (-1,4) must divide the tensor's 6 elements, the known ones make 4 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return view(matrix, {0, -1});
            }),
            "view: sizes (0,-1) must divide the tensor's 6 elements, the known ones make 0 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return view(row_major({2, 0}), {0, -1});
            }),
            "view: sizes (0,-1) must not leave a size open beside a 0: any size would do for the -1");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return infer_shape({4, 4}, 6, {2, 3}, "reshape");
            }),
            "reshape: sizes (4,4) make 16 elements and must make the tensor's 6 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] { return try_view(matrix, {7}); }),
            "view: sizes (7) make 7 elements and must make the tensor's 6 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] { return try_view(matrix, {-1}); }),
            "view: sizes (-1) must not be negative");
}

TEST(ReshapeErrors, OfFlattenAndUnflatten) {
  const Layout cube = row_major({2, 3, 4});
  EXPECT_EQ(refusal<ShapeError>([&] { return flatten(cube, 2, 1); }),
            "flatten: start axis 2 must not come after end axis 1 (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([&] { return flatten(cube, 0, 3); }),
            "flatten: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([&] { return unflatten(cube, 0, {}); }),
            "unflatten: sizes () must name at least one size");
  EXPECT_EQ(refusal<AxisError>([&] { return unflatten(cube, 3, {1}); }),
            "unflatten: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<IndexError>([&] { return unflatten({}, 0, {1}); }),
            "unflatten: the tensor must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return unflatten(cube, 2, {2, 3});
            }),
            "unflatten: sizes (2,3) make 6 elements and must make the axis's 4 (shape (2,3,4))");
  EXPECT_EQ(
      refusal<ShapeError>([&] {
        return unflatten(cube, 2, {-1, 3});
      }),
      "unflatten: sizes (-1,3) must divide the axis's 4 elements, the known ones make 3 (shape (2,3,4))");
}

TEST(ViewError, BeginsWithPyTorchsLineAndExplains) {
  const Layout permuted{{2, 2, 3}, {6, 1, 2}, 0};
  const std::string explained =
      "  from   (2,2,3):(6,1,2)+0   to (12)   (shape:strides+offset, in elements)\n"
      "  axes 1 and 2 would merge, but a step along axis 1 moves 1 element and running through axis 2 moves "
      "3*2 = 6\n"
      "  walk:  the elements lie at 0 2 4, then at 1 3 5; one axis of stride 2 would go on at 6\n"
      "  free:  the axes group as [0] [1] [2]; each may be split, none may be merged\n";
  EXPECT_EQ(refusal<ViewError>([&] { return view(permuted, {-1}); }),
            famous_line + explained +
                "  fixes: .reshape(12)              copies 12 elements, silently\n"
                "         .contiguous().view(12)    copies 12 elements, visibly\n"
                "         .permute(0,2,1).view(12)  no copy, another element order");
  EXPECT_EQ(ViewError(*why_not_view(permuted, {12}), 4).what(),
            famous_line + explained +
                "  fixes: .reshape(12)              copies 12 elements (48 B), silently\n"
                "         .contiguous().view(12)    copies 12 elements (48 B), visibly\n"
                "         .permute(0,2,1).view(12)  no copy, another element order");
}

TEST(ViewError, NamesTheGroupsInWhichAxesMerge) {
  EXPECT_EQ(
      to_string(*why_not_view({{4, 2, 3}, {8, 3, 1}, 5}, {8, 3}), 2),
      "  from   (4,2,3):(8,3,1)+5   to (8,3)   (shape:strides+offset, in elements)\n"
      "  axes 0 and 1 would merge, but a step along axis 0 moves 8 elements and running through axis 1 "
      "moves 2*3 = 6\n"
      "  walk:  the elements lie at 5 8, then at 13 16; one axis of stride 3 would go on at 11\n"
      "  free:  the axes group as [0] [1 2]; inside a group they may be split and merged, across groups "
      "not\n"
      "  fixes: .reshape(8,3)            copies 24 elements (48 B), silently\n"
      "         .contiguous().view(8,3)  copies 24 elements (48 B), visibly");
}

TEST(ViewError, CarriesTheObstacle) {
  try {
    static_cast<void>(flatten({{3, 2}, {1, 3}, 4}));
    FAIL() << "a transposed matrix was flattened without a copy";
  } catch (const ViewError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::runtime);
    EXPECT_EQ(error.obstacle().from, (Layout{{3, 2}, {1, 3}, 4}));
    EXPECT_EQ(error.obstacle().to, Dims{6});
    EXPECT_EQ(error.obstacle().stride_found, 1);
    EXPECT_EQ(error.obstacle().stride_needed, 6);
    EXPECT_EQ(error.obstacle().groups, (std::vector<AxisGroup>{{0, 0}, {1, 1}}));
  }
}

TEST(ViewError, LeavesTheBytesOutWhereTheyDoNotFit) {
  const Index half = Index{1} << 31;
  EXPECT_EQ(
      to_string(*why_not_view({{half, half}, {1, 0}, 0}, {half * half}), 16),
      "  from   (2147483648,2147483648):(1,0)+0   to (4611686018427387904)   (shape:strides+offset, in "
      "elements)\n"
      "  axes 0 and 1 would merge, but a step along axis 0 moves 1 element and running through axis 1 "
      "moves 2147483648*0 = 0\n"
      "  walk:  the elements lie at 0 0 … 0, then at 1 1 … 1; one axis of stride 0 would go on at 0\n"
      "  free:  the axes group as [0] [1]; each may be split, none may be merged\n"
      "  fixes: .reshape(4611686018427387904)            copies 4611686018427387904 elements, silently\n"
      "         .contiguous().view(4611686018427387904)  copies 4611686018427387904 elements, visibly");
}

}  // namespace
}  // namespace tenstride
